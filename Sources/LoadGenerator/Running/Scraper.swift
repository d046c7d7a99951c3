internal import Transport

/// Reads a server's metrics now and then: how many bytes wait in its queues.
final class Scraper {
    /// What a page of metrics may be long at most.
    private static let limit = 1 << 20

    private let loop: EventLoop
    private let bound: LoopBound<Fetcher>

    /// Starts a loop of its own.
    ///
    /// - Parameters:
    ///   - address: Where the metrics are; it is looked up here, which blocks.
    ///   - tell: Is given the sum of all samples whose names speak of queued or outbound bytes.
    /// - Throws: Where the address cannot be looked up, or there is no descriptor left.
    init(_ address: MetricsAddress, tell: @escaping @Sendable (UInt64) -> Void) throws(TransportError) {
        let addresses = try SocketAddress.parse(address.authority).resolved()
        loop = try EventLoop(name: "metrics")
        bound = LoopBound(Fetcher(address, addresses, loop, limit: Scraper.limit, tell), on: loop)
        loop.start()
    }

    /// Asks once more, unless an answer is still awaited.
    func ask() { bound.run { $0.ask() } }

    /// Ends it.
    func stop() { loop.stop() }

    /// The sum of the samples that tell how much waits, in Prometheus' text format; `nil` where there is none.
    static func queueBytes(in text: String) -> UInt64? {
        var sum: Double?
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
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
    private let tell: @Sendable (UInt64) -> Void
    private var stream: ByteStream?
    private var page: [UInt8] = []

    init(
        _ address: MetricsAddress, _ addresses: [SocketAddress], _ loop: EventLoop, limit: Int,
        _ tell: @escaping @Sendable (UInt64) -> Void
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
        stream = try? ByteStream.connect(
            toFirstOf: addresses, serverName: address.authority, on: loop, limit: .seconds(2), delegate: self)
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
        if let bytes = Scraper.queueBytes(in: String(decoding: page, as: UTF8.self)) { tell(bytes) }
    }
}
