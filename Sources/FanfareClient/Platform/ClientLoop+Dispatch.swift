#if FANFARE_URLSESSION
import Foundation

/// What clients live on: a serial queue that everything of theirs runs on.
public final class ClientLoop: SerialExecutor {
    let queue: DispatchQueue

    /// The loop that all clients of the process share, unless they are given one.
    static let ofClients: Result<ClientLoop, ClientError> = .success(ClientLoop(name: "fanfare-client"))

    /// Makes a loop with a name for debuggers.
    public init(name: String) {
        queue = DispatchQueue(label: name, qos: .userInitiated)
    }

    /// Takes a job of an actor that lives on this loop; the Swift runtime calls it.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// The loop as what runs an actor's jobs.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    /// Stops the program unless the caller runs on the loop's queue.
    public func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }

    /// Runs the closure on the loop; from any thread.
    func execute(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    /// The time since some fixed moment.
    var time: Duration { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }

    /// Calls the action after so long.
    func call(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> ClientTimer {
        let item = DispatchWorkItem(block: action)
        let milliseconds = Int(clamping: max(delay, .zero).milliseconds.addingReportingOverflow(1).partialValue)
        queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds), execute: item)
        return ClientTimer(item: item)
    }

    /// Has a call not come.
    func cancel(_ timer: ClientTimer) {
        timer.item.cancel()
    }
}

/// A call that a loop was asked for.
struct ClientTimer {
    fileprivate let item: DispatchWorkItem
}
#endif
