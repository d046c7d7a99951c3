/// How often each bound was hit.
struct LimitHits: Sendable {
    private var counts: [LimitName: UInt64] = [:]

    /// How often this one was.
    subscript(limit: LimitName) -> UInt64 { counts[limit] ?? 0 }

    mutating func count(_ limit: LimitName, _ times: UInt64 = 1) {
        counts[limit, default: 0] += times
    }

    static func += (hits: inout LimitHits, more: LimitHits) {
        hits.counts.merge(more.counts) { $0 + $1 }
    }
}

extension Hub {
    /// Counts a bound that was hit; called on the hub's loop.
    public nonisolated func count(_ limit: LimitName) {
        enter(with: limit) { $0.metrics.limits.count($1) }
    }
}
