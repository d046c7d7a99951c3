import Reactions
import Storage

/// An entry of a shared log with what stands in it, so that it is parsed once.
struct ParsedEntry {
    let position: UInt64
    let bytes: [UInt8]
    /// `nil`: it is none.
    let batch: LogBatch?

    init(_ entry: LogEntry) {
        position = entry.position
        bytes = entry.bytes
        batch = LogBatch(bytes: entry.bytes)
    }

    /// Whether a later version of Fanfare may have written it.
    var isOfLaterVersion: Bool { batch == nil && LogBatch.isOfLaterVersion(bytes) }
}
