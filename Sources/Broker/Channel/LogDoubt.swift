import Reactions

/// When a channel finds out that another broker has applied something else, and how often it reads all for that.
struct LogDoubt: Sendable {
    /// What a broker says of its channel where it doubts: whoever has come to something else doubts as well.
    struct Notice: Sendable, Equatable {
        var writer: UInt64
        var mark: LogMark
    }

    /// Milliseconds between two times that all is read: the shortest time, and the longest one where that did not help.
    static let pause: Int64 = 2_000
    static let longestPause: Int64 = 600_000

    /// What this broker had come to where something differs, until the other brokers are told, and a person.
    private var untold: LogMark?
    private var pause: Int64 = 0
    /// Until when nothing is read for it again, in milliseconds of the channel's clock.
    private var quietUntil: Int64 = 0

    /// Notes where something differs, and what this broker had come to there; says when all is to be read.
    mutating func arise(from mark: LogMark, at clock: Int64) -> Int64 {
        guard clock >= quietUntil else { return quietUntil }
        let isOld = clock &- quietUntil > LogDoubt.longestPause
        pause = isOld ? LogDoubt.pause : min(max(2 * pause, LogDoubt.pause), LogDoubt.longestPause)
        quietUntil = clock + pause
        untold = mark
        return clock
    }

    /// What is to be told; `nil`: nothing.
    mutating func takeUntold() -> LogMark? {
        defer { untold = nil }
        return untold
    }
}

extension LogDoubt.Notice {
    /// The first byte, which nothing else has that brokers say of a channel.
    private static let kind: UInt8 = 3

    /// The form in which it is said.
    var bytes: [UInt8] {
        var output = ByteWriter()
        output.put(byte: Self.kind)
        output.put(writer)
        mark.append(to: &output)
        return output.bytes
    }

    /// Reads the form that ``bytes`` writes; `nil` where it is none.
    init?(bytes: [UInt8]) {
        var reader = ByteReader(bytes: bytes)
        guard reader.byte() == Self.kind, let writer = reader.number(), let mark = LogMark(&reader), reader.isAtEnd
        else { return nil }
        self.init(writer: writer, mark: mark)
    }
}
