import CommandOptions
import Storage
import Transport

/// `fanfare import`: puts what `fanfare export` wrote, or another system, into a store.
enum ImportCommand: Command {
    static let options = CommandSyntax(
        name: "fanfare import",
        summary:
            "Puts what fanfare export wrote, or the reactions of another system's export, into a store that no broker has open: all of it or nothing.",
        operands: [.init("FILE", "the export; - for standard input")],
        options: [
            .value(
                "config", "FILE",
                "the settings file; its data, store and nats say where the channels are, its namespaces what --from may add",
                environment: true)
        ] + DataOption.places + [
            .flag("replace", "channels that are there give way to those of the export")
        ] + ForeignImport.options + [DataOption.quiet],
        examples: [
            .init("fanfare import all.jsonl --data restored", "a new store with everything"),
            .init("fanfare import one.jsonl --replace", "one channel as it was, in a store that has others"),
            .init(
                "fanfare import slack-export --from slack --into chat: --config settings.json --dry-run",
                "what Slack's reactions would come to"),
        ])

    static func run(_ words: [String]) -> Int32 {
        run(words, variables: options.environmentNames) { words in
            let path = try words.text("FILE")
            let progress = ProgressLine("fanfare import", isQuiet: words.flag("quiet"))
            let foreign = try ForeignImport(words, progress)
            guard foreign != nil || !isFolder(path) else {
                throw UsageError("\(path) is a folder; --from SYSTEM says whose export it is")
            }
            let file = try DataOption.file(words)
            let end = try EndRequest("fanfare import", "nothing was imported, and the same import may be run again")
            return foreign?.run(end) ?? take(path, into: file, replaces: words.flag("replace"), progress, end)
        }
    }

    /// Takes what `fanfare export` wrote.
    private static func take(
        _ path: String, into file: String, replaces: Bool, _ progress: ProgressLine, _ end: EndRequest
    ) -> Int32 {
        do {
            let lines = try LineFile(path) {
                progress.tell("waiting for \(path == "-" ? "standard input" : path)")
                return !end.isMade
            }
            end.beginChanging()
            var importer = Importer(try StoreImport(file: file, replaces: replaces))
            while !end.isMade, let line = try lines.next() {
                try importer.take(line)
                progress.tell("\(counted(importer.line, "line")), \(counted(importer.channels, "channel"))")
            }
            guard end.beDone() else { return end.finish() }
            let (from, to) = try importer.finish()
            progress.end(
                "\(counted(importer.channels, "channel")), \(counted(importer.line, "line")); epoch \(brief(from)) was, \(to) is"
            )
            return ExitCode.done
        } catch _ where end.isMade {
            return end.finish()
        } catch let error as StoreError {
            complain("fanfare import: \(error.reason); nothing was imported")
        } catch let error as FileFailure {
            let place = error.line.map { "\(path):\($0)" } ?? "cannot read \(path)"
            complain("fanfare import: \(place): \(error.reason); nothing was imported")
        } catch let error as Importer.Failure {
            complain("fanfare import: \(path):\(error.line): \(error.words); nothing was imported")
        } catch {
            complain("fanfare import: \(error); nothing was imported")
        }
        return ExitCode.failed
    }
}
