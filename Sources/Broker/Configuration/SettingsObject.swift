/// The members of one object in a settings file; none but known names are in it.
struct SettingsObject {
    /// A value with the path that leads to it, for messages.
    struct Entry {
        var path: String
        var value: SettingsJSON

        var line: Int { value.line }

        var isNull: Bool {
            if case .null = value.kind { true } else { false }
        }

        func error(_ reason: String) -> SettingsError {
            SettingsError(line: line, "\(path) \(reason)")
        }
    }

    /// Where it begins.
    let line: Int
    let path: String
    /// The members in their order, `null` ones too.
    let entries: [(name: String, entry: Entry)]

    /// Takes an object; `known` are the names that it may have (`nil`: any).
    ///
    /// The lines of its members are noted in `lines`, by their paths.
    init(
        _ value: SettingsJSON, _ path: String, known: [String]?, lines: inout [String: Int]
    ) throws(SettingsError) {
        guard case .object(let members) = value.kind else {
            let what = path.isEmpty ? "the settings are" : "\(path) is"
            throw SettingsError(line: value.line, "\(what) an object, {…}, not \(value.described)")
        }
        line = value.line
        self.path = path
        let place = path.isEmpty ? "" : path + "."
        for member in members {
            if let known, !known.contains(member.name) {
                let reason = "there is no setting \"\(place)\(SettingsError.brief(member.name))\""
                throw SettingsError(line: member.line, reason, unknown: member.name, known: known)
            }
            lines[place + member.name] = member.line
        }
        entries = members.map { ($0.name, Entry(path: place + $0.name, value: $0.value)) }
    }

    /// A member; `nil` where it is left out.
    subscript(name: String) -> Entry? {
        entries.first { $0.name == name }?.entry
    }

    /// A member that must be there.
    func required(_ name: String) throws(SettingsError) -> Entry {
        if let entry = self[name] { return entry }
        throw SettingsError(line: line, "\(path) needs \"\(name)\"")
    }
}

// MARK: What a value must be

extension SettingsObject.Entry {
    /// An object with these names.
    func object(_ known: [String]?, lines: inout [String: Int]) throws(SettingsError) -> SettingsObject {
        try SettingsObject(value, path, known: known, lines: &lines)
    }

    /// A list, each element with its number in the path.
    func list() throws(SettingsError) -> [Self] {
        guard case .array(let values) = value.kind else { throw error("is a list, […], not \(value.described)") }
        return values.enumerated().map { Self(path: "\(path)[\($0)]", value: $1) }
    }

    /// A text that is not empty.
    func text() throws(SettingsError) -> String {
        guard case .string(let text) = value.kind else {
            if case .number = value.kind { throw error("is a text, in quotes, not a number") }
            throw error("is a text, not \(value.described)")
        }
        guard !text.isEmpty else { throw error("is empty") }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw error("has a control character in it") }
        return text
    }

    func flag() throws(SettingsError) -> Bool {
        guard case .bool(let flag) = value.kind else { throw error("is true or false, not \(value.described)") }
        return flag
    }

    /// A whole number, in digits alone.
    func whole(in range: ClosedRange<Int>) throws(SettingsError) -> Int {
        guard case .number(let text) = value.kind, let number = Int(text), range.contains(number) else {
            throw error("is a whole number from \(range.lowerBound) to \(range.upperBound), not \(value.described)")
        }
        return number
    }

    func decimal(in range: ClosedRange<Double>, _ words: String) throws(SettingsError) -> Double {
        guard case .number(let text) = value.kind, let number = Double(text), range.contains(number) else {
            throw error("is a number from \(words), not \(value.described)")
        }
        return number
    }

    /// One of a few words.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        of type: Choice.Type
    ) throws(SettingsError) -> Choice {
        let known = Choice.allCases.map(\.rawValue)
        guard case .string(let text) = value.kind else {
            if case .number = value.kind {
                throw error("is \(known.joined(separator: " or ")) as a text, in quotes, not a number")
            }
            throw error("is \(known.joined(separator: " or ")), not \(value.described)")
        }
        if let choice = Choice(rawValue: text) { return choice }
        let reason = "\(path) is \(known.joined(separator: " or ")), not \"\(SettingsError.brief(text))\""
        throw SettingsError(line: line, reason, unknown: text, known: known, isChoice: true)
    }

    /// Refuses all but `null`.
    func unavailable() throws(SettingsError) {
        guard isNull else { throw error("is not available in this version") }
    }
}

extension SettingsJSON {
    /// What it is, in few words; texts are not repeated, for they may be secret.
    var described: String {
        switch kind {
        case .object: "an object"
        case .array: "a list"
        case .string: "a text"
        case .number(let text): text.count <= 24 ? text : "so long a number"
        case .bool(let flag): "\(flag)"
        case .null: "null"
        }
    }
}
