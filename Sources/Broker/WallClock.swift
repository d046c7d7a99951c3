import Glibc

/// The time in Unix milliseconds.
public func wallClockMilliseconds() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}

/// One turn's time, as channels and sessions see it.
struct Moment: Sendable {
    /// Unix milliseconds: what is told and kept.
    var unix: Int64
    /// Milliseconds of a clock that is never set: what intervals are measured by.
    var clock: Int64
}
