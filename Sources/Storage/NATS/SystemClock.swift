import Glibc

/// The system's clocks, in milliseconds.
enum SystemClock {
    /// A clock that is never set.
    static var now: Int { read(CLOCK_MONOTONIC) }

    /// The time since 1970.
    static var unix: Int { read(CLOCK_REALTIME) }

    private static func read(_ clock: clockid_t) -> Int {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
    }
}
