internal import Transport

/// When a request was due, and when it was really sent; nanoseconds of the monotonic clock.
struct Stamp: Sendable, Equatable {
    var intended: UInt64
    var sent: UInt64
}

/// The stamps of the newest requests by their number, from the loop that sends to the loops that receive.
///
/// It is asked once per event and loop, not once per delivery; so a lock is cheap enough.
final class SendLog: Sendable {
    private struct Ring {
        var stamps: [Stamp]
        /// How many requests were sent; their numbers begin at 0.
        var count: UInt64 = 0
    }

    private let ring: Locked<Ring>

    /// Makes an empty log.
    ///
    /// - Parameter capacity: How many stamps are kept.
    init(capacity: Int) {
        ring = Locked(Ring(stamps: [Stamp](repeating: Stamp(intended: 0, sent: 0), count: max(1, capacity))))
    }

    /// How many stamps a rate needs: those of a minute, from 4,096 to about four million.
    static func capacity(rate: Double) -> Int {
        Int(max(4096, min(rate * 60, 4_194_304)))
    }

    /// Adds the stamp of the next request; it must be called before the request can arrive.
    func append(_ stamp: Stamp) {
        ring.withLock { ring in
            ring.stamps[Int(ring.count % UInt64(ring.stamps.count))] = stamp
            ring.count += 1
        }
    }

    /// The stamp of a request, or `nil` where it was never sent or is too old.
    func stamp(of number: UInt64) -> Stamp? {
        ring.withLock { ring in
            guard number < ring.count, ring.count - number <= UInt64(ring.stamps.count) else { return nil }
            return ring.stamps[Int(number % UInt64(ring.stamps.count))]
        }
    }
}
