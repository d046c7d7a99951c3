// Manual pages are made of what --help is made of, so that neither knows an option that the other does not.
extension Program {
    /// The page of the program itself, `PROGRAM(1)`.
    var manual: String {
        var page = heading(name, section: 1, summary: summary)
        if let root {
            describe(root, into: &page)
        } else {
            page.heading("Synopsis")
            page.raw(".B \(name)\n.I COMMAND\n[\\fIoptions\\fR]")
        }
        page.heading("Commands")
        for command in commands { page.entry("\(name) \(command.word)", command.summary) }
        exitStatus(root?.exits ?? [], into: &page)
        seeAlso(otherThan: name, into: &page)
        return page.text
    }

    /// The page of a command, `PROGRAM-COMMAND(1)`.
    func manual(of command: CommandSyntax) -> String {
        let own = "\(name)-\(command.word)"
        var page = heading(own, section: 1, summary: command.summary)
        describe(command, into: &page)
        exitStatus(command.exits, into: &page)
        seeAlso(otherThan: own, into: &page)
        return page.text
    }

    /// A page that is no command's.
    func manual(_ topic: Page) -> String {
        let own = "\(name)-\(topic.topic)"
        var page = heading(own, section: topic.section, summary: topic.summary)
        page.raw(topic.body().trimmingLineBreak)
        seeAlso(otherThan: own, into: &page)
        return page.text
    }

    private func heading(_ own: String, section: Int, summary: String) -> ManualText {
        var page = ManualText()
        page.title(own, section: section, date: date, source: "\(name) \(version)")
        page.heading("Name")
        let words = summary.hasSuffix(".") ? String(summary.dropLast()) : summary
        page.raw(ManualText.filled("\(ManualText.inline(own)) \\- \(ManualText.inline(words))"))
        return page
    }

    private func describe(_ syntax: CommandSyntax, into page: inout ManualText) {
        page.heading("Synopsis")
        page.raw(".B \(ManualText.inline(syntax.name))")
        for operand in syntax.operands {
            let name = "\\fI\(ManualText.inline(operand.name))\\fR" + (operand.isRepeated ? " .\\|.\\|." : "")
            page.raw(operand.isRequired ? name : "[\(name)]")
        }
        page.raw("[\\fIoptions\\fR]")
        page.heading("Description")
        page.paragraph(syntax.summary)
        for operand in syntax.operands { page.entry(operand.name, operand.help) }
        page.heading("Options")
        for option in syntax.allOptions {
            page.entry("--" + option.name, value: option.placeholder, option.help + option.remarks)
        }
        guard !syntax.examples.isEmpty else { return }
        page.heading("Examples")
        for example in syntax.examples {
            page.example(example.line)
            page.paragraph(example.purpose)
        }
    }

    private func exitStatus(_ exits: [CommandSyntax.Exit], into page: inout ManualText) {
        page.heading("Exit status")
        guard exits.isEmpty else {
            for exit in exits { page.entry(exit.code, exit.meaning) }
            return
        }
        page.entry("0", "It is done.")
        page.entry("1", "It failed, or a bound that was to hold was broken.")
        page.entry(
            "2", "The words or the settings were wrong; a line on standard error says which, and what was meant.")
    }

    private func seeAlso(otherThan own: String, into page: inout ManualText) {
        var others = commands.map { ("\(name)-\($0.word)", 1) } + pages.map { ("\(name)-\($0.topic)", $0.section) }
        others.insert((name, 1), at: 0)
        page.heading("See also")
        let list = others.filter { $0.0 != own }.map { "\\fB\(ManualText.inline($0.0))\\fR(\($0.1))" }
        page.raw(list.joined(separator: ",\n"))
    }
}

extension String {
    fileprivate var trimmingLineBreak: String { hasSuffix("\n") ? String(dropLast()) : self }
}
