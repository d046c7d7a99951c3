extension CommandSyntax {
    /// Sorts the words of a command line.
    ///
    /// Options and operands may be mixed; after a `--` every word is an operand, and a lone `-` always is. Where
    /// `--help` or `--version` stands, the rest is not judged. An option's value comes from the words, else (where
    /// declared) from the environment, else from its default; an environment variable that is empty counts as unset.
    ///
    /// - Parameters:
    ///   - words: What was typed after the command's name.
    ///   - environment: The variables of the process.
    /// - Returns: The words by name, their values not yet judged.
    /// - Throws: A ``UsageError`` for an unknown option, a missing or superfluous value, a repeated option that may
    ///   stand once, and a missing or superfluous operand.
    public func parse(_ words: [String], environment: [String: String] = [:]) throws(UsageError) -> CommandWords {
        if let request = request(in: words) {
            return CommandWords(syntax: self, values: [:], request: request)
        }
        var values: [String: [CommandWords.Value]] = [:]
        var operandWords: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                operandWords += rest
                break
            }
            if word.hasPrefix("--") {
                try take(word, &rest, into: &values)
            } else if word.hasPrefix("-"), word.count > 1 {
                throw UsageError("unknown option \(word)\(hint(forShort: word))")
            } else {
                operandWords.append(word)
            }
        }
        try assign(operandWords, into: &values)
        try fill(from: environment, into: &values)
        return CommandWords(syntax: self, values: values, request: nil)
    }

    /// What is asked for instead of a run.
    private func request(in words: [String]) -> CommandWords.Request? {
        for word in words {
            switch word {
            case "--": return nil
            case "--help", "-h": return .help
            case "--version" where version != nil: return .version
            default: continue
            }
        }
        return nil
    }

    /// Takes one option, and its value from the word itself or from the next one.
    private func take(
        _ word: String, _ rest: inout ArraySlice<String>, into values: inout [String: [CommandWords.Value]]
    ) throws(UsageError) {
        let name: String
        var text: String?
        if let equals = word.firstIndex(of: "=") {
            name = String(word[..<equals].dropFirst(2))
            text = String(word[word.index(after: equals)...])
        } else {
            name = String(word.dropFirst(2))
        }
        guard let option = options.first(where: { $0.name == name }) else {
            throw UsageError("unknown option --\(name)\(hint(for: name))")
        }
        if option.arity == .flag {
            guard text == nil else { throw UsageError("--\(name) takes no value") }
            text = "true"
        } else if text == nil {
            guard let next = rest.first else { throw UsageError("--\(name) needs a value: \(option.placeholder)") }
            guard !next.hasPrefix("--") else {
                throw UsageError(
                    "--\(name) needs a value: \(option.placeholder), not \(next) (if meant: --\(name)=\(next))")
            }
            text = next
            rest.removeFirst()
        }
        // What a script's unset variable leaves behind is never meant, least of all for a secret.
        if text == "" { throw UsageError("--\(name) is empty; it needs a value: \(option.placeholder)") }
        if option.arity == .once, values[name] != nil {
            throw UsageError("--\(name) stands twice; it takes one value")
        }
        values[name, default: []].append(.init(text: text ?? "", label: "--\(name)"))
    }

    /// Gives the words without a name to the operands, in order.
    private func assign(
        _ words: [String], into values: inout [String: [CommandWords.Value]]
    ) throws(UsageError) {
        var rest = words[...]
        for operand in operands {
            guard let first = rest.popFirst() else {
                guard operand.isRequired else { continue }
                throw UsageError("\(operand.name) is missing: \(operand.help)")
            }
            values[operand.name] = [.init(text: first, label: operand.name)]
            if operand.isRepeated {
                values[operand.name, default: []] += rest.map { .init(text: $0, label: operand.name) }
                rest = []
            }
        }
        if let extra = rest.first {
            let taken = operands.map(\.name).joined(separator: " ")
            throw UsageError(
                "unexpected word \"\(extra)\"; \(name) takes \(taken.isEmpty ? "options only" : "\(taken) and options")"
            )
        }
    }

    /// Fills in what the words left out.
    private func fill(
        from environment: [String: String], into values: inout [String: [CommandWords.Value]]
    ) throws(UsageError) {
        for option in options where values[option.name] == nil {
            if option.readsEnvironment, let text = environment[option.environmentName], !text.isEmpty {
                values[option.name] = try option.values(fromEnvironment: text)
            } else if let text = option.defaultText {
                values[option.name] = [.init(text: text, label: "--\(option.name)", isDefault: true)]
            }
        }
    }

    private func hint(for name: String) -> String {
        let known = options.map(\.name) + ["help"] + (version == nil ? [] : ["version"])
        return nearest(to: name, among: known).map { "; did you mean --\($0)?" } ?? "; see \(self.name) --help"
    }

    /// For `-url` the hint is `--url`.
    private func hint(forShort word: String) -> String {
        let bare = String(word.dropFirst().prefix { $0 != "=" })
        let hint = hint(for: bare)
        return hint.hasPrefix("; did") ? hint : hint + " (a word that begins with - goes behind --)"
    }
}

extension CommandSyntax.Option {
    /// The values that an environment variable stands for; none for a flag that it turns off.
    fileprivate func values(fromEnvironment text: String) throws(UsageError) -> [CommandWords.Value]? {
        let label = environmentName
        switch arity {
        case .once: return [.init(text: text, label: label)]
        case .repeated:
            return text.split(separator: ",").map { .init(text: String($0), label: label) }
        case .flag:
            switch text.lowercased() {
            case "1", "true", "yes", "on": return [.init(text: "true", label: label)]
            case "0", "false", "no", "off": return nil
            default: throw UsageError("\(label) is true or false, not \"\(text)\"")
            }
        }
    }
}
