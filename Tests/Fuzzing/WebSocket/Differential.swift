import WebSocket

/// Reads streams as another implementation did, and counts where the two differ.
public struct Differential: Sendable {
    /// How many streams were compared.
    public private(set) var count = 0
    /// How many of them the two took, closed in order, and refused.
    public private(set) var open = 0, closed = 0, failed = 0
    /// How many messages and control frames both delivered.
    public private(set) var events = 0
    /// The streams on which the two differ, by number, with what is different; the first hundred.
    public private(set) var differences: [(number: Int, what: String)] = []

    private var buffer: [UInt8] = []

    /// Begins to compare.
    public init() {}

    /// Whether all that came was whole records.
    public var isComplete: Bool { buffer.isEmpty }

    /// Takes the next bytes of the records, cut anywhere.
    ///
    /// - Throws: ``Broken`` where they are no records.
    public mutating func take(_ bytes: [UInt8]) throws(Broken) {
        buffer += bytes
        var start = 0
        while buffer.count - start >= 4 {
            let length = (0..<4).reduce(0) { $0 | Int(buffer[start + $1]) << (8 * $1) }
            guard buffer.count - start - 4 >= length else { break }
            guard let record = StreamRecord(buffer[(start + 4)..<(start + 4 + length)]) else {
                throw Broken("record \(count) has another form")
            }
            compare(record)
            start += 4 + length
        }
        buffer.removeFirst(start)
    }

    private mutating func compare(_ record: StreamRecord) {
        let number = count
        count += 1
        var exchange = Exchange(
            as: record.role,
            limits: WebSocketLimits(
                maxFrameBytes: record.limit, maxMessageBytes: record.limit, maxFragments: .max))
        exchange.feed(record.stream.cut(by: UInt8(1 + number % 255)))
        do throws(Broken) {
            try Self.judge(exchange, record)
        } catch {
            if differences.count < 100 { differences.append((number, error.description)) }
        }
        events += record.events.count
        if exchange.peer.failure != nil {
            failed += 1
        } else if exchange.peer.closeReceived != nil {
            closed += 1
        } else {
            open += 1
        }
    }

    private static func judge(_ exchange: borrowing Exchange, _ record: StreamRecord) throws(Broken) {
        let told = exchange.events.filter { if case .close = $0 { false } else { true } }
        try expectSame(told, record.events, "messages")
        let isFailed = exchange.peer.failure != nil
        let isClosed = exchange.peer.closeReceived != nil
        switch record.end {
        case .open: try expect(!isFailed && !isClosed, "we ended: \(exchange.peer.failure?.description ?? "closed")")
        case .closed: try expect(isClosed && !isFailed, "we did not close in order")
        case .failed: try expect(isFailed, "we did not fail")
        case .openOrFailed: try expect(!isClosed, "we closed")
        }
        var answers = Exchange(as: record.role.other)
        answers.feed([exchange.output])
        let pings = record.events.compactMap { if case .ping(let payload) = $0 { Event.pong(payload) } else { nil } }
        try expectSame(answers.events.filter { if case .close = $0 { false } else { true } }, pings, "pongs")
        if let code = answers.peer.closeReceived {
            try expect(record.codes.contains(code), "we sent \(code), and they one of \(record.codes)")
        } else {
            try expect(record.end == .open || record.end == .openOrFailed, "we sent no close frame")
        }
    }
}
