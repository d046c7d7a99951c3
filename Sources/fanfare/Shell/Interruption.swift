import Glibc
import Transport

/// Has SIGINT, SIGTERM and SIGHUP end the command: the first one in order, one that comes later at once.
///
/// They are heard on a loop of their own, which nothing else can hold up. A signal within half a second of the first is
/// taken for the same one: `timeout` sends it to the process and to its group.
///
/// - Parameter end: Begins to end in order; it is told the signal.
/// - Throws: `TransportError` where the system has no descriptor left.
func onInterruption(_ end: @escaping @Sendable (CInt) -> Void) throws(TransportError) {
    let loop = try EventLoop(name: "signals")
    let first = Locked<MonotonicTime?>(nil)
    // The loop keeps the source, and its thread the loop, until the process ends.
    _ = try SignalSource(on: loop, signals: [SIGINT, SIGTERM, SIGHUP]) { signal in
        let now = MonotonicTime.now
        let before = first.withLock { first in
            defer { first = first ?? now }
            return first
        }
        guard let before else { return end(signal) }
        if now - before > .milliseconds(500) { exit(128 + signal) }
    }
    loop.start()
}
