import Reactions
import Storage

/// Tells what a store has, in the lines of an export.
struct Exporter {
    private let store: StoreSnapshot
    private let isWhole: Bool

    /// Makes an exporter.
    ///
    /// - Parameters:
    ///   - store: The channels that are told.
    ///   - isWhole: Whether what moderators did, and who was revoked, is told as well.
    init(_ store: StoreSnapshot, isWhole: Bool) {
        self.store = store
        self.isWhole = isWhole
    }

    /// Tells everything, from the first line to the end.
    ///
    /// - Parameters:
    ///   - take: Takes a line.
    ///   - progress: Hears after each channel how many are done.
    /// - Returns: How many lines there were.
    /// - Throws: `StoreError`, and what `take` throws.
    func tell(_ take: (ExportLine) throws -> Void, progress: (Int) -> Void = { _ in }) throws -> Int {
        var lines = 0
        func put(_ line: ExportLine) throws {
            lines += 1
            try take(line)
        }
        try put(head)
        for (index, name) in store.channels.enumerated() {
            try tell(name, try store.read(name), put)
            progress(index + 1)
        }
        if isWhole {
            for revocation in try store.revocations() { try put(ExportLine(revocation)) }
            for entry in try store.auditEntries() { try put(ExportLine(entry)) }
        }
        var end = ExportLine(.end)
        end.lines = lines + 1
        try put(end)
        return lines
    }

    private var head: ExportLine {
        var head = ExportLine(.export)
        head.version = ExportLine.version
        head.epoch = store.epoch
        head.channels = store.channels.count
        return head
    }

    private func tell(_ name: String, _ image: ChannelImage, _ put: (ExportLine) throws -> Void) throws {
        var line = ExportLine(.channel)
        line.channel = name
        line.seq = image.seq
        line.frozen = image.records.contains(.frozen(true))
        try put(line)
        for record in image.records {
            if let line = ExportLine(record) { try put(line) }
        }
    }
}
