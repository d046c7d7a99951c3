import CommandOptions
import Testing

private let serve = CommandSyntax(
    name: "fanfare serve", summary: "Serves channels.",
    options: [
        .repeated("listen", "ADDR", "where to listen", default: "127.0.0.1:8080", environment: true),
        .flag("dev", "development mode"),
    ],
    examples: [.init("fanfare serve --dev", "tries it out")])

@Suite struct HelpTests {
    @Test func `Help shows usage, options with defaults, and examples`() {
        #expect(
            serve.help == """
                Serves channels.

                Usage: fanfare serve [options]

                Options:
                  --listen ADDR  where to listen (default 127.0.0.1:8080; may be repeated; or FANFARE_LISTEN)
                  --dev          development mode
                  --help         print this text

                Examples:
                  fanfare serve --dev
                      tries it out

                """)
    }

    @Test func `Help and the manual say what the exit codes mean where they are a command's own`() throws {
        let syntax = CommandSyntax(name: "x y", summary: "Does it.", exits: [.init(2, "It was interrupted.")])
        #expect(syntax.help.hasSuffix("\nExit status:\n  2  It was interrupted.\n"))
        #expect(!serve.help.contains("Exit status"))
        let program = Program(
            name: "x", summary: "Does things.", version: "1", date: "2026-11-30",
            commands: [syntax, CommandSyntax(name: "x serve", summary: "Serves.")])
        let own = try #require(try program.text(askedBy: ["help", "--man", "y"]))
        #expect(own.contains("It was interrupted.") && !own.contains("It is done."))
        let usual = try #require(try program.text(askedBy: ["help", "--man", "serve"]))
        #expect(usual.contains("It is done."))
    }

    @Test func `Usage shows what may be left out or repeated`() {
        let syntax = CommandSyntax(
            name: "x", summary: "",
            operands: [.init("A", ""), .init("B", "", isRequired: false, isRepeated: true)])
        #expect(syntax.usage == "x A [B…] [options]")
    }

    @Test func `Long lines are broken and stay in their column`() {
        let long = Array(repeating: "word", count: 60).joined(separator: " ")
        let syntax = CommandSyntax(
            name: "x", summary: "", options: [.flag("a", long), .value("a-very-long-name", "AND-PLACEHOLDER", "short")])
        let lines = syntax.help.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 100 })
        #expect(lines.contains { $0.hasPrefix("                                word") })
        #expect(lines.contains("                                short"))
    }
}

@Suite struct CommandSetTests {
    private let set = CommandSet(
        name: "fanfare", summary: "A broker.",
        commands: [serve, CommandSyntax(name: "fanfare watch", summary: "Watches.")], version: "1", date: "2026-11-30")

    @Test func `The first word picks the command, the rest is its own`() throws {
        guard case .command("serve", let words) = try set.select(["serve", "--dev", "--help"]) else {
            Issue.record("not serve")
            return
        }
        #expect(words == ["--dev", "--help"])
    }

    @Test(arguments: [["--help"], ["-h"], ["help"]])
    func `Help names every command`(words: [String]) throws {
        guard case .print(let text) = try set.select(words) else {
            Issue.record("nothing to print")
            return
        }
        #expect(text == set.help)
        #expect(text.contains("  serve       Serves channels.\n  watch       Watches.\n"))
    }

    @Test func `Help of one command, and the version`() throws {
        guard case .print(serve.help) = try set.select(["help", "serve"]),
            case .print("fanfare 1\n") = try set.select(["--version"])
        else {
            Issue.record("something else")
            return
        }
    }

    @Test(arguments: [
        ([], "a command is missing: serve, watch, completion"),
        (["sevre"], "unknown command \"sevre\"; did you mean serve?"),
        (["dance"], "unknown command \"dance\"; see fanfare --help"),
        (["help", "wach"], "unknown command \"wach\"; did you mean watch?"),
    ])
    func `A word that is no command is named`(words: [String], message: String) {
        #expect(throws: UsageError(message)) { try set.select(words) }
    }
}
