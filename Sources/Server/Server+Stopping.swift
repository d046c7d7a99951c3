public import Broker
import Dispatch
import Storage
import Synchronization
import Transport

extension Server {
    /// Ends in order, once; see <doc:Draining>.
    ///
    /// First it says that it is not ready. Then it accepts nobody any more, takes no more requests, finishes those that it
    /// has, tells each connection to come back later, waits until they are gone, commits what waits, and stops.
    ///
    /// - Parameter drain: how long that may take; `nil`: as the settings have it.
    /// - Returns: `false` where changes that were told were not taken by the store, or may not be found in its file again.
    @discardableResult
    public func stop(_ drain: DrainSettings? = nil) -> Bool {
        guard !isStopped.exchange(true, ordering: .relaxed) else { return true }
        let drain = drain ?? context.broker.settings.drain
        context.isLeaving.store(true, ordering: .relaxed)
        if drain.noticeMilliseconds > 0 { giveNotice(.milliseconds(drain.noticeMilliseconds)) }
        context.isDraining.store(true, ordering: .relaxed)
        for hub in context.broker.hubs {
            hub.loop.execute { hub.assumeIsolated { $0.closeListeners() } }
        }
        let deadline = DispatchTime.now() + .milliseconds(drain.withinMilliseconds)
        _ = waitForHubs(until: deadline) { context.broker.drain(drain, done: $0) }
        // What was told before it was committed; a store that takes nothing is given another moment.
        let isWhole = waitForHubs(until: max(deadline, .now() + .seconds(1))) { context.broker.whenCommitted($0) }
        if !isWhole {
            context.log.error(
                "the store was not known to have the last changes in time; those that it has not are lost")
        }
        // What follows ends by itself, and loops that have stopped do not answer.
        watchdog.withLock { $0.take() }?.end()
        sharedLog?.close()
        let fault = store.close()
        if let fault { context.log.error("the store's file is not in order: \(fault.reason)") }
        for loop in loops { loop.stop() }
        return isWhole && fault == nil
    }

    /// Has all hubs begin something, and waits until each has told its end; `false`: the time was over first.
    private func waitForHubs(until deadline: DispatchTime, _ begin: (@escaping @Sendable () -> Void) -> Void) -> Bool {
        let told = DispatchSemaphore(value: 0)
        begin { told.signal() }
        return loops.allSatisfy { _ in told.wait(timeout: deadline) == .success }
    }

    /// Goes on as before while whoever asks for readiness finds out.
    private func giveNotice(_ time: DispatchTimeInterval) {
        _ = noticeEnds.wait(timeout: .now() + time)
    }

    /// Goes on with ``stop(_:)`` where it gives notice; from another thread.
    public func endNotice() {
        noticeEnds.signal()
    }
}
