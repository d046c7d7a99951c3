private import Glibc

/// The clocks that a run is measured with, in nanoseconds.
enum Clock {
    /// The monotonic clock.
    static func now() -> UInt64 { read(CLOCK_MONOTONIC) }

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
