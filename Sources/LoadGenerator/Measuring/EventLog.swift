/// The stamps of a channel's newest events by seq, as one loop has seen them.
///
/// The first delivery of an event on a loop is decoded and entered here; all others of it cost a look-up.
struct EventLog: Sendable {
    private var stamps: [Stamp?]
    private var newest: UInt64 = 0
    /// The number of the removal that will follow the newest addition, by publisher.
    private var removals: [Int: UInt64] = [:]

    /// What is known of a seq.
    enum Entry: Sendable, Equatable {
        /// Nobody on this loop has seen it yet, or it fell out: decode the event and ``EventLog/enter(_:at:)`` it.
        case unseen
        /// It is no event of this run, or its stamp is gone.
        case unstamped
        /// It was sent then.
        case stamped(Stamp)
    }

    /// Makes an empty log.
    ///
    /// - Parameter capacity: How many events are kept.
    init(capacity: Int) {
        stamps = [Stamp?](repeating: nil, count: max(1, capacity))
    }

    /// Looks a seq up.
    subscript(_ seq: UInt64) -> Entry {
        if seq > newest { return .unseen }
        guard newest - seq < UInt64(stamps.count) else { return .unstamped }
        return stamps[Int(seq % UInt64(stamps.count))].map(Entry.stamped) ?? .unstamped
    }

    /// Enters the stamp of an event that was seen for the first time.
    mutating func enter(_ stamp: Stamp?, at seq: UInt64) {
        guard seq > newest else { return }
        // What lies between has not been seen, and must not be mistaken for what stood there a round ago.
        let first = newest + 1
        for skipped in max(first, seq - min(seq, UInt64(stamps.count)))..<seq {
            stamps[Int(skipped % UInt64(stamps.count))] = nil
        }
        stamps[Int(seq % UInt64(stamps.count))] = stamp
        newest = seq
    }

    /// Notes that the next event of a publisher takes away what was added, and carries no number itself.
    mutating func expectRemoval(number: UInt64, by publisher: Int) {
        removals[publisher] = number
    }

    /// The number of a publisher's removal, once.
    mutating func takeRemoval(by publisher: Int) -> UInt64? {
        removals.removeValue(forKey: publisher)
    }
}
