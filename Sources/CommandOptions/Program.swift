/// A whole program, as shells complete it and its manual describes it: its commands, and what it does without one.
public struct Program: Sendable {
    /// A manual page that is not made of a command's syntax.
    public struct Page: Sendable {
        let topic: String
        let section: Int
        let summary: String
        let body: @Sendable () -> String

        /// Declares a page.
        ///
        /// - Parameters:
        ///   - topic: What it is about, one word; the page is called `PROGRAM-TOPIC`.
        ///   - section: The manual's section, 5 for files.
        ///   - summary: A few words that say what it describes.
        ///   - body: What follows the heading, as ``ManualText`` makes it.
        public init(_ topic: String, section: Int, summary: String, body: @escaping @Sendable () -> String) {
            self.topic = topic
            self.section = section
            self.summary = summary
            self.body = body
        }
    }

    let name: String
    let summary: String
    let version: String
    let date: String
    /// What stands without a command's name; `nil`: nothing does.
    let root: CommandSyntax?
    let commands: [CommandSyntax]
    let pages: [Page]

    /// Declares a program.
    ///
    /// - Parameters:
    ///   - name: What is typed first, `fanfare`.
    ///   - summary: One sentence that says what it is.
    ///   - version: Its version, without the name.
    ///   - date: The day of that version, `2026-11-30`, which stands on manual pages.
    ///   - root: What it understands without a command's name; `nil`: nothing.
    ///   - commands: Its commands; the name of each is `name`, a space, and one word.
    ///   - pages: Manual pages besides those of the commands.
    public init(
        name: String, summary: String, version: String, date: String, root: CommandSyntax? = nil,
        commands: [CommandSyntax],
        pages: [Page] = []
    ) {
        self.name = name
        self.summary = summary
        self.version = version
        self.date = date
        self.root = root
        self.commands = commands
        self.pages = pages
    }

    /// The syntax of `completion`, which every program has.
    public static func completionSyntax(of name: String) -> CommandSyntax {
        CommandSyntax(
            name: "\(name) completion", summary: "Prints what a shell needs to complete the words of \(name).",
            operands: [
                .init("SHELL", "bash, zsh or fish", takes: .choice(Shell.allCases.map(\.rawValue)))
            ],
            examples: [
                .init("source <(\(name) completion bash)", "for this shell; the same line in ~/.bashrc for all"),
                .init("\(name) completion zsh > \"${fpath[1]}/_\(name)\"", "for zsh, from its next start on"),
                .init(
                    "\(name) completion fish > ~/.config/fish/completions/\(name).fish",
                    "for fish, from its next start on"),
            ])
    }

    /// Answers `completion SHELL` and `help --man [COMMAND]`, which is the manual page in roff.
    ///
    /// - Parameter words: What was typed behind the program's name.
    /// - Returns: The text for standard output; `nil` where something else is asked for.
    /// - Throws: A ``UsageError`` where the shell or the command is unknown.
    public func text(askedBy words: [String]) throws(UsageError) -> String? {
        if words.first == "completion" {
            let words = try Program.completionSyntax(of: name).parse(Array(words.dropFirst()))
            if let text = words.textToPrint { return text }
            return completion(for: try words.choice("SHELL", as: Shell.self))
        }
        guard words.starts(with: ["help", "--man"]) else { return nil }
        guard words.count <= 3 else { throw UsageError("unexpected word \"\(words[3])\"; one page at a time") }
        guard words.count == 3 else { return manual }
        if let command = commands.first(where: { $0.word == words[2] }) { return manual(of: command) }
        if let page = pages.first(where: { $0.topic == words[2] }) { return manual(page) }
        let known = commands.map(\.word) + pages.map(\.topic)
        throw UsageError("there is no page \"\(words[2])\"; there are \(known.joined(separator: ", "))")
    }
}

/// A shell that completes words.
public enum Shell: String, Sendable, CaseIterable {
    case bash, zsh, fish
}

extension CommandSyntax {
    /// The last word of the name, by which a program with several commands knows it.
    var word: String {
        String(name.split(separator: " ").last ?? "")
    }

    /// All its options with those that come by themselves.
    var allOptions: [Option] {
        options + [.flag("help", "print the options")] + (version == nil ? [] : [.flag("version", "print the version")])
    }
}

extension CommandSyntax.Option {
    /// The help as far as it is short: shells show it beside the option.
    var brief: String {
        String(help.prefix { $0 != ";" && $0 != ":" })
    }
}
