import Dispatch
import Foundation
import Synchronization
import Transport

/// Says over and over that all loops answer; as long as one of them hangs, it says nothing.
final class Watchdog: Sendable {
    private let loops: [EventLoop]
    private let isOver = Atomic(false)
    /// Signalled once for each answer of a loop, and at the end.
    private let news = DispatchSemaphore(value: 0)

    init(_ loops: [EventLoop]) {
        self.loops = loops
    }

    /// Asks all loops, waits for their answers however long they take, tells, and pauses, until it is ended.
    ///
    /// - Parameters:
    ///   - pause: waits a while; it has the semaphore that is signalled at the end.
    ///   - tell: hears that every loop has answered.
    func run(pause: (DispatchSemaphore) -> Void, tell: () -> Void) {
        while true {
            for loop in loops { loop.execute { [news] in news.signal() } }
            for _ in loops {
                news.wait()
                if isOver.load(ordering: .acquiring) { return }
            }
            tell()
            pause(news)
            if isOver.load(ordering: .acquiring) { return }
        }
    }

    /// Ends ``run(pause:tell:)``; from another thread.
    func end() {
        isOver.store(true, ordering: .releasing)
        news.signal()
    }
}

extension Server {
    /// Calls `tell` again and again, from a thread of its own, until the server stops; while one of its loops hangs, it
    /// does not.
    ///
    /// - Parameters:
    ///   - interval: the time from one call to the next, where no loop hangs.
    ///   - tell: what passes it on to whoever would start the broker again.
    public func tellWhileAlive(every interval: Duration, _ tell: @escaping @Sendable () -> Void) {
        let watchdog = Watchdog(loops)
        let before = self.watchdog.withLock { running in
            defer { running = watchdog }
            return running
        }
        before?.end()
        let pause = DispatchTimeInterval.microseconds(Int(clamping: Int64(interval / .microseconds(1))))
        Thread.detachNewThread {
            watchdog.run(pause: { _ = $0.wait(timeout: .now() + pause) }, tell: tell)
        }
    }
}
