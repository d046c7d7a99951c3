import Transport

/// What one webhook has counted.
struct WebhookMetrics: Sendable {
    /// Events that the receiver has taken.
    var delivered: UInt64 = 0
    /// Requests that it has not.
    var failed: UInt64 = 0
    /// Events that were given up because too many waited.
    var dropped: UInt64 = 0
    /// How long the requests took that it answered, in nanoseconds, from 1 ms on.
    var seconds = LogHistogram(upTo: 20)
    /// Events that wait.
    var pending: UInt64 = 0
    /// How old the oldest of them is, in milliseconds.
    var oldestMilliseconds: Int64 = 0

    static func += (sum: inout WebhookMetrics, more: WebhookMetrics) {
        sum.delivered += more.delivered
        sum.failed += more.failed
        sum.dropped += more.dropped
        sum.seconds += more.seconds
        sum.pending += more.pending
        sum.oldestMilliseconds = max(sum.oldestMilliseconds, more.oldestMilliseconds)
    }
}
