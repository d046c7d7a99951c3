extension CommandSyntax {
    /// The text of `--help`: summary, usage, operands, options, exit codes, examples; ends with a line break.
    public var help: String {
        var sections = ["\(summary)\n\nUsage: \(usage)\n"]
        if !operands.isEmpty {
            sections.append("\n" + table(operands.map { ($0.name, $0.help) }))
        }
        sections.append("\nOptions:\n" + table(optionRows))
        if !exits.isEmpty { sections.append("\nExit status:\n" + table(exits.map { ($0.code, $0.meaning) })) }
        if !examples.isEmpty {
            let lines = examples.map { "  \($0.line)\n      \($0.purpose)\n" }
            sections.append("\nExamples:\n" + lines.joined())
        }
        return sections.joined()
    }

    /// The one-line form, `fanfare watch CHANNEL [options]`.
    public var usage: String {
        let words = operands.map { operand in
            let name = operand.isRepeated ? operand.name + "…" : operand.name
            return operand.isRequired ? name : "[\(name)]"
        }
        return ([name] + words + ["[options]"]).joined(separator: " ")
    }

    private var optionRows: [(String, String)] {
        var rows = options.map { option in
            let placeholder = option.placeholder.isEmpty ? "" : " " + option.placeholder
            return ("--\(option.name)\(placeholder)", option.help + option.remarks)
        }
        rows.append(("--help", "print this text"))
        if version != nil { rows.append(("--version", "print the version")) }
        return rows
    }
}

extension CommandSyntax.Option {
    /// What is said behind the help: the default, that it may be repeated, the environment's name.
    var remarks: String {
        var remarks: [String] = []
        if let defaultText { remarks.append("default \(defaultText)") }
        if arity == .repeated { remarks.append("may be repeated") }
        if readsEnvironment { remarks.append("or \(environmentName)") }
        return remarks.isEmpty ? "" : " (\(remarks.joined(separator: "; ")))"
    }
}

/// Two columns; a left side that is too wide stands on a line of its own, a right side is broken at 100 columns.
func table(_ rows: [(String, String)]) -> String {
    let width = min(28, rows.map(\.0.count).max() ?? 0)
    let indent = String(repeating: " ", count: width + 4)
    var text = ""
    for (left, right) in rows {
        text += "  \(left)"
        text += left.count > width ? "\n" + indent : String(repeating: " ", count: width - left.count + 2)
        text += wrapped(right, at: 96 - width).joined(separator: "\n" + indent) + "\n"
    }
    return text
}

private func wrapped(_ text: String, at width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
        if !line.isEmpty, line.count + 1 + word.count > width {
            lines.append(line)
            line = ""
        }
        line += line.isEmpty ? String(word) : " " + word
    }
    lines.append(line)
    return lines
}
