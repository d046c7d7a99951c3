/// The words of a command line, by name, read as what they stand for.
///
/// Options are known by their long name (`url`), operands by their name in capitals (`CHANNEL`). Asking for a name that
/// the syntax does not declare is a mistake of the program, and traps.
public struct CommandWords: Sendable {
    /// What can be asked for instead of a run.
    enum Request: Sendable {
        case help
        case version
    }

    /// One value with the place that it came from, for messages.
    struct Value: Sendable {
        var text: String
        var label: String
        var isDefault = false
    }

    let syntax: CommandSyntax
    let values: [String: [Value]]
    let request: Request?

    /// The text to print on standard output instead of running, exiting with 0; `nil`: run.
    public var textToPrint: String? {
        switch request {
        case .help: syntax.help
        case .version: syntax.version.map { $0 + "\n" }
        case nil: nil
        }
    }

    /// Whether the words or the environment gave it; a default does not count.
    public func isGiven(_ name: String) -> Bool {
        found(name).contains { !$0.isDefault }
    }

    /// Where the value came from, `--url` or `FANFARE_URL`; `nil` where there is none but a default.
    public func source(of name: String) -> String? {
        found(name).first { !$0.isDefault }?.label
    }

    /// What a wrong value is told by: `FANFARE_URL` where it came from there, else `--url`, or an operand's name.
    public func label(of name: String) -> String { found(name).first?.label ?? "--\(name)" }

    /// Whether a flag is set.
    public func flag(_ name: String) -> Bool {
        !found(name).isEmpty
    }

    /// All values of a repeated option or operand, in order.
    public func texts(_ name: String) -> [String] {
        found(name).map(\.text)
    }

    /// The value, or `nil` where there is none and no default.
    public func textIfAny(_ name: String) -> String? {
        found(name).first?.text
    }

    /// The value of something that the command cannot do without.
    ///
    /// - Throws: A ``UsageError`` where it was left out.
    public func text(_ name: String) throws(UsageError) -> String {
        try required(name).text
    }

    /// A length of time: `250ms`, `10s`, `5m`, `1h`, `2d`, or plain seconds; fractions are fine.
    ///
    /// - Throws: A ``UsageError`` where it is missing, no time, or outside of `range`.
    public func duration(_ name: String, in range: ClosedRange<Duration>) throws(UsageError) -> Duration {
        try read(
            name, in: range, as: "a time such as 250ms, 10s, 5m or 1h", parse: parseDuration, show: describe(duration:))
    }

    /// A size in bytes: `512`, `64KiB`, `1MiB` (powers of 1,024), `64kB`, `1MB` (powers of 1,000).
    ///
    /// - Throws: A ``UsageError`` where it is missing, no size, or outside of `range`.
    public func size(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int {
        try read(name, in: range, as: "a size such as 512, 64KiB or 1MiB", parse: parseSize, show: String.init)
    }

    /// A whole number: `1000`, `1_000`, `10k`, `2M`.
    ///
    /// - Throws: A ``UsageError`` where it is missing, no whole number, or outside of `range`.
    public func whole(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int {
        try read(name, in: range, as: "a whole number", parse: parseWhole, show: String.init)
    }

    /// A decimal number: `0.5`, `12`, `10k`.
    ///
    /// - Throws: A ``UsageError`` where it is missing, no number, or outside of `range`.
    public func decimal(_ name: String, in range: ClosedRange<Double>) throws(UsageError) -> Double {
        try read(name, in: range, as: "a number", parse: parseDecimal, show: describe(decimal:))
    }

    /// One of a few words.
    ///
    /// - Throws: A ``UsageError`` where it is missing or none of them; it names them all.
    public func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, as type: Choice.Type = Choice.self
    ) throws(UsageError) -> Choice {
        let value = try required(name)
        if let choice = Choice(rawValue: value.text) { return choice }
        let all = Choice.allCases.map(\.rawValue)
        let near = nearest(to: value.text, among: all).map { "; did you mean \($0)?" } ?? ""
        throw UsageError("\(value.label) is \(all.joined(separator: " or ")), not \"\(value.text)\"\(near)")
    }

    private func found(_ name: String) -> [Value] {
        precondition(
            syntax.options.contains { $0.name == name } || syntax.operands.contains { $0.name == name },
            "\(syntax.name) declares no \(name)")
        return values[name] ?? []
    }

    private func required(_ name: String) throws(UsageError) -> Value {
        if let value = found(name).first { return value }
        let option = syntax.options.first { $0.name == name }
        throw UsageError(option.map { "--\($0.name) \($0.placeholder) is missing: \($0.help)" } ?? "\(name) is missing")
    }

    private func read<Quantity: Comparable>(
        _ name: String, in range: ClosedRange<Quantity>, as kind: String, parse: (String) -> Quantity?,
        show: (Quantity) -> String
    ) throws(UsageError) -> Quantity {
        let value = try required(name)
        guard let quantity = parse(value.text) else {
            throw UsageError("\(value.label) is \(kind), not \"\(value.text)\"")
        }
        guard range.contains(quantity) else {
            throw UsageError(
                "\(value.label) is \(show(range.lowerBound)) to \(show(range.upperBound)), not \(value.text)")
        }
        return quantity
    }
}
