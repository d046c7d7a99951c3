import CommandOptions
import Storage

/// `fanfare import`: puts what `fanfare export` wrote, or another system, into a store.
enum ImportCommand: Command {
    static let takesSignals = false

    static let options = CommandSyntax(
        name: "fanfare import",
        summary:
            "Puts what fanfare export wrote, or the reactions of another system's export, into a store that no broker has open: all of it or nothing.",
        operands: [.init("FILE", "the export; - for standard input")],
        options: [
            DataOption.folder, .flag("replace", "channels that are there give way to those of the export"),
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
            if let foreign = try ForeignImport(words, progress) { return foreign.run() }
            guard !isFolder(path) else {
                throw UsageError("\(path) is a folder; --from SYSTEM says whose export it is")
            }
            do {
                let lines = try LineFile(path)
                let file = try DataOption.file(words)
                var importer = Importer(try StoreImport(file: file, replaces: words.flag("replace")))
                while let line = try lines.next() {
                    try importer.take(line)
                    progress.tell("\(importer.line) lines, \(importer.channels) channels")
                }
                let (from, to) = try importer.finish()
                progress.end("\(importer.channels) channels, \(importer.line) lines; epoch \(from) was, \(to) is")
                return ExitCode.done
            } catch let error as StoreError {
                complain("fanfare import: \(error.reason); nothing was imported")
            } catch let error as FileFailure {
                complain("fanfare import: cannot read \(path): \(error.reason); nothing was imported")
            } catch let error as Importer.Failure {
                complain("fanfare import: \(path):\(error.line): \(error.words); nothing was imported")
            }
            return ExitCode.failed
        }
    }
}
