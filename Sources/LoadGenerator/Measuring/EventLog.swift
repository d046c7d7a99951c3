/// The stamps of a channel's newest events by seq, as one loop has seen them.
///
/// The first delivery of an event on a loop is decoded and entered here; all others of it cost a look-up.
struct EventLog: Sendable {
    private var stamps: [Stamp?]
    /// The newest event that was seen.
    private(set) var newest: UInt64 = 0
    /// The number of the newest request seen of each publisher.
    private var numbers: [Int: UInt64] = [:]

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

    /// How many events a channel of a plan needs: those of about a minute, fewer where there are very many channels.
    static func capacity(_ plan: Plan) -> Int {
        let share =
            Double(SendLog.capacity(rate: plan.profile.peak)) / (plan.scenario.isMixed ? 1 : Double(plan.channels))
        return Int(max(256, min(share, 16_777_216 / Double(plan.channels))))
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

    /// The number of the request behind an event that is seen for the first time, which has to be entered then.
    ///
    /// Each of a publisher's requests that changes something yields one event, in order; so an event that carries no
    /// number has the next one, as long as none was missed.
    ///
    /// - Parameters:
    ///   - seq: The event's.
    ///   - carried: The number in its data.
    ///   - publisher: Whose it is.
    ///   - step: The distance between two numbers of one publisher.
    /// - Returns: The number, or `nil` where it cannot be told.
    mutating func number(at seq: UInt64, carried: UInt64?, by publisher: Int, step: Int) -> UInt64? {
        if newest > 0, seq != newest + 1 { numbers.removeAll(keepingCapacity: true) }
        guard let number = carried ?? numbers[publisher].map({ $0 &+ UInt64(step) }) else { return nil }
        numbers[publisher] = number
        return number
    }
}
