/// What a part of a log says of itself: whether those who wrote it had come to what it comes to.
///
/// Where the newest of them had not, they were told something else than what was read. Where nobody had in a long part of
/// it, something that all of them had applied is not there: the log was let go of up to a newer snapshot than the one that
/// reading began with.
public struct LogReview: Sendable {
    /// So many batches by writers who had all applied something that is not there are no accident of some broker's.
    ///
    /// A log that was let go of up to a snapshot has more than that.
    private static let certain = 256

    private var progress: LogProgress
    /// How many batches there are since the first one whose writer had applied something that is not there.
    private var sinceGap = 0
    /// Whether the writer of the newest batch that can be compared had come to something else.
    public private(set) var isContradicted = false

    /// Begins behind what is known.
    public init(from start: LogProgress) {
        progress = start
    }

    /// Whether something is missing between where reading began and what is there.
    public var hasGap: Bool { sinceGap >= LogReview.certain }

    /// Goes on to an entry; `nil`: it is no batch.
    public mutating func pass(_ batch: LogBatch?, as bytes: [UInt8], at position: UInt64) {
        guard let batch else { return progress.skip(to: position) }
        let newest = progress.chain.newest.position
        guard progress.advance(to: batch, as: bytes, at: position) else { return }
        for entry in batch.entries { _ = progress.time(of: entry) }
        compare(batch.seen, after: newest)
        if sinceGap > 0 { sinceGap += 1 }
    }

    private mutating func compare(_ seen: LogMark, after newest: UInt64) {
        switch progress.agrees(with: seen) {
        case nil: break
        case true?: (isContradicted, sinceGap) = (false, 0)
        case false?:
            isContradicted = true
            if sinceGap == 0, seen.position > newest { sinceGap = 1 }
        }
    }
}
