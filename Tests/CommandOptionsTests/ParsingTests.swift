import CommandOptions
import Testing

private let watch = CommandSyntax(
    name: "fanfare watch", summary: "Shows what happens in a channel.",
    operands: [
        .init("CHANNEL", "the channel, chat:42"), .init("MESSAGE", "only these", isRequired: false, isRepeated: true),
    ],
    options: [
        .value("url", "URL", "the broker", default: "ws://127.0.0.1:8080", environment: true),
        .value("token-secret", "SECRET", "the secret", environment: true),
        .value("for", "D", "how long", default: "10s"),
        .value("mode", "MODE", "events or summary", default: "events"),
        .repeated("listen", "ADDR", "an address", environment: true),
        .flag("json", "JSON out"),
        .flag("dev", "development mode", environment: true),
    ],
    examples: [.init("fanfare watch chat:42 --json", "events as JSON lines")],
    version: "fanfare 1.2.3")

private enum Mode: String, CaseIterable {
    case events, summary
}

@Suite struct ParsingTests {
    @Test(arguments: [["--url", "ws://h", "chat:1"], ["chat:1", "--url=ws://h"], ["--url=ws://h", "--", "chat:1"]])
    func `An option's value follows it or stands behind an equals sign, before or after operands`(words: [String])
        throws
    {
        let words = try watch.parse(words)
        #expect(try words.text("url") == "ws://h")
        #expect(try words.text("CHANNEL") == "chat:1")
        #expect(words.isGiven("url"))
        #expect(words.textToPrint == nil)
    }

    @Test func `Flags, repeated options and repeated operands are gathered in order`() throws {
        let words = try watch.parse(["c", "--listen", ":1", "m1", "--json", "--listen=:2", "m2"])
        #expect(words.flag("json"))
        #expect(!words.flag("dev"))
        #expect(words.texts("listen") == [":1", ":2"])
        #expect(words.texts("MESSAGE") == ["m1", "m2"])
    }

    @Test func `After two dashes every word is an operand, and a lone dash always is`() throws {
        let words = try watch.parse(["-", "--", "--json", "-1", "--"])
        #expect(try words.text("CHANNEL") == "-")
        #expect(words.texts("MESSAGE") == ["--json", "-1", "--"])
        #expect(!words.flag("json"))
    }

    @Test(arguments: [["c", "--url="], ["c", "--url", ""]])
    func `An option's value is never empty, as an unset variable would leave it`(words: [String]) {
        #expect(throws: UsageError("--url is empty; it needs a value: URL")) { try watch.parse(words) }
    }

    @Test func `A value may hold an equals sign, or begin with one dash`() throws {
        #expect(try watch.parse(["c", "--url=a=b"]).text("url") == "a=b")
        #expect(try watch.parse(["c", "--url", "-5"]).text("url") == "-5")
    }

    @Test func `A flag beats the environment, which beats the default`() throws {
        let environment = [
            "FANFARE_URL": "ws://env", "FANFARE_LISTEN": ":1,:2", "FANFARE_FOR": "99s", "FANFARE_DEV": "yes",
        ]
        let fromEnvironment = try watch.parse(["c"], environment: environment)
        #expect(try fromEnvironment.text("url") == "ws://env")
        #expect(fromEnvironment.texts("listen") == [":1", ":2"])
        #expect(fromEnvironment.flag("dev"))
        #expect(fromEnvironment.isGiven("url"))
        // Not declared as read from the environment.
        #expect(try fromEnvironment.text("for") == "10s")
        #expect(try watch.parse(["c", "--url=ws://w"], environment: environment).text("url") == "ws://w")
        let byDefault = try watch.parse(["c"], environment: ["FANFARE_URL": "", "FANFARE_DEV": "off"])
        #expect(try byDefault.text("url") == "ws://127.0.0.1:8080")
        #expect(!byDefault.isGiven("url"))
        #expect(!byDefault.flag("dev"))
    }

    @Test(arguments: [
        (["c", "--ulr", "x"], "unknown option --ulr; did you mean --url?"),
        (["c", "--token", "x"], "unknown option --token; did you mean --token-secret?"),
        (["c", "--colour"], "unknown option --colour; see fanfare watch --help"),
        (["c", "-url", "x"], "unknown option -url; did you mean --url?"),
        (["c", "-5"], "unknown option -5; see fanfare watch --help (a word that begins with - goes behind --)"),
        (["c", "--url"], "--url needs a value: URL"),
        (["c", "--url", "--json"], "--url needs a value: URL, not --json (if meant: --url=--json)"),
        (["c", "--json=yes"], "--json takes no value"),
        (["c", "--url=a", "--url=b"], "--url stands twice; it takes one value"),
        ([], "CHANNEL is missing: the channel, chat:42"),
    ])
    func `An error says which word was wrong and what was meant`(words: [String], message: String) {
        #expect(throws: UsageError(message)) { try watch.parse(words) }
    }

    @Test func `A superfluous operand is refused with what the command takes`() {
        let syntax = CommandSyntax(name: "fanfare backup", summary: "", operands: [.init("FILE", "where to")])
        #expect(throws: UsageError("unexpected word \"b\"; fanfare backup takes FILE and options")) {
            try syntax.parse(["a", "b"])
        }
        let bare = CommandSyntax(name: "fanfare top", summary: "")
        #expect(throws: UsageError("unexpected word \"b\"; fanfare top takes options only")) { try bare.parse(["b"]) }
    }

    @Test func `A flag in the environment is true or false`() {
        #expect(throws: UsageError("FANFARE_DEV is true or false, not \"maybe\"")) {
            try watch.parse(["c"], environment: ["FANFARE_DEV": "maybe"])
        }
    }

    @Test(arguments: [["--help"], ["-h"], ["c", "--nonsense", "--help"], ["--version", "--nonsense"]])
    func `Help and version are given whatever else stands there`(words: [String]) throws {
        #expect(try watch.parse(words).textToPrint != nil)
    }

    @Test func `The version is printed as it is`() throws {
        #expect(try watch.parse(["--version"]).textToPrint == "fanfare 1.2.3\n")
    }

    @Test func `Behind two dashes help is an operand`() throws {
        #expect(try watch.parse(["--", "--help"]).textToPrint == nil)
    }

    @Test func `A choice is one of its words`() throws {
        #expect(try watch.parse(["c", "--mode=summary"]).choice("mode", as: Mode.self) == .summary)
        let wrong = try watch.parse(["c", "--mode=sumary"])
        #expect(throws: UsageError("--mode is events or summary, not \"sumary\"; did you mean summary?")) {
            try wrong.choice("mode", as: Mode.self)
        }
    }

    @Test func `A value that the command cannot do without is named when it is missing`() throws {
        let words = try watch.parse(["c"])
        #expect(words.textIfAny("token-secret") == nil)
        #expect(throws: UsageError("--token-secret SECRET is missing: the secret")) { try words.text("token-secret") }
    }

    @Test func `An error in a value names its place`() throws {
        let syntax = CommandSyntax(
            name: "x", summary: "", options: [.value("ttl", "D", "time to live", environment: true)])
        let words = try syntax.parse([], environment: ["FANFARE_TTL": "soon"])
        #expect(throws: UsageError("FANFARE_TTL is a time such as 250ms, 10s, 5m or 1h, not \"soon\"")) {
            try words.duration("ttl", in: .zero ... .seconds(1))
        }
    }
}
