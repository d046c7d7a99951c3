#if !FANFARE_URLSESSION
public import Transport

/// What clients live on: one thread that everything of theirs runs on.
public typealias ClientLoop = EventLoop

extension EventLoop {
    /// The loop that all clients of the process share, unless they are given one.
    static let ofClients: Result<EventLoop, ClientError> = {
        do throws(TransportError) {
            let loop = try EventLoop(name: "fanfare-client")
            loop.start()
            return .success(loop)
        } catch {
            return .failure(ClientError(.transport, "no event loop could be made: \(error)"))
        }
    }()

    /// The time at which this turn began, since some fixed moment; on the loop only.
    var time: Duration { now.sinceOrigin }

    /// Calls the action after so long; on the loop only.
    func call(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> ClientTimer {
        ClientTimer(token: schedule(DeadlineTimer(action), after: delay))
    }

    /// Has a call not come; on the loop only.
    func cancel(_ timer: ClientTimer) {
        cancel(timer.token)
    }
}

extension MonotonicTime {
    /// The time since the clock's origin.
    var sinceOrigin: Duration { .nanoseconds(Int64(clamping: nanoseconds)) }
}

/// A call that a loop was asked for.
struct ClientTimer {
    fileprivate var token: TimerToken
}

/// A timer that calls a closure.
private final class DeadlineTimer: TimerHandler {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    func timerFired(_ now: MonotonicTime) {
        action()
    }
}
#endif
