import Dispatch
import FanfareClient
import Transport

/// One HTTP request without a body, on a connection of its own.
struct HTTPCall: Sendable {
    /// What came back.
    struct Answer: Sendable, Equatable {
        var status: Int
        var body: [UInt8]
        /// The seconds of `Retry-After`, where it tells any.
        var retryAfter: Int?

        /// Reads an answer from all that came until the end of the connection; `nil`: it is none.
        init?(_ bytes: [UInt8]) {
            guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
            let words = bytes[..<end.lowerBound].prefix { $0 != 0x0D }.split(separator: 0x20)
            guard words.count >= 2, words[0].starts(with: "HTTP/1.".utf8),
                let status = Int(String(decoding: words[1], as: UTF8.self)), (100...599).contains(status)
            else { return nil }
            self.status = status
            let fields = bytes[..<end.lowerBound].split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
            let name = "retry-after:"
            let wait = fields.first { $0.lowercased().hasPrefix(name) }?.dropFirst(name.count)
            retryAfter = wait.flatMap { UInt32($0.filter { !$0.isWhitespace }) }.map { Int($0) }
            body = Array(bytes[end.upperBound...])
        }
    }

    /// Why there is no answer, for a person.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// How long all of it may take.
    static let patience = 30
    /// The most bytes of an answer.
    static let maxBytes = 262_144

    var method: String
    var url: BrokerURL
    var target: String
    var headers: [(name: String, value: String)]
    /// Certificates to trust instead of the system's.
    var trustedCertificates: String?

    /// Sends the request and waits for the answer; not on a loop.
    func perform() throws -> Answer {
        let loop = try EventLoop(name: "call")
        loop.start()
        defer { loop.stop() }
        let result = Locked<Result<[UInt8], TransportError>?>(nil)
        let done = DispatchSemaphore(value: 0)
        let host = url.host.contains(":") ? "[\(url.host)]" : url.host
        let addresses = try SocketAddress.parse("\(host):\(url.port)").resolved()
        loop.execute { [self] in
            let exchange = Exchange(request) { outcome in
                result.withLock { $0 = outcome }
                done.signal()
            }
            let tls = url.isSecure ? TLSClientSettings(caFile: trustedCertificates) : nil
            do throws(TransportError) {
                _ = try ByteStream.connect(
                    toFirstOf: addresses, serverName: url.host, on: loop, tls: tls, delegate: exchange)
                exchange.keepItself()
            } catch {
                exchange.end(.failure(error))
            }
        }
        guard done.wait(timeout: .now() + .seconds(HTTPCall.patience)) == .success,
            let outcome = result.withLock({ $0 })
        else { throw Failure(description: "no answer came within \(HTTPCall.patience) s") }
        let bytes: [UInt8]
        do throws(TransportError) { bytes = try outcome.get() } catch {
            throw Failure(description: "\(error); check --url (with --ca for a certificate of your own)")
        }
        guard let answer = Answer(bytes) else { throw Failure(description: "what answers there is no broker") }
        return answer
    }

    private var request: [UInt8] {
        let fields = [("Host", url.authority), ("Connection", "close"), ("Content-Length", "0")]
        let lines = (fields + headers.map { ($0.name, $0.value) }).map { "\($0): \($1)\r\n" }
        return Array("\(method) \(target) HTTP/1.1\r\n\(lines.joined())\r\n".utf8)
    }
}

/// The stream of one call, until it ends.
private final class Exchange: ByteStreamDelegate {
    private let request: [UInt8]
    private var received: [UInt8] = []
    private var done: ((Result<[UInt8], TransportError>) -> Void)?
    /// Streams do not hold their delegates.
    private var itself: Exchange?

    init(_ request: [UInt8], done: @escaping (Result<[UInt8], TransportError>) -> Void) {
        self.request = request
        self.done = done
    }

    func keepItself() {
        itself = self
    }

    func end(_ result: Result<[UInt8], TransportError>) {
        done?(result)
        done = nil
        itself = nil
    }

    func streamDidConnect(_ stream: ByteStream) {
        stream.send(copying: request)
    }

    func stream(_ stream: ByteStream, didReceive bytes: inout MutableRawSpan) {
        let arrived = bytes.bytes
        for offset in arrived.byteOffsets where received.count < HTTPCall.maxBytes {
            received.append(unsafe arrived.unsafeLoad(fromByteOffset: offset, as: UInt8.self))  // the offset is inside
        }
    }

    func streamDidFinishReading(_ stream: ByteStream) {
        stream.finish()
    }

    func stream(_ stream: ByteStream, didClose error: TransportError?) {
        if let error, received.isEmpty { end(.failure(error)) } else { end(.success(received)) }
    }
}
