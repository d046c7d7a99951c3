internal import Glibc

/// A point in time on the clock that is never set back (`CLOCK_MONOTONIC`).
public struct MonotonicTime: Sendable, Hashable, Comparable {
    /// Nanoseconds since some fixed moment, usually the start of the machine.
    public var nanoseconds: UInt64

    /// A point so many nanoseconds after the clock's origin.
    public init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// A point that is never reached.
    public static let distantFuture = MonotonicTime(nanoseconds: .max)

    /// The time at this moment: a clock reading of about 20 ns; on a loop, `EventLoop.now` costs nothing.
    public static var now: MonotonicTime {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
    }

    /// Whether the first point lies before the second.
    public static func < (first: MonotonicTime, second: MonotonicTime) -> Bool {
        first.nanoseconds < second.nanoseconds
    }

    /// The point so much later; it stops at the ends of the clock.
    public static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        let distance = duration.wholeNanoseconds
        let (sum, overflow) = time.nanoseconds.addingReportingOverflow(UInt64(bitPattern: distance))
        if distance >= 0 { return MonotonicTime(nanoseconds: overflow ? .max : sum) }
        return MonotonicTime(nanoseconds: time.nanoseconds < distance.magnitude ? 0 : sum)
    }

    /// The point so many milliseconds later; none are less, and it stops at the end of the clock.
    public func adding(milliseconds: Int) -> MonotonicTime {
        guard milliseconds > 0 else { return self }
        let (distance, isFar) = UInt64(milliseconds).multipliedReportingOverflow(by: 1_000_000)
        let (sum, overflow) = nanoseconds.addingReportingOverflow(distance)
        return MonotonicTime(nanoseconds: isFar || overflow ? .max : sum)
    }

    /// How much later the first point is than the second; negative when it is earlier.
    public static func - (later: MonotonicTime, earlier: MonotonicTime) -> Duration {
        .nanoseconds(Int64(clamping: later.nanoseconds) &- Int64(clamping: earlier.nanoseconds))
    }
}

extension Duration {
    /// The length in nanoseconds; what does not fit (292 years) becomes the largest or smallest number.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, sumOverflow) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || sumOverflow ? (seconds < 0 ? .min : .max) : sum
    }
}
