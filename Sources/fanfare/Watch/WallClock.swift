import Glibc

/// The time of day for people: what it is now, and how far the local zone is from UTC.
struct WallClock {
    /// How many seconds the local zone is ahead of UTC.
    var offset: Int
    /// The present moment in Unix milliseconds.
    var now: @Sendable () -> Int64

    /// The machine's clock and zone.
    static var local: WallClock {
        var seconds = Glibc.time(nil)
        var parts = unsafe tm()
        // Both pointers are to locals and hold for the call.
        unsafe localtime_r(&seconds, &parts)
        return WallClock(offset: unsafe parts.tm_gmtoff) { Int64(Glibc.time(nil)) * 1000 }
    }

    /// A moment as `12:34:56`; without one, now.
    func time(ofDay milliseconds: Int64?) -> String {
        let seconds = (milliseconds ?? now()) / 1000
        let day = (seconds % 86_400 + Int64(offset % 86_400) + 2 * 86_400) % 86_400
        return [day / 3600, day / 60 % 60, day % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
