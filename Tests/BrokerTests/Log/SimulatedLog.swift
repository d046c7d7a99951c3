import Reactions
import Storage

@testable import Broker

/// A log of one channel without servers, in the test's hands.
struct SimulatedLog {
    private(set) var entries: [LogEntry] = []
    private var last: UInt64 = 0
    private var snapshot: LogReading.Snapshot?
    private var floor: UInt64 = 0
    /// All entries that ever were.
    private(set) var all: [LogEntry] = []

    /// Appends; answers where it stands, and which one is before it.
    mutating func append(_ bytes: [UInt8], step: UInt64) -> (entry: LogEntry, previous: UInt64) {
        let previous = entries.last?.position ?? 0
        last += step
        let entry = LogEntry(position: last, bytes: bytes)
        entries.append(entry)
        all.append(entry)
        return (entry, previous)
    }

    /// The entries behind a position are lost, as by servers that come back without them.
    mutating func lose(after position: UInt64) {
        entries.removeAll { $0.position > position }
        all.removeAll { $0.position > position }
        last = position
    }

    func read(after position: UInt64?) -> LogReading {
        let end = entries.last
        if let position, end?.position ?? 0 < position { return LogReading(.less, last: end) }
        if let position, floor <= position + 1 {
            return LogReading(entries: entries.filter { $0.position > position }, last: end)
        }
        let start = snapshot?.position ?? 0
        return LogReading(.whole, snapshot: snapshot, entries: entries.filter { $0.position > start }, last: end)
    }

    /// Keeps a snapshot, and lets go of all entries behind the one before.
    mutating func keep(at position: UInt64, _ bytes: [UInt8]) {
        guard position > snapshot?.position ?? 0 else { return }
        floor = snapshot?.position ?? 0
        entries.removeAll { $0.position < floor }
        snapshot = LogReading.Snapshot(position: position, bytes: bytes)
    }
}
