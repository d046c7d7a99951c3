/// What one group of connections has counted since it was last asked.
struct Tally: Sendable {
    var opened: UInt64 = 0
    var failed: UInt64 = 0
    var dropped: UInt64 = 0

    var requests: UInt64 = 0
    var acked: UInt64 = 0

    var delivered: UInt64 = 0
    var untimed: UInt64 = 0
    var duplicates: UInt64 = 0
    var reordered: UInt64 = 0
    var lagged: UInt64 = 0

    /// Microseconds, as all distributions here; see ``Metric`` for where each begins and ends.
    var latency = Histogram()
    var latencyFromSend = Histogram()
    var ack = Histogram()
    var welcome = Histogram()
    var lag = Histogram()

    /// How often each error happened, by the broker's code or a word of our own.
    var errors: [String: UInt64] = [:]

    /// How many connections are open, as far as this tally goes.
    var connected: Int { Int(opened) - Int(dropped) }

    var errorCount: UInt64 { errors.values.reduce(0, +) }

    /// Counts an error.
    mutating func count(_ error: String) {
        // What a broker sends decides these words in part; their number stays bounded.
        let name = errors[error] != nil || errors.count < 100 ? error : "other"
        errors[name, default: 0] += 1
    }

    /// Adds what another one has counted.
    mutating func merge(_ other: Tally) {
        opened += other.opened
        failed += other.failed
        dropped += other.dropped
        requests += other.requests
        acked += other.acked
        delivered += other.delivered
        untimed += other.untimed
        duplicates += other.duplicates
        reordered += other.reordered
        lagged += other.lagged
        latency.merge(other.latency)
        latencyFromSend.merge(other.latencyFromSend)
        ack.merge(other.ack)
        welcome.merge(other.welcome)
        lag.merge(other.lag)
        errors.merge(other.errors, uniquingKeysWith: +)
    }

    /// Gives all that was counted and begins anew.
    mutating func take() -> Tally {
        defer { self = Tally() }
        return self
    }
}
