import Transport
import WebSocket
import Wire

/// A broker for tests: a real socket, but it says only what the test tells it to.
actor FakeBroker {
    /// What a client did.
    enum Event: Sendable, Equatable {
        /// A client asks for an upgrade with this target and `Authorization`.
        case upgrade(target: String, authorization: String?)
        /// A request on the newest connection.
        case request(Request)
        /// The newest connection is gone, with this close code.
        case gone(UInt16?)
    }

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private var listener: Listener?
    private var connection: ServerConnection?
    private var status = 101
    private var retryAfter: Int?
    private var body = ""
    private var statusOnce: Int?
    private var waiting: [Event] = []
    private var reader: CheckedContinuation<Event, Never>?

    init() throws {
        loop = try EventLoop(name: "fake-broker")
        loop.start()
    }

    /// Listens, and gives the URL.
    func listen(port: UInt16 = 0) throws -> String {
        let listener = try Listener(on: loop, address: .ipv4(0x7F00_0001, port: port)) { stream in
            self.connection = ServerConnection(stream) { event in self.assumeIsolated { $0.note(event) } }
            stream.delegate = self.connection
        }
        self.listener = listener
        return "ws://\(listener.address)"
    }

    /// The next thing that a client does.
    func next() async -> Event {
        if !waiting.isEmpty { return waiting.removeFirst() }
        return await withCheckedContinuation { reader = $0 }
    }

    /// The next upgrade, past everything else.
    @discardableResult
    func nextUpgrade() async -> Event {
        while true {
            let event = await next()
            if case .upgrade = event { return event }
        }
    }

    /// The next request, past everything else.
    func nextRequest() async -> Request {
        while true {
            if case .request(let request) = await next() { return request }
        }
    }

    /// What upgrades are answered with from now on: 101, or a refusal, which may say why, and when to come back, in seconds.
    func answer(with status: Int, retryAfter: Int? = nil, body: String = "") {
        self.status = status
        self.body = body
        self.retryAfter = retryAfter
    }

    /// What the next upgrade is answered with.
    func answerOnce(with status: Int) {
        statusOnce = status
    }

    func send(_ messages: BrokerMessage...) {
        for message in messages { connection?.send(message) }
    }

    /// Says something that no broker says.
    func send(text: String) {
        connection?.send(Array(text.utf8))
    }

    func close(code: UInt16) {
        connection?.close(code: code)
    }

    /// Breaks the newest connection without a word.
    func breakOff() {
        connection?.stream.abort()
    }

    private func note(_ event: Event) {
        if case .upgrade = event {
            connection?.answer(statusOnce ?? status, retryAfter, body)
            statusOnce = nil
        }
        if let reader {
            self.reader = nil
            reader.resume(returning: event)
        } else {
            waiting.append(event)
        }
    }
}

/// The broker's end of one connection.
private final class ServerConnection: ByteStreamDelegate {
    let stream: ByteStream
    private let note: @Sendable (FakeBroker.Event) -> Void
    private var head: [UInt8] = []
    private var headers: [(name: String, value: String)] = []
    private var peer: WebSocketPeer?
    private var collector = Collector()

    init(_ stream: ByteStream, note: @escaping @Sendable (FakeBroker.Event) -> Void) {
        self.stream = stream
        self.note = note
    }

    func answer(_ status: Int, _ retryAfter: Int?, _ body: String) {
        let answer = ServerHandshake.answer(
            method: "GET", minorVersion: 1, headers: headers, subprotocols: ["fanfare.v1.json"])
        guard status == 101, case .accept(let response, _, _) = answer else {
            let wait = retryAfter.map { "Retry-After: \($0)\r\n" } ?? ""
            let length = "Content-Length: \(body.utf8.count)\r\n"
            stream.send(copying: Array("HTTP/1.1 \(status) No\r\n\(wait)\(length)\r\n\(body)".utf8))
            return stream.finish()
        }
        stream.send(copying: response)
        peer = WebSocketPeer(role: .server)
    }

    func send(_ message: BrokerMessage) {
        var text: [UInt8] = []
        message.append(to: &text)
        send(text)
    }

    func send(_ text: [UInt8]) {
        var frame: [UInt8] = []
        peer?.send(text: text.span, into: &frame)
        stream.send(copying: frame)
    }

    func close(code: UInt16) {
        var frame: [UInt8] = []
        peer?.sendClose(code: code, into: &frame)
        stream.send(copying: frame)
    }

    func stream(_ stream: ByteStream, didReceive bytes: inout MutableRawSpan) {
        guard peer != nil else { return receiveHead(bytes.bytes) }
        var output: [UInt8] = []
        peer?.receive(&bytes, answering: &output, &collector)
        stream.send(copying: output)
        for request in collector.requests { note(.request(request)) }
        collector.requests = []
        if peer?.state == .closed { stream.finish() }
    }

    private func receiveHead(_ bytes: RawSpan) {
        let bytes = Span<UInt8>(_bytes: bytes)
        for index in bytes.indices { head.append(bytes[index]) }
        guard head.suffix(4) == [13, 10, 13, 10] else { return }
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ": ", maxSplits: 1)
            return (name: String(parts[0]), value: String(parts[1]))
        }
        let target = String(lines[0].split(separator: " ")[1])
        note(.upgrade(target: target, authorization: headers.first { $0.name == "Authorization" }?.value))
    }

    func streamDidFinishReading(_ stream: ByteStream) {
        stream.finish()
    }

    func stream(_ stream: ByteStream, didClose error: TransportError?) {
        note(.gone(collector.closeCode))
    }
}

/// What one read of the broker's end brought.
private struct Collector: WebSocketHandler {
    var requests: [Request] = []
    var closeCode: UInt16?

    mutating func received(text: Span<UInt8>) {
        if let request = try? Request.decode(text) { requests.append(request) }
    }

    mutating func received(binary: Span<UInt8>) {}

    mutating func receivedClose(code: UInt16?, reason: Span<UInt8>) {
        closeCode = code
    }
}
