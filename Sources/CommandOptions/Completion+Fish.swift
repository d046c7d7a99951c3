// fish has one line for each thing that can be completed, with the condition under which it can.
extension Program {
    var fishCompletion: String {
        let atStart = "test (count (commandline -opc)) -eq 1"
        var lines = [
            "# Completes the words of \(name) in fish; made by '\(name) completion fish'.",
            "complete -c \(name) -f",
        ]
        for command in commands {
            lines.append("complete -c \(name) -n \(quoted(atStart)) -a \(command.word) -d \(quoted(command.summary))")
        }
        if root == nil {
            lines.append("complete -c \(name) -n \(quoted(atStart)) -a help -d 'Says more about a command.'")
            lines.append("complete -c \(name) -n \(quoted(atStart)) -l help -d 'print the commands'")
            lines.append("complete -c \(name) -n \(quoted(atStart)) -l version -d 'print the version'")
            let words = commands.map(\.word).joined(separator: " ")
            lines.append("complete -c \(name) -n '\(isFirst("help"))' -a \(quoted(words))")
        }
        for command in commands { lines += self.lines(of: command, when: isFirst(command.word)) }
        if let root {
            let names = commands.map(\.word).joined(separator: " ")
            lines += self.lines(of: root, when: "not __fish_seen_subcommand_from \(names)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func isFirst(_ word: String) -> String {
        "__fish_seen_subcommand_from \(word)"
    }

    private func lines(of syntax: CommandSyntax, when condition: String) -> [String] {
        let head = "complete -c \(name) -n \(quoted(condition))"
        let options = syntax.allOptions.map { option in
            let value = option.arity == .flag ? "" : option.takes.fishValue(quoted)
            return "\(head) -l \(option.name)\(value) -d \(quoted(option.brief))"
        }
        // fish does not count operands: it offers what any of them can be.
        let operands = syntax.operands.compactMap { operand -> String? in
            switch operand.takes {
            case .text: nil
            case .file, .folder: "\(head) -F"
            case .choice(let words): "\(head) -a \(quoted(words.joined(separator: " ")))"
            }
        }
        return options + operands
    }

    private func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}

extension CommandSyntax.ValueKind {
    /// The part of an option's line that says what its value is.
    fileprivate func fishValue(_ quoted: (String) -> String) -> String {
        switch self {
        case .text: " -x"
        case .file: " -r -F"
        case .folder: " -x -a '(__fish_complete_directories)'"
        case .choice(let words): " -x -a " + quoted(words.joined(separator: " "))
        }
    }
}
