import Transport

/// Since when a channel's batch of changes is on its way into the log that brokers share.
///
/// It has come to its end when it stands there: where the log says so, or where it comes back and that answer was lost.
struct BatchTimer: Sendable {
    private var batch: (number: UInt64, began: MonotonicTime)?

    /// A batch begins; one without operations, which only finds out whether the log takes any, is not timed.
    mutating func begin(_ number: UInt64, operations: Int, at time: MonotonicTime) {
        batch = operations > 0 ? (number, time) : nil
    }

    /// The log has said that a batch stands there: since when it was on its way, where that is not known already.
    mutating func answered(_ number: UInt64) -> MonotonicTime? {
        batch?.number == number ? returned() : nil
    }

    /// The batch on its way has come back: since when it was on its way, where that is not known already.
    mutating func returned() -> MonotonicTime? {
        defer { batch = nil }
        return batch?.began
    }
}
