import CommandOptions
import Storage
import Transport

/// `fanfare check-data`: looks for damage in the store's file.
enum CheckDataCommand: Command {
    static let options = CommandSyntax(
        name: "fanfare check-data",
        summary: "Looks for damage in the store's file, while the broker goes on or without it; changes nothing.",
        operands: [.init("FILE", "a copy to look at instead of the store's file", isRequired: false)],
        options: DataOption.all + [DataOption.quiet],
        examples: [
            .init("fanfare check-data", "looks through ./data/fanfare.db"),
            .init("fanfare check-data backup.db", "looks through a copy"),
        ])

    static func run(_ words: [String]) -> Int32 {
        run(words, variables: options.environmentNames) { words in
            let progress = ProgressLine("fanfare check-data", isQuiet: words.flag("quiet"))
            let copy = words.textIfAny("FILE")
            let file = try copy ?? DataOption.file(words)
            _ = try EndRequest("fanfare check-data", "the search is not done; nothing was changed")
            do {
                return try check(file, "fanfare check-data", progress)
            } catch let error as StoreError {
                complain("fanfare check-data: \(error.reason)")
                return ExitCode.failed
            }
        }
    }

    /// Looks for damage in a file, and tells what it finds.
    ///
    /// - Parameters:
    ///   - file: The path of the file.
    ///   - name: The command that tells.
    ///   - progress: What tells how far it is.
    /// - Returns: The exit code.
    /// - Throws: `StoreError` where the file cannot be looked at, `OutputFailure` where nobody reads what is told.
    static func check(_ file: String, _ name: String, _ progress: ProgressLine) throws -> Int32 {
        let outcome = try StoreCheck.run(file) { part in progress.tell(part) }
        let output = StandardOutput()
        for fault in outcome.faults { try output.write(printable(fault) + "\n") }
        guard outcome.faults.isEmpty else {
            complain("\(name): \(file) is damaged; fanfare export may save what can be read")
            return ExitCode.failed
        }
        progress.end(
            "\(file) is whole: \(counted(outcome.channels, "channel")), \(counted(outcome.reactions, "reaction"))")
        return ExitCode.done
    }
}
