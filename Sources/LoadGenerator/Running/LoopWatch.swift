internal import Transport

/// Notices how long the thread of a loop was held up: by its own work, or because the process was stopped or got no processor.
///
/// Its time is due every 100 ms, so a pause is told short by that much at most, in whatever the loop was doing.
final class LoopWatch: TimerHandler {
    private static let period = Duration.milliseconds(100)

    private unowned let loop: EventLoop
    private var due = UInt64.max
    private var worst: UInt64 = 0

    init(on loop: EventLoop) {
        self.loop = loop
    }

    /// Begins to watch; on the loop.
    func begin() {
        due = Clock.now() + LoopWatch.period.nanoseconds
        loop.schedule(self, after: LoopWatch.period)
    }

    /// The longest that the loop was late since the last call, in nanoseconds; a time that is overdue counts.
    func take(at now: UInt64 = Clock.now()) -> UInt64 {
        note(now)
        defer { worst = 0 }
        return worst
    }

    func timerFired(_ now: MonotonicTime) {
        note(Clock.now())
        begin()
    }

    private func note(_ now: UInt64) {
        guard now > due else { return }
        worst = max(worst, now - due)
        // What is told now must not be told again when the timer fires.
        due = now
    }
}
