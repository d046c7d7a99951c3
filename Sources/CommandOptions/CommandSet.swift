/// A command made of several, `fanfare serve`, `fanfare watch`, …: the first word says which.
public struct CommandSet: Sendable {
    /// What the first word asks for.
    public enum Selection: Sendable {
        /// One of the commands, by the last word of its name, and the words that are left for it.
        case command(String, words: [String])
        /// A text for standard output, then exit with 0.
        case print(String)
    }

    let program: Program
    private let commands: [CommandSyntax]
    private var name: String { program.name }

    /// Declares a set.
    ///
    /// - Parameters:
    ///   - name: What is typed first, `fanfare`.
    ///   - summary: One sentence that says what it is.
    ///   - commands: The commands; the name of each is `name`, a space, and one word.
    ///   - version: What `--version` prints behind the name.
    ///   - date: The day of that version, `2026-11-30`, which stands on manual pages.
    ///   - pages: Manual pages besides those of the commands.
    public init(
        name: String, summary: String, commands: [CommandSyntax], version: String, date: String,
        pages: [Program.Page] = []
    ) {
        let completion = Program.completionSyntax(of: name)
        self.commands = commands + [completion]
        program = Program(
            name: name, summary: summary, version: version, date: date, commands: self.commands, pages: pages)
    }

    /// Picks the command that the words begin with.
    ///
    /// `--help`, `-h`, `help` and `--version` stand in a command's place; `help COMMAND` is that command's help, and
    /// what ``Program/text(askedBy:)`` knows is answered, too.
    ///
    /// - Throws: A ``UsageError`` where there is no first word, or it is no command.
    public func select(_ words: [String]) throws(UsageError) -> Selection {
        if let text = try program.text(askedBy: words) { return .print(text) }
        guard let first = words.first else {
            throw UsageError("a command is missing: \(commands.map(\.word).joined(separator: ", "))")
        }
        switch first {
        case "--help", "-h": return .print(help)
        case "--version": return .print("\(name) \(program.version)\n")
        case "help":
            guard words.count > 1 else { return .print(help) }
            return .print(try command(words[1]).help)
        default:
            return .command(try command(first).word, words: Array(words.dropFirst()))
        }
    }

    /// The text of `--help`: one line for each command; ends with a line break.
    public var help: String {
        """
        \(program.summary)

        Usage: \(name) COMMAND [options]

        Commands:
        \(table(commands.map { ($0.word, $0.summary) }))
        \(name) COMMAND --help says more about each, \(name) --version which version this is.

        """
    }

    private func command(_ name: String) throws(UsageError) -> CommandSyntax {
        if let command = commands.first(where: { $0.word == name }) { return command }
        let hint = nearest(to: name, among: commands.map(\.word)).map { "did you mean \($0)?" }
        throw UsageError("unknown command \"\(name)\"; \(hint ?? "see \(self.name) --help")")
    }
}
