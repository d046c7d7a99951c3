import Reactions

/// The newest events of a channel, for subscribers who come back.
///
/// Batches are kept whole, so the bound on events may be passed by less than a batch.
struct EventHistory: Sendable {
    private struct Held {
        var batch: EventBatch
        var first: UInt64
        var last: UInt64
        var at: Int64
    }

    private var held: [Held] = []
    private var start = 0
    private var count = 0
    private var maxEvents: Int
    private var maxAge: Int64

    /// Makes an empty history of at most `events` events, each held for `seconds`.
    init(events: Int, seconds: Int) {
        maxEvents = events
        maxAge = Int64(seconds) * 1000
    }

    /// Goes on with other bounds.
    mutating func adopt(events: Int, seconds: Int) {
        maxEvents = events
        maxAge = Int64(seconds) * 1000
    }

    /// Adds a batch whose marks with a seq are contiguous; `at` in Unix milliseconds.
    mutating func append(_ batch: EventBatch, at: Int64) {
        guard let first = batch.marks.first(where: { $0.seq > 0 })?.seq,
            let last = batch.marks.last(where: { $0.seq > 0 })?.seq
        else { return }
        held.append(Held(batch: batch, first: first, last: last, at: at))
        count += Int(last - first) + 1
        trim(at: at)
    }

    /// The batches that are held at a time, oldest first, each with when it was made.
    mutating func batches(at: Int64) -> [(batch: EventBatch, at: Int64)] {
        trim(at: at)
        return held[start...].map { ($0.batch, $0.at) }
    }

    /// The events with a seq above `seq`, up to the channel's `current` one; `nil` where not all of them are held.
    mutating func events(after seq: UInt64, current: UInt64, at: Int64) -> [EventBatch]? {
        trim(at: at)
        guard seq <= current else { return nil }
        if seq == current { return [] }
        guard start < held.count, held[start].first <= seq + 1, held[held.count - 1].last == current else { return nil }
        return held[start...].compactMap { held in
            if held.last <= seq { return nil }
            var batch = held.batch
            batch.marks.removeAll { $0.seq <= seq }
            return batch
        }
    }

    /// Which groups of which messages changed after `seq`, up to the channel's `current` one; `nil` where that is not
    /// known any more.
    mutating func changes(after seq: UInt64, current: UInt64, at: Int64) -> [(message: String, reactions: [Reaction])]?
    {
        events(after: seq, current: current, at: at).map { batches in
            batches.flatMap { $0.marks.lazy.filter { $0.seq > 0 }.map { ($0.message, Array($0.reactions)) } }
        }
    }

    private mutating func trim(at: Int64) {
        while start < held.count {
            let oldest = held[start]
            let events = Int(oldest.last - oldest.first) + 1
            guard count - events >= maxEvents || oldest.at <= at - maxAge || maxEvents == 0 else { break }
            count -= events
            start += 1
        }
        if start > 32, start * 2 > held.count {
            held.removeFirst(start)
            start = 0
        }
    }
}
