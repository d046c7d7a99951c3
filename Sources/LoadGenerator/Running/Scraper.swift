internal import Transport

/// Reads a server's metrics now and then: how many bytes wait in its queues.
final class Scraper {
    /// What a page of metrics may be long at most.
    private static let limit = 1 << 20

    /// What came of a question.
    enum Answer: Sendable, Equatable {
        /// So many bytes wait: the sum of all samples whose names speak of it.
        case waiting(UInt64)
        /// There is a page, and nothing of it speaks of what waits.
        case silent
        /// There is no page; says why.
        case unreadable(String)
    }

    private let loop: EventLoop
    private let bound: LoopBound<Fetcher>

    /// Starts a loop of its own.
    ///
    /// - Parameters:
    ///   - address: Where the metrics are; it is looked up here, which blocks.
    ///   - tell: Is given what came of each question.
    /// - Throws: Where the address cannot be looked up, or there is no descriptor left.
    init(_ address: MetricsAddress, tell: @escaping @Sendable (Answer) -> Void) throws(TransportError) {
        let addresses = try SocketAddress.parse(address.authority).resolved()
        loop = try EventLoop(name: "metrics")
        bound = LoopBound(Fetcher(address, addresses, loop, limit: Scraper.limit, tell), on: loop)
        loop.start()
    }

    /// Asks once more, unless an answer is still awaited.
    func ask() { bound.run { $0.ask() } }

    /// Ends it.
    func stop() { loop.stop() }

    /// Asks once, and waits for the answer for some seconds.
    ///
    /// - Throws: A ``LoadError`` where the metrics would tell nothing during the run either.
    static func check(_ address: MetricsAddress) throws(LoadError) {
        let url = "http://\(address.authority)\(address.path)"
        let inbox = Inbox<Answer>()
        let scraper: Scraper
        do {
            scraper = try Scraper(address) { inbox.post($0) }
        } catch {
            throw .contradiction("--metrics: \(url) cannot be read: \(error)")
        }
        defer { scraper.stop() }
        scraper.ask()
        let deadline = Clock.now() + 10_000_000_000
        var answers: [Answer] = []
        while answers.isEmpty, Clock.now() < deadline { answers = inbox.take(until: deadline) }
        switch answers.first ?? .unreadable("it does not answer") {
        case .waiting: break
        case .silent:
            throw .contradiction(
                "--metrics: nothing at \(url) tells what waits in queues: no gauge's name holds queue, outbound or backlog"
            )
        case .unreadable(let why): throw .contradiction("--metrics: \(url) cannot be read: \(why)")
        }
    }

    /// What a whole answer of HTTP/1.1 says.
    static func answer(in page: String) -> Answer {
        let status = page.prefix { $0 != "\r\n" && $0 != "\n" }.split(separator: " ")
        guard status.count >= 2, status[0].hasPrefix("HTTP/1.") else {
            return .unreadable("it does not answer by HTTP")
        }
        guard status[1] == "200" else { return .unreadable("it answers with \(status[1])") }
        guard let head = page.firstRange(of: "\r\n\r\n") else {
            return .unreadable("its answer has no end of the head")
        }
        return queueBytes(in: String(page[head.upperBound...])).map(Answer.waiting) ?? .silent
    }

    /// The sum of the samples that tell how much waits, in Prometheus' text format; `nil` where there is none.
    static func queueBytes(in text: String) -> UInt64? {
        var sum: Double?
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            let name = line.prefix { $0 != " " && $0 != "{" }
            guard ["queue", "outbound", "backlog"].contains(where: { name.contains($0) }),
                !["_bucket", "_count", "_sum", "_total"].contains(where: { name.hasSuffix($0) }),
                let value = line.split(separator: " ").last.flatMap({ Double($0) }), value.isFinite, value >= 0
            else { continue }
            sum = (sum ?? 0) + value
        }
        return sum.map { UInt64(min($0, 1e18)) }
    }
}

/// Makes one request at a time.
private final class Fetcher: ByteStreamDelegate {
    private let address: MetricsAddress
    private let addresses: [SocketAddress]
    private let loop: EventLoop
    private let limit: Int
    private let tell: @Sendable (Scraper.Answer) -> Void
    private var stream: ByteStream?
    private var page: [UInt8] = []

    init(
        _ address: MetricsAddress, _ addresses: [SocketAddress], _ loop: EventLoop, limit: Int,
        _ tell: @escaping @Sendable (Scraper.Answer) -> Void
    ) {
        self.address = address
        self.addresses = addresses
        self.loop = loop
        self.limit = limit
        self.tell = tell
    }

    func ask() {
        guard stream == nil else { return }
        page = []
        do {
            stream = try ByteStream.connect(
                toFirstOf: addresses, serverName: address.authority, on: loop, limit: .seconds(2), delegate: self)
        } catch {
            tell(.unreadable("\(error)"))
        }
    }

    func streamDidConnect(_ stream: ByteStream) {
        let head = "GET \(address.path) HTTP/1.1\r\nHost: \(address.authority)\r\nConnection: close\r\n\r\n"
        stream.send(copying: Array(head.utf8))
    }

    func stream(_ stream: ByteStream, didReceive bytes: inout MutableRawSpan) {
        let span = Span<UInt8>(_bytes: bytes.bytes)
        for index in span.indices where page.count < limit { page.append(span[index]) }
    }

    func streamDidFinishReading(_ stream: ByteStream) { stream.finish() }

    func stream(_ stream: ByteStream, didClose error: TransportError?) {
        self.stream = nil
        if let error, page.isEmpty { return tell(.unreadable("\(error)")) }
        tell(
            page.isEmpty
                ? .unreadable("it ends the connection") : Scraper.answer(in: String(decoding: page, as: UTF8.self)))
    }
}
