internal import Reactions

/// The newest events of a channel as one loop has first seen them, to compare with what other readers are sent.
///
/// Nothing in an event depends on who reads it (PROTOCOL.md section 4), so most are the same bytes for all; where they are not,
/// the numbers have to be the same. Each reader compares every eighth event, others at each reader.
struct EventFrames: Sendable {
    /// Of so many events a reader compares one.
    static let every: UInt64 = 8

    private let capacity: Int
    private var seqs: [UInt64] = []
    private var texts: [[UInt8]] = []
    private var changes: [Change] = []

    /// Makes an empty log.
    ///
    /// - Parameter channels: How many of them there are; the more, the fewer events each keeps.
    init(channels: Int) {
        capacity = max(1, min(64, 4096 / max(1, channels)))
    }

    /// Keeps an event that was seen for the first time, in place of the oldest.
    mutating func enter(_ change: Change, _ text: Span<UInt8>) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        for index in text.indices { bytes.append(text[index]) }
        let place = Int(change.seq % UInt64(capacity))
        while seqs.count <= place {
            seqs.append(0)
            texts.append([])
            changes.append(change)
        }
        seqs[place] = change.seq
        texts[place] = bytes
        changes[place] = change
    }

    /// Whether it is a reader's turn to compare an event.
    static func isTurn(_ seq: UInt64, ofReader number: Int) -> Bool {
        (seq &+ UInt64(truncatingIfNeeded: number)) % every == 0
    }

    /// The event that was kept of a seq, where its bytes are others; `nil` where they are the same, or none are kept.
    func other(than text: Span<UInt8>, at seq: UInt64) -> Change? {
        let place = Int(seq % UInt64(capacity))
        guard place < seqs.count, seqs[place] == seq else { return nil }
        let kept = texts[place]
        return kept.span.isSame(as: text) ? nil : changes[place]
    }
}

extension Change {
    /// How many of another event's numbers are not these; the two should be the same event.
    func differences(from other: Change) -> UInt64 {
        guard numbers.count == other.numbers.count else { return 1 }
        return UInt64(zip(numbers, other.numbers).count { $0 != $1 })
    }

    /// The counts, users and total, in a fixed order.
    private var numbers: [UInt64] {
        let groups: [GroupCount] =
            switch kind {
            case .added(let group, _, _), .removed(let group, _), .updated(let group, _): [group]
            case .replaced(let group, let previous, _): [group, previous]
            case .cleared(let groups, _, _, _, _, _): groups
            }
        return groups.flatMap { [$0.count, $0.users] } + [total]
    }
}
