import CommandOptions
import Foundation
import Reactions
import Storage
import Transport

/// `fanfare export`: writes what the store has as JSON Lines.
enum ExportCommand: Command {
    static let options = CommandSyntax(
        name: "fanfare export",
        summary:
            "Writes the store as it is at one moment to standard output, one JSON object a line; the broker may run or not.",
        options: DataOption.all + [
            .value("channel", "CHANNEL", "this channel alone; all, and what moderators did, otherwise"),
            DataOption.quiet,
        ],
        examples: [
            .init("fanfare export >all.jsonl", "everything"),
            .init("fanfare export --channel chat:42 | jq -r 'select(.type == \"reaction\").user'", "who reacted"),
        ])

    /// What is written goes nowhere.
    private struct Unwritten: Error {
        var reason = FileFailure.last.reason
    }

    static func run(_ words: [String]) -> Int32 {
        run(words, variables: options.environmentNames) { words in
            let file = try DataOption.file(words)
            _ = try EndRequest("fanfare export", "what is there has no end, and import refuses it")
            do {
                return try export(file, words, ProgressLine("fanfare export", isQuiet: words.flag("quiet")))
            } catch let error as StoreError {
                complain("fanfare export: \(error.reason)")
                return ExitCode.failed
            } catch let error as Unwritten {
                complain("fanfare export: standard output takes no more (\(error.reason)); what is there has no end")
                return ExitCode.failed
            }
        }
    }

    private static func export(
        _ file: String, _ words: CommandWords, _ progress: ProgressLine
    ) throws -> Int32 {
        let wanted = words.textIfAny("channel")
        let store = try StoreSnapshot(file: file, channel: wanted)
        if let wanted, store.channels.isEmpty { throw StoreError.unavailable("there is no channel \(brief(wanted))") }
        var writer = LineWriter()
        var head = ExportLine(.export)
        head.version = ExportLine.version
        head.epoch = store.epoch
        head.channels = store.channels.count
        try writer.write(head)
        for (index, channel) in store.channels.enumerated() {
            try write(channel, try store.read(channel), &writer)
            progress.tell("\(index + 1) of \(store.channels.count) channels")
        }
        if wanted == nil {
            for revocation in try store.revocations() { try writer.write(ExportLine(revocation)) }
            for entry in try store.auditEntries() { try writer.write(ExportLine(entry)) }
        }
        var end = ExportLine(.end)
        end.lines = writer.lines + 1
        try writer.write(end)
        try writer.flush()
        progress.end("\(store.channels.count) channels, \(writer.lines) lines, epoch \(store.epoch)")
        return ExitCode.done
    }

    private static func write(_ name: String, _ image: ChannelImage, _ writer: inout LineWriter) throws {
        var line = ExportLine(.channel)
        line.channel = name
        line.seq = image.seq
        line.frozen = image.records.contains(.frozen(true))
        try writer.write(line)
        for record in image.records {
            if let line = ExportLine(record) { try writer.write(line) }
        }
    }

    /// Gathers lines into few writes.
    private struct LineWriter {
        private(set) var lines = 0
        private var bytes: [UInt8] = []
        private let output = StandardOutput()
        private let encoder = JSONEncoder()

        init() {
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        }

        mutating func write(_ line: ExportLine) throws {
            bytes += try encoder.encode(line)
            bytes.append(UInt8(ascii: "\n"))
            lines += 1
            if bytes.count >= 64 << 10 { try flush() }
        }

        mutating func flush() throws {
            guard output.write(bytes) else { throw Unwritten() }
            bytes.removeAll(keepingCapacity: true)
        }
    }
}
