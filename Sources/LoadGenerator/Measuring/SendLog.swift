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
    private struct Slot {
        var number = UInt64.max
        var cell: UInt64 = 0
        var stamp = Stamp(intended: 0, sent: 0)
    }

    private let slots: Locked<[Slot]>

    /// Makes an empty log.
    ///
    /// - Parameter capacity: How many stamps are kept; requests whose numbers differ by it take each other's place.
    init(capacity: Int) {
        slots = Locked([Slot](repeating: Slot(), count: max(1, capacity)))
    }

    /// How many stamps a rate needs: those of a minute, from 4,096 to about four million.
    static func capacity(rate: Double) -> Int {
        Int(max(4096, min(rate * 60, 4_194_304)))
    }

    /// Notes a request; it must be called before the request can arrive.
    ///
    /// - Parameters:
    ///   - number: The request's number, never used before.
    ///   - cell: What it changes, so that another request's event is not taken for its own.
    ///   - stamp: When it was due and sent.
    func note(_ number: UInt64, cell: UInt64, _ stamp: Stamp) {
        slots.withLock { slots in
            slots[Int(number % UInt64(slots.count))] = Slot(number: number, cell: cell, stamp: stamp)
        }
    }

    /// The stamp of a request, or `nil` where it was never sent, is too old, or changed something else.
    func stamp(of number: UInt64, cell: UInt64) -> Stamp? {
        slots.withLock { slots in
            let slot = slots[Int(number % UInt64(slots.count))]
            return slot.number == number && slot.cell == cell ? slot.stamp : nil
        }
    }
}
