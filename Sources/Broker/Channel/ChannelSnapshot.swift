import Reactions
import Storage
import Transport

/// All that makes a channel, as it is kept beside the log: whoever has it needs no entries from before it.
struct ChannelSnapshot {
    var progress: LogProgress
    var image: ChannelImage
    /// The newest events, for subscribers who come back.
    var events: [(batch: EventBatch, at: Int64)]
    /// Whether those name nobody.
    var isAnonymous: Bool

    /// The first byte.
    private static let version: UInt8 = 1

    init(
        progress: LogProgress, image: ChannelImage, events: [(batch: EventBatch, at: Int64)], isAnonymous: Bool
    ) {
        self.progress = progress
        self.image = image
        self.events = events
        self.isAnonymous = isAnonymous
    }

    /// What a snapshot has that was read; without one it is that of a fresh channel, and `nil` where it is none.
    init?(of snapshot: LogReading.Snapshot?) {
        guard let snapshot else {
            self.init(progress: LogProgress(), image: ChannelImage(), events: [], isAnonymous: false)
            return
        }
        self.init(bytes: snapshot.bytes)
    }

    /// The events as they may be told in a namespace.
    func history(for namespace: Namespace) -> EventHistory {
        var history = EventHistory(events: namespace.historyEvents, seconds: namespace.historySeconds)
        guard isAnonymous == namespace.isAnonymous else { return history }
        for (batch, at) in events { history.append(batch, at: at) }
        return history
    }

    /// The form in which it is kept.
    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.put(byte: Self.version)
        writer.put(byte: isAnonymous ? 1 : 0)
        progress.append(to: &writer)
        image.append(to: &writer)
        writer.put(list: events) { writer, held in
            writer.put(held.at)
            held.batch.append(to: &writer)
        }
        return writer.bytes
    }

    /// Reads the form that ``bytes`` writes; `nil` where it is none.
    init?(bytes: [UInt8]) {
        var reader = ByteReader(bytes: bytes)
        guard reader.byte() == Self.version, let isAnonymous = reader.byte(), isAnonymous < 2,
            let progress = LogProgress(&reader), let image = ChannelImage(&reader),
            let events = reader.list({ reader -> (batch: EventBatch, at: Int64)? in
                guard let at = reader.signed(), let batch = EventBatch(&reader) else { return nil }
                return (batch, at)
            }), reader.isAtEnd
        else { return nil }
        self.init(progress: progress, image: image, events: events, isAnonymous: isAnonymous == 1)
    }
}

extension EventBatch {
    fileprivate func append(to writer: inout ByteWriter) {
        writer.put(bytes.withSpan { span in span.indices.map { span[$0] } })
        writer.put(list: marks) { writer, mark in
            writer.put(mark.seq)
            writer.put(mark.message)
            writer.put(list: Array(mark.reactions)) { $0.put($1.text) }
            writer.put(UInt64(mark.frame.lowerBound))
            writer.put(UInt64(mark.frame.count))
        }
    }

    fileprivate init?(_ reader: inout ByteReader) {
        guard let frames = reader.blob() else { return nil }
        let marks = reader.list { reader -> Mark? in
            guard let seq = reader.number(), let message = reader.text(),
                let reactions = reader.list({ $0.text().map(Reaction.init(canonical:)) }),
                let start = reader.number(), start <= UInt64(frames.count),
                let length = reader.number(), length <= UInt64(frames.count) - start
            else { return nil }
            return Mark(seq: seq, message: message, reactions: Few(reactions), frame: Int(start)..<Int(start + length))
        }
        guard let marks, marks.areInOrder else { return nil }
        self.init(bytes: SharedBytes(frames), marks: marks)
    }
}

extension [EventBatch.Mark] {
    /// Whether the seqs, of those that have one, go up by one.
    fileprivate var areInOrder: Bool {
        let seqs = lazy.map(\.seq).filter { $0 > 0 }
        return zip(seqs, seqs.dropFirst()).allSatisfy { $0 < .max && $0 + 1 == $1 }
    }
}
