import Broker
import Dispatch
import Foundation
import Glibc
import Transport

/// The signals of `fanfare serve`; they are blocked in every thread, so whoever waits for them gets them.
enum Signals {
    /// Waits for SIGINT, SIGTERM or SIGHUP.
    static func next() -> CInt {
        var set = set([SIGINT, SIGTERM, SIGHUP])
        while true {
            var signal: CInt = 0
            if unsafe sigwait(&set, &signal) == 0 { return signal }
        }
    }

    /// What a signal that ends the broker is called.
    static func name(of signal: CInt) -> String {
        switch signal {
        case SIGINT: "SIGINT"
        case SIGTERM: "SIGTERM"
        default: "the shared log is another one"
        }
    }

    /// Does a part of the start on another thread, while SIGINT and SIGTERM end the process.
    ///
    /// It may wait for a file, or for NATS.
    static func heard<Value: Sendable, Failure: Error>(
        by log: BrokerLog, during work: @escaping @Sendable () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let outcome = Locked<Result<Value, Failure>?>(nil)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let result = Result { () throws(Failure) in try work() }
            outcome.withLock { $0 = result }
            done.signal()
        }
        while true {
            _ = done.wait(timeout: .now() + .milliseconds(10))
            if let result = outcome.withLock({ $0 }) { return try result.get() }
            var (ending, noPause) = (set([SIGINT, SIGTERM]), timespec())
            let signal = unsafe sigtimedwait(&ending, nil, &noPause)
            guard signal > 0 else { continue }
            log.info("stopping (\(name(of: signal))) before it has begun")
            // Nothing was taken from anybody, and the other thread may wait for long.
            _exit(ExitCode.done)
        }
    }

    private static func set(_ signals: [CInt]) -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        return set
    }
}
