private import Glibc
internal import Transport

/// The clocks that a run is measured with, in nanoseconds.
enum Clock {
    /// The monotonic clock, which the transport's times are of too.
    static func now() -> UInt64 { MonotonicTime.now.nanoseconds }

    /// The processor time of the calling thread.
    static func threadCPU() -> UInt64 { read(CLOCK_THREAD_CPUTIME_ID) }

    /// The processor time of the process.
    static func processCPU() -> UInt64 { read(CLOCK_PROCESS_CPUTIME_ID) }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        // The kernel writes one timespec into our own.
        unsafe clock_gettime(clock, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}

extension Duration {
    /// Whole nanoseconds, at least 0.
    var nanoseconds: UInt64 {
        UInt64(max(0, self / .nanoseconds(1)))
    }
}
