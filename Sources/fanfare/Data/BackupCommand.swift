import CommandOptions
import Storage

/// `fanfare backup`: copies the store's file while the broker goes on.
enum BackupCommand: Command {
    static let options = CommandSyntax(
        name: "fanfare backup",
        summary: "Copies the store as it is at one moment, while the broker goes on or without it.",
        operands: [.init("FILE", "the copy; nothing may be there")],
        options: DataOption.all + [
            .flag("check", "look for damage in the copy, as fanfare check-data does"), DataOption.quiet,
        ],
        examples: [
            .init("fanfare backup \"backup-$(date +%F).db\"", "today's copy"),
            .init("fanfare backup --check backup.db", "a copy that is known to be whole"),
            .init(
                "fanfare serve --data restored", "after the copy was moved to restored/fanfare.db: a broker on it"),
        ])

    static func run(_ words: [String]) -> Int32 {
        run(words, variables: options.environmentNames) { words in
            let target = try words.text("FILE")
            guard !target.isEmpty, !target.hasSuffix("/"), !isFolder(target) else {
                throw UsageError("FILE is the copy itself, such as backup.db, not the folder \"\(target)\"")
            }
            let file = try DataOption.file(words)
            let progress = ProgressLine("fanfare backup", isQuiet: words.flag("quiet"))
            let end = try EndRequest("fanfare backup", "there is no \(target); it may be run again")
            end.beginChanging()
            do {
                let bytes = try StoreBackup.make(
                    of: file, to: target, progress: { done in progress.tell("\(Int(done * 100))%") },
                    goesOn: { !end.isMade })
                guard words.flag("check") else {
                    _ = end.beDone()
                    progress.end("\(target) has \(bytes) bytes")
                    return ExitCode.done
                }
                end.beginReading("\(target) is there, and was not looked through")
                if end.isMade { return end.finish() }
                progress.end("\(target) has \(bytes) bytes")
                return try CheckDataCommand.check(target, "fanfare backup", progress)
            } catch let error as StoreError {
                if end.isMade { return end.finish() }
                complain("fanfare backup: \(error.reason)")
                return ExitCode.failed
            }
        }
    }
}
