import CommandOptions
import Testing

/// What shells and manuals are told of a program; `EndToEndTests` ask the shells themselves.
@Suite struct ProgramTests {
    private static let serve = CommandSyntax(
        name: "x-y serve", summary: "Serves what's there.",
        operands: [.init("CHANNEL", "the channel"), .init("FILE", "more", isRequired: false, isRepeated: true)],
        options: [
            .value("log-form", "FORM", "text: for people; json", default: "text", takes: .choice(["text", "json"])),
            .repeated("listen", "ADDR", "where [to] listen", environment: true), .flag("dev", "it's for trying"),
        ],
        examples: [.init(".serve 'a' \\ ~b", "shows")])

    private let set = CommandSet(
        name: "x-y", summary: "A broker.", commands: [serve], version: "1.2.3", date: "2026-11-30",
        pages: [
            .init("settings", section: 5, summary: "the file") {
                var page = ManualText()
                page.heading("Description")
                page.paragraph("words")
                return page.text
            }
        ])

    private func text(_ words: String...) throws -> String {
        guard case .print(let text) = try set.select(words) else {
            Issue.record("nothing to print")
            return ""
        }
        return text
    }

    @Test func `The page of a command has all that its help has, and nothing that roff would take for its own`() throws
    {
        #expect(
            try text("help", "--man", "serve") == #"""
                .TH "X-Y-SERVE" 1 "2026-11-30" "x-y 1.2.3" ""
                .SH NAME
                x\-y\-serve \- Serves what\(aqs there
                .SH SYNOPSIS
                .B x\-y serve
                \fICHANNEL\fR
                [\fIFILE\fR .\|.\|.]
                [\fIoptions\fR]
                .SH DESCRIPTION
                Serves what\(aqs there.
                .TP
                \fBCHANNEL\fR
                the channel
                .TP
                \fBFILE\fR
                more
                .SH OPTIONS
                .TP
                \fB\-\-log\-form\fR \fIFORM\fR
                text: for people; json (default text)
                .TP
                \fB\-\-listen\fR \fIADDR\fR
                where [to] listen (may be repeated; or FANFARE_LISTEN)
                .TP
                \fB\-\-dev\fR
                it\(aqs for trying
                .TP
                \fB\-\-help\fR
                print the options
                .SH EXAMPLES
                .nf
                .RS 4
                \&.serve \(aqa\(aq \e \(tib
                .RE
                .fi
                .PP
                shows
                .SH EXIT STATUS
                .TP
                \fB0\fR
                It is done.
                .TP
                \fB1\fR
                It failed, or a bound that was to hold was broken.
                .TP
                \fB2\fR
                The words or the settings were wrong; a line on standard error says which, and
                what was meant.
                .SH SEE ALSO
                \fBx\-y\fR(1),
                \fBx\-y\-completion\fR(1),
                \fBx\-y\-settings\fR(5)

                """#)
    }

    @Test func `A long text is broken into lines that roff fills again, none of which is a request`() {
        var page = ManualText()
        let words = (1...60).map { $0.isMultiple(of: 7) ? ".word\($0)" : "word-\($0)…" }
        page.paragraph(words.joined(separator: " "))
        page.entry("term", words.joined(separator: " "))
        let lines = page.text.split(separator: "\n")
        #expect(lines.allSatisfy { $0.replacing("…", with: "\\[u2026]").utf8.count <= 80 }, "\(lines)")
        let text = lines.filter { !$0.hasPrefix(".") && !$0.hasPrefix("\\f") }.joined(separator: " ")
        let plain = text.replacing("\\&", with: "").replacing("\\-", with: "-")
        #expect(plain == (words + words).joined(separator: " "))
    }

    @Test func `The page of the program names its commands, and pages of its own have theirs`() throws {
        let page = try text("help", "--man")
        #expect(page.hasPrefix(".TH \"X-Y\" 1 \"2026-11-30\" \"x-y 1.2.3\" \"\"\n.SH NAME\nx\\-y \\- A broker\n"))
        #expect(page.contains("\\fBx\\-y serve\\fR\nServes what\\(aqs there.\n"))
        let settings = try text("help", "--man", "settings")
        #expect(settings.hasPrefix(".TH \"X-Y-SETTINGS\" 5 "))
        #expect(settings.contains(".SH DESCRIPTION\nwords\n.SH SEE ALSO\n\\fBx\\-y\\fR(1),\n"))
    }

    @Test func `Help names the command that prints completions`() throws {
        #expect(try text("help").contains("  completion  Prints what a shell needs"))
        #expect(try text("completion", "--help").hasPrefix("Prints what a shell needs"))
    }

    @Test(arguments: [
        (["completion", "tcsh"], "SHELL is bash or zsh or fish, not \"tcsh\""),
        (["completion"], "SHELL is missing: bash, zsh or fish"),
        (["completion", "bash", "zsh"], "unexpected word \"zsh\"; x-y completion takes SHELL and options"),
        (["help", "--man", "dance"], "there is no page \"dance\"; there are serve, completion, settings"),
        (["help", "--man", "serve", "two"], "unexpected word \"two\"; one page at a time"),
    ])
    func `What is not there is said`(words: [String], message: String) {
        #expect(throws: UsageError(message)) { try set.select(words) }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `A quote in a text ends nothing`(shell: String) throws {
        let text = try text("completion", shell)
        switch shell {
        case "zsh": #expect(text.contains(#"'--dev[it'\''s for trying]'"#) && text.contains(#"[where \[to\] listen]"#))
        case "fish": #expect(text.contains(#"-l dev -d 'it\'s for trying'"#))
        default: #expect(text.contains("serve:--log-form) kind='text json' ;;"))
        }
    }
}
