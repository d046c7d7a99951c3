/// What one subscriber has seen of its channel's seqs, which must be every one, once, in order.
///
/// PROTOCOL.md section 3, subscribe: what follows starts at `seq` + 1; no change is missing, none comes twice, and order
/// is by seq.
struct SequenceChecker: Sendable {
    /// How an event fits in.
    enum Verdict: Sendable, Equatable {
        /// The next one.
        case next
        /// Later than the next one: so many before it have not come.
        case gap(UInt64)
        /// One that was missing, after a later one.
        case late
        /// One that came before, or that lies before the subscription.
        case duplicate
    }

    /// How many gaps are remembered; of more, the oldest is given up and stays lost.
    static let maxGaps = 64

    /// The seq after the highest one seen.
    private(set) var next: UInt64
    /// The first seq that was expected.
    let first: UInt64
    private var gaps: [ClosedRange<UInt64>] = []
    private var givenUp: UInt64 = 0

    /// Starts after a `subscribed`.
    ///
    /// - Parameter subscribed: The `seq` that it carried.
    init(subscribed: UInt64) {
        first = subscribed &+ 1
        next = first
    }

    /// Takes in an event.
    mutating func see(_ seq: UInt64) -> Verdict {
        if seq == next {
            next = seq &+ 1
            return .next
        }
        if seq > next {
            let missing = next...(seq - 1)
            remember(missing)
            next = seq &+ 1
            return .gap(UInt64(missing.count))
        }
        return fill(seq) ? .late : .duplicate
    }

    /// Takes in that the broker said what it left out, with a `lagged` or a `subscribed`: all up to `seq` stays lost.
    ///
    /// - Returns: How many that is.
    mutating func skip(through seq: UInt64) -> UInt64 {
        guard seq >= next else { return 0 }
        let missing = next...seq
        remember(missing)
        next = seq &+ 1
        return UInt64(missing.count)
    }

    /// Takes in that the broker said what it left out, to a reader that was slow on purpose: only what lies before `from`
    /// is missing.
    ///
    /// - Returns: How many it left out.
    mutating func jump(from: UInt64, through seq: UInt64) -> UInt64 {
        guard seq >= next else { return 0 }
        if from > next { remember(next...min(from - 1, seq)) }
        let announced = seq >= from ? seq - max(from, next) + 1 : 0
        next = seq &+ 1
        return announced
    }

    /// How many events up to and including `last` have not come.
    func missing(through last: UInt64) -> UInt64 {
        overtaken(through: last) + (last >= next ? last - next + 1 : 0)
    }

    /// How many of them have not come although later ones have: they will not come any more.
    func overtaken(through last: UInt64) -> UInt64 {
        var count = givenUp
        for gap in gaps where gap.lowerBound <= last {
            count += min(gap.upperBound, last) - gap.lowerBound + 1
        }
        return count
    }

    private mutating func remember(_ gap: ClosedRange<UInt64>) {
        if gaps.count == SequenceChecker.maxGaps {
            let oldest = gaps.removeFirst()
            givenUp += oldest.upperBound - oldest.lowerBound + 1
        }
        gaps.append(gap)
    }

    /// Takes one seq out of the gaps.
    private mutating func fill(_ seq: UInt64) -> Bool {
        guard let index = gaps.firstIndex(where: { $0.contains(seq) }) else { return false }
        let gap = gaps.remove(at: index)
        if seq < gap.upperBound { gaps.insert(seq + 1...gap.upperBound, at: index) }
        if seq > gap.lowerBound { gaps.insert(gap.lowerBound...seq - 1, at: index) }
        return true
    }
}
