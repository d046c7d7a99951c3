import Transport
import WebSocket

/// Runs through the cases of a fuzzing server, which it asks how many there are.
struct EchoClient {
    enum Failure: Error {
        case notAnAddress(String)
        case noCaseCount(String?)
    }

    let loop: EventLoop
    let address: SocketAddress
    /// The host and port as the URL has them.
    let host: String
    let agent: String
    private let tls: TLSClientSettings?

    /// Makes a client of a server at a URL such as `ws://127.0.0.1:9001`.
    ///
    /// With `relay` (`HOST:PORT`) it connects there by TLS, whoever's certificate that is, and speaks as to the URL.
    init(_ url: String, relay: String?, agent: String, on loop: EventLoop) throws {
        let scheme = "ws://"
        guard url.hasPrefix(scheme) else { throw Failure.notAnAddress(url) }
        host = String(url.dropFirst(scheme.count).prefix { $0 != "/" })
        address = try SocketAddress.parse(relay ?? host)
        tls = relay == nil ? nil : TLSClientSettings(verifies: false)
        self.agent = agent
        self.loop = loop
    }

    /// Runs every case; a case that ends in an error is the server's to judge.
    func run() async throws {
        let text = try await converse("/getCaseCount", echoes: false)
        guard let text, let count = Int(text), count > 0 else { throw Failure.noCaseCount(text) }
        for number in 1...count {
            _ = try? await converse("/runCase?case=\(number)&agent=\(agent)", echoes: true)
        }
        _ = try await converse("/updateReports?agent=\(agent)", echoes: false)
    }

    /// Echoes, or listens, on one connection until it ends; gives the first text message that came.
    private func converse(_ path: String, echoes: Bool) async throws -> String? {
        let nonce = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        return try await withCheckedThrowingContinuation { continuation in
            loop.execute { [host, address, tls, loop] in
                let connection = EchoConnection(
                    ClientHandshake(
                        host: host, path: path, deflate: DeflateSettings(), nonce: nonce), echoes: echoes
                ) {
                    connection, error in
                    if let error {
                        continuation.resume(throwing: error)
                    } else {
                        continuation.resume(returning: connection.firstText)
                    }
                }
                do {
                    _ = try ByteStream.connect(to: address, on: loop, tls: tls, delegate: connection)
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }
}
