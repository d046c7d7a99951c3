import Dispatch
import Testing
import Transport

@testable import Broker

/// A server on loopback that answers requests as its script says, and a client of it on the same loop.
final class ScriptedServer: Sendable {
    private struct State {
        var script: [String?]
        var requests: [String] = []
        var connections = 0
        var silent: [Peer] = []
        var waiting: [(count: Int, CheckedContinuation<Void, Never>)] = []
    }

    let port: UInt16
    let closesAlways: Bool
    /// What a whole request ends with.
    let ending: String
    private let loop: EventLoop
    private let state: Locked<State>
    // Made and used on the loop.
    private nonisolated(unsafe) let client: HTTPClient
    private nonisolated(unsafe) var listener: Listener?

    /// Answers each request with the next text of the script.
    ///
    /// With `""` the connection is closed instead, `nil`: nothing is said.
    /// Where the script is at its end, all get 204. With `closesAlways` the connection ends behind the text.
    init(
        _ script: [String?], closesAlways: Bool = false, ending: String = "\r\n\r\nbody", maxConnections: Int = 1,
        maxWaiting: Int = 10
    ) throws {
        loop = try EventLoop(name: "scripted")
        unsafe client = HTTPClient(
            on: loop, maxConnections: maxConnections, maxWaiting: maxWaiting, keepAlive: .seconds(300))
        let socket = try ListeningSocket(try SocketAddress.parse("127.0.0.1:0"))
        port = try #require(socket.address.port)
        self.closesAlways = closesAlways
        self.ending = ending
        state = Locked(State(script: script))
        unsafe listener = try Listener(on: loop, socket: socket, tls: nil) { [unowned self] stream in
            state.withLock { $0.connections += 1 }
            stream.delegate = Peer(stream, self)
        }
        loop.start()
    }

    deinit {
        loop.stop()
    }

    var requests: [String] { state.withLock { $0.requests } }
    var connections: Int { state.withLock { $0.connections } }

    func stopListening() {
        onLoop { server in unsafe server.listener?.close() }
    }

    /// Sends a text to all who were told nothing.
    func say(_ text: String) {
        onLoop { server in
            let silent = server.state.withLock { state in
                defer { state.silent = [] }
                return state.silent
            }
            for peer in silent { peer.stream.send(copying: Array(text.utf8)) }
        }
    }

    /// Waits until so many requests have come.
    func heard(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.requests.count < count { state.waiting.append((count, continuation)) }
                return state.requests.count >= count
            }
            if isThere { continuation.resume() }
        }
    }

    /// Posts something, and gives what waits for its answer.
    ///
    /// The time is one that a busy machine does not use up, with other tests on all its threads.
    func begin(
        url: String? = nil, timeout: Duration = .seconds(300)
    ) -> @Sendable () async -> Result<ClientAnswer, ClientError> {
        let answers = AsyncStream<Result<ClientAnswer, ClientError>>.makeStream()
        let text = url ?? "http://127.0.0.1:\(port)/x?y"
        onLoop { server in
            guard let url = OutboundURL(text) else { preconditionFailure("the test's URL is one") }
            let request = ClientRequest(
                url: url, fields: [("f", "v")], body: Array("body".utf8), timeout: timeout, caFile: nil)
            unsafe server.client.post(request) { answers.continuation.yield($0) }
        }
        return {
            var iterator = answers.stream.makeAsyncIterator()
            return await iterator.next() ?? .failure(.failed("no answer"))
        }
    }

    func post(url: String? = nil, timeout: Duration = .seconds(300)) async -> Result<ClientAnswer, ClientError> {
        await begin(url: url, timeout: timeout)()
    }

    /// Runs the closure on the loop, and waits for it: the loop never holds the server, whose end would stop the loop.
    private func onLoop(_ work: @escaping @Sendable (ScriptedServer) -> Void) {
        let done = DispatchSemaphore(value: 0)
        loop.execute { [unowned self] in
            work(self)
            done.signal()
        }
        done.wait()
    }

    /// A whole request has come.
    fileprivate func answer(_ request: String, _ peer: Peer) {
        let (answer, waiting) = state.withLock { state in
            state.requests.append(request)
            let answer = state.script.isEmpty ? "HTTP/1.1 204 No Content\r\n\r\n" : state.script.removeFirst()
            if answer == nil { state.silent.append(peer) }
            let count = state.requests.count
            defer { state.waiting.removeAll { $0.count <= count } }
            return (answer, state.waiting.filter { $0.count <= count })
        }
        for (_, continuation) in waiting { continuation.resume() }
        guard let answer else { return }
        peer.stream.send(copying: Array(answer.utf8))
        if answer.isEmpty || closesAlways { peer.stream.finish() }
    }
}

/// One connection of the server; it belongs to the loop.
final class Peer: ByteStreamDelegate, @unchecked Sendable {
    let stream: ByteStream
    private unowned let server: ScriptedServer
    private var text = ""

    init(_ stream: ByteStream, _ server: ScriptedServer) {
        self.stream = stream
        self.server = server
    }

    func stream(_ stream: ByteStream, didReceive bytes: inout MutableRawSpan) {
        text += String(
            decoding: bytes.bytes.byteOffsets.map { unsafe bytes.bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) },
            as: UTF8.self)
        guard text.hasSuffix(server.ending) else { return }
        let request = text
        text = ""
        server.answer(request, self)
    }

    func streamDidFinishReading(_ stream: ByteStream) {
        stream.finish()
    }

    func stream(_ stream: ByteStream, didClose error: TransportError?) {}
}
