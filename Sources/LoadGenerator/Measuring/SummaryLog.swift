/// What a summary says, of the messages and reactions of a run.
struct DecodedSummary {
    /// Where a count stands among those of a reader, and what it is.
    struct Count {
        var place: Int
        var count: UInt64
    }

    var seq: UInt64
    var counts: [Count]
}

/// The newest summaries of a channel, each decoded once for all who get the same bytes.
///
/// Readers are not equally far: each takes all that waits for it at once, then the next one takes the same.
struct SummaryLog {
    /// How many are kept: with the usual 100 ms between two, readers may be some seconds apart.
    static let capacity = 32

    private var texts: [[UInt8]] = []
    private var decoded: [DecodedSummary] = []
    /// Which is the oldest, and gives way next.
    private var oldest = 0

    /// What these bytes say, if they were entered and are still kept.
    func find(_ text: Span<UInt8>) -> DecodedSummary? {
        // From the newest on: most readers are nearly there.
        for age in 1...SummaryLog.capacity where age <= texts.count {
            let place = (oldest - age + texts.count) % texts.count
            let kept = texts[place]
            if kept.span.isSame(as: text) { return decoded[place] }
        }
        return nil
    }

    /// Keeps what these bytes say, in place of the oldest.
    mutating func enter(_ summary: DecodedSummary, of text: Span<UInt8>) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        for index in text.indices { bytes.append(text[index]) }
        guard texts.count == SummaryLog.capacity else {
            texts.append(bytes)
            decoded.append(summary)
            return
        }
        texts[oldest] = bytes
        decoded[oldest] = summary
        oldest = (oldest + 1) % SummaryLog.capacity
    }
}
