import Transport

/// A timer that runs a closure.
final class Alarm: TimerHandler {
    private let ring: () -> Void

    init(_ ring: @escaping () -> Void) {
        self.ring = ring
    }

    func timerFired(_ now: MonotonicTime) {
        ring()
    }
}
