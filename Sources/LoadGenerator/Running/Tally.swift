/// What one group of connections has counted since it was last asked.
struct Tally: Sendable {
    var opened: UInt64 = 0
    var failed: UInt64 = 0
    /// Ended without our asking.
    var dropped: UInt64 = 0
    /// Ended on purpose.
    var left: UInt64 = 0

    var requests: UInt64 = 0
    var acked: UInt64 = 0

    var delivered: UInt64 = 0
    var untimed: UInt64 = 0
    var duplicates: UInt64 = 0
    var reordered: UInt64 = 0
    var lagged: UInt64 = 0
    var afterUnsubscribe: UInt64 = 0

    /// Resuming: as asked, not as asked, and how many events came again that way.
    var recovered: UInt64 = 0
    var refused: UInt64 = 0
    var replayed: UInt64 = 0

    /// Numbers in events that could be compared with what they must be, and how many were something else.
    var eventCountsCompared: UInt64 = 0
    var eventCountsWrong: UInt64 = 0

    /// Of readers that are slow on purpose.
    var slowLagged: UInt64 = 0
    var slowClosed: UInt64 = 0
    /// Half-open connections that the server has ended.
    var halfOpenEnded: UInt64 = 0

    /// Microseconds, as all distributions here; see ``Metric`` for where each begins and ends.
    var latency = Histogram()
    var latencyFromSend = Histogram()
    var ack = Histogram()
    var welcome = Histogram()
    var reconnect = Histogram()
    var lag = Histogram()

    /// How often each error happened, by the broker's code or a word of our own.
    var errors: [String: UInt64] = [:]
    /// How often the server ended a connection with each close code.
    var closeCodes: [UInt16: UInt64] = [:]

    /// How many connections are open, as far as this tally goes.
    var connected: Int { Int(opened) - Int(dropped) - Int(left) }

    var errorCount: UInt64 { errors.values.reduce(0, +) }

    /// Whether nothing was counted.
    var isEmpty: Bool {
        Tally.numbers.allSatisfy { self[keyPath: $0] == 0 } && errors.isEmpty && closeCodes.isEmpty
    }

    /// Counts an error.
    mutating func count(_ error: String) {
        // What a broker sends decides these words in part; their number stays bounded.
        let name = errors[error] != nil || errors.count < 100 ? error : "other"
        errors[name, default: 0] += 1
    }

    /// Adds what another one has counted.
    mutating func merge(_ other: Tally) {
        for number in Tally.numbers { self[keyPath: number] += other[keyPath: number] }
        for histogram in Tally.histograms { self[keyPath: histogram].merge(other[keyPath: histogram]) }
        errors.merge(other.errors, uniquingKeysWith: +)
        closeCodes.merge(other.closeCodes, uniquingKeysWith: +)
    }

    /// Gives all that was counted and begins anew.
    mutating func take() -> Tally {
        defer { self = Tally() }
        return self
    }

    /// The numbers that simply add up.
    private static var numbers: [WritableKeyPath<Tally, UInt64>] {
        [
            \.opened, \.failed, \.dropped, \.left, \.requests, \.acked, \.delivered, \.untimed, \.duplicates,
            \.reordered, \.lagged, \.afterUnsubscribe, \.recovered, \.refused, \.replayed, \.slowLagged, \.slowClosed,
            \.halfOpenEnded, \.eventCountsCompared, \.eventCountsWrong,
        ]
    }

    private static var histograms: [WritableKeyPath<Tally, Histogram>] {
        [\.latency, \.latencyFromSend, \.ack, \.welcome, \.reconnect, \.lag]
    }
}
