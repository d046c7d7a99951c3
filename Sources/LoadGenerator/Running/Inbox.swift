private import Dispatch
internal import Transport

/// What the loops tell the thread that directs a run, which waits for it here.
final class Inbox<Notice: Sendable>: Sendable {
    private let notices = Locked<[Notice]>([])
    private let arrival = DispatchSemaphore(value: 0)

    /// Leaves a notice, from any thread.
    func post(_ notice: Notice) {
        notices.withLock { $0.append(notice) }
        arrival.signal()
    }

    /// Waits until there is a notice, or a time has come, and takes all there are.
    ///
    /// - Parameter deadline: Nanoseconds of the monotonic clock.
    /// - Returns: The notices in order; none where the time has come, and now and then without a reason.
    func take(until deadline: UInt64) -> [Notice] {
        let now = Clock.now()
        if deadline > now {
            _ = arrival.wait(timeout: .now() + .nanoseconds(Int(clamping: deadline - now)))
        }
        return notices.withLock { notices in
            defer { notices = [] }
            return notices
        }
    }
}
