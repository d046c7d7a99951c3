import CommandOptions
import Storage

/// `fanfare backup`: copies the store's file while the broker goes on.
enum BackupCommand: Command {
    static let takesSignals = false

    static let options = CommandSyntax(
        name: "fanfare backup",
        summary: "Copies the store as it is at one moment, while the broker goes on or without it.",
        operands: [.init("FILE", "the copy; nothing may be there")],
        options: [DataOption.folder, DataOption.quiet],
        examples: [
            .init("fanfare backup \"backup-$(date +%F).db\"", "today's copy"),
            .init(
                "fanfare serve --data restored", "after the copy was moved to restored/fanfare.db: a broker on it"),
        ])

    static func run(_ words: [String]) -> Int32 {
        run(words, variables: options.environmentNames) { words in
            let target = try words.text("FILE")
            guard !target.isEmpty, !target.hasSuffix("/"), !isFolder(target) else {
                throw UsageError("FILE is the copy itself, such as backup.db, not the folder \"\(target)\"")
            }
            let progress = ProgressLine("fanfare backup", isQuiet: words.flag("quiet"))
            do throws(StoreError) {
                let bytes = try StoreBackup.make(of: try DataOption.file(words), to: target) { done in
                    progress.tell("\(Int(done * 100))%")
                }
                progress.end("\(target) has \(bytes) bytes")
                return ExitCode.done
            } catch {
                complain("fanfare backup: \(error.reason)")
                return ExitCode.failed
            }
        }
    }
}
