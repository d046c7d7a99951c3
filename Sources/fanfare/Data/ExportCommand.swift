import CommandOptions
import Foundation
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

    static func run(_ words: [String]) -> Int32 {
        run(words, variables: options.environmentNames) { words in
            let file = try DataOption.file(words)
            _ = try EndRequest("fanfare export", "what is there has no end, and import refuses it")
            do {
                return try export(file, words, ProgressLine("fanfare export", isQuiet: words.flag("quiet")))
            } catch let error as StoreError {
                complain("fanfare export: \(error.reason)")
                return ExitCode.failed
            } catch let error as OutputFailure {
                complain("fanfare export: \(error); what is there has no end")
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
        let lines = try Exporter(store, isWhole: wanted == nil).tell { line in
            try writer.write(line)
        } progress: { done in
            progress.tell("\(done) of \(counted(store.channels.count, "channel"))")
        }
        try writer.flush()
        progress.end("\(counted(store.channels.count, "channel")), \(counted(lines, "line")), epoch \(store.epoch)")
        return ExitCode.done
    }

    /// Gathers lines into few writes.
    private struct LineWriter {
        private var bytes: [UInt8] = []
        private let output = StandardOutput()
        private let encoder = JSONEncoder()

        init() {
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        }

        mutating func write(_ line: ExportLine) throws {
            bytes += try encoder.encode(line)
            bytes.append(UInt8(ascii: "\n"))
            if bytes.count >= 64 << 10 { try flush() }
        }

        mutating func flush() throws {
            try output.write(bytes)
            bytes.removeAll(keepingCapacity: true)
        }
    }
}
