import Transport
import WebSocket

/// Compresses what a hub's connections are sent: what goes to many once for all of them, and every message by itself.
///
/// No two messages ever share a window, so that none of them tells by its length what stands in another.
final class SharedCompressor {
    /// What makes two connections' compressed bytes the same.
    struct Form: Equatable {
        let windowBits: Int
        let minimumBytes: Int

        init(_ parameters: DeflateParameters) {
            windowBits = parameters.ownWindowBits
            minimumBytes = parameters.minimumBytes
        }
    }

    /// What was made of shared bytes in this turn.
    private struct Made {
        let source: SharedBytes
        let form: Form
        let batch: EventBatch
    }

    /// More than this at once are not remembered: as many forms as there are in use, of what is being sent.
    private static let memory = 8

    private let pool = DeflaterPool()
    private var made: [Made] = []
    /// What connections with compression were sent, as it would have been and as it was.
    private(set) var sent = CompressedBytes()
    /// What came compressed.
    private(set) var received = CompressedBytes()

    /// Forgets what was shared; called at the end of a turn.
    func endTurn() {
        if !made.isEmpty { made.removeAll(keepingCapacity: true) }
    }

    /// Frees what can be made again.
    func rest() {
        pool.rest()
    }

    /// The compressed form of a shared frame, the same for all who ask in this turn.
    func compressed(_ frame: SharedBytes, as form: Form) -> SharedBytes {
        let bytes = made(of: EventBatch(bytes: frame, marks: []), as: form).bytes
        count(plain: frame.count, compressed: bytes.count)
        return bytes
    }

    /// The compressed form of a batch, the same for all who ask in this turn; `events` are those to be counted as sent.
    func compressed(_ batch: EventBatch, _ events: Range<Int>, as form: Form) -> EventBatch {
        let result = made(of: batch, as: form)
        count(plain: batch.frames(of: events).count, compressed: result.frames(of: events).count)
        return result
    }

    /// Appends the compressed forms of frames that go to one connection alone.
    func append(_ frames: Span<UInt8>, as form: Form, to output: inout [UInt8]) {
        let start = output.count
        _ = append(payloadsOf: frames, as: form, to: &output)
        count(plain: frames.count, compressed: output.count - start)
    }

    /// Counts what came compressed.
    func count(received more: CompressedBytes) {
        received += more
    }

    private func count(plain: Int, compressed: Int) {
        sent.plain += UInt64(plain)
        sent.compressed += UInt64(compressed)
    }

    private func made(of batch: EventBatch, as form: Form) -> EventBatch {
        // The same bytes are always one batch, with the same marks, as long as the turn lasts.
        if let known = made.last(where: { $0.form == form && $0.source.isIdentical(to: batch.bytes) }) {
            return known.batch
        }
        let result = compress(batch, as: form)
        if made.count == Self.memory { made.removeFirst() }
        made.append(Made(source: batch.bytes, form: form, batch: result))
        return result
    }

    private func compress(_ batch: EventBatch, as form: Form) -> EventBatch {
        var bytes: [UInt8] = []
        var marks = batch.marks
        let isAnySmaller = batch.bytes.withSpan { source in
            if marks.isEmpty { return append(payloadsOf: source, as: form, to: &bytes) }
            var isAnySmaller = false
            for index in marks.indices {
                let start = bytes.count
                if append(payloadsOf: source.extracting(marks[index].frame), as: form, to: &bytes) {
                    isAnySmaller = true
                }
                marks[index].frame = start..<bytes.count
            }
            return isAnySmaller
        }
        return isAnySmaller ? EventBatch(bytes: SharedBytes(bytes), marks: marks) : batch
    }

    /// Writes the messages of whole text frames anew; says whether any is compressed.
    private func append(payloadsOf frames: Span<UInt8>, as form: Form, to output: inout [UInt8]) -> Bool {
        var isAnySmaller = false
        frames.forEachPayload { payload in
            if payload.count < form.minimumBytes {
                WebSocketFrame.append(text: payload, to: &output)
            } else if pool.append(text: payload, windowBits: form.windowBits, to: &output) {
                isAnySmaller = true
            }
        }
        return isAnySmaller
    }
}
