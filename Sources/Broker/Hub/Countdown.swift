import Transport

/// Does something once when it has been counted down to 0; from any thread.
final class Countdown: Sendable {
    private let left: Locked<Int>
    private let work: @Sendable () -> Void

    /// Makes one that is to be counted down so often; at least once.
    init(_ count: Int, then work: @escaping @Sendable () -> Void) {
        left = Locked(count)
        self.work = work
    }

    /// Counts down by one, and does the work where it was the last.
    func count() {
        let isLast = left.withLock { left in
            left -= 1
            return left == 0
        }
        if isLast { work() }
    }
}
