import TestSupport

/// Makes JSON texts of every look, and texts that are almost JSON.
struct JSONTextGenerator {
    var random: SeededGenerator

    /// An object that may be a `ping`, with other members among its own.
    mutating func ping() -> String {
        var members = random.several(4) { _ in () }.map { member(depth: 1) }
        if !random.chance(5) { members.append("\(name("type"))\(space()):\(space())\(string("ping"))") }
        if random.chance(70) { members.append("\(name("id")):\(random.chance(50) ? number() : anyString())") }
        members.shuffle(using: &random)
        return space() + "{" + members.joined(separator: ",\(space())") + "}" + space()
    }

    /// The text with some of its ASCII characters changed, so that it stays UTF-8.
    mutating func mutated(_ text: String) -> String {
        var scalars = Array(text.unicodeScalars)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let index = Int.random(in: 0..<max(1, scalars.count), using: &random)
            let other = Array(
                #"{}[]:,"\u0123456789dD8abfnrtE+-. "#.unicodeScalars + ["\n", "\u{0}", "\u{1F}", "\u{FEFF}"]
            )
            .randomElement(using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: scalars = Array(scalars.prefix(index))
            case 1: scalars.insert(other ?? "x", at: min(index, scalars.count))
            case 2 where index < scalars.count: scalars.remove(at: index)
            case 3 where index < scalars.count: scalars[index] = other ?? "x"
            default: break
            }
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 4 ? 7 : 10), using: &random) {
        case 0: return "null"
        case 1: return "true"
        case 2: return "false"
        case 3, 4: return number()
        case 5, 6: return anyString()
        case 7: return nested(depth: depth)
        case 8:
            let elements = random.several(3) { _ in () }.map { space() + value(depth: depth + 1) + space() }
            return elements.isEmpty ? "[\(space())]" : "[\(elements.joined(separator: ","))]"
        default:
            let members = random.several(3) { _ in () }.map { member(depth: depth + 1) }
            return "{\(space())\(members.joined(separator: ","))\(space())}"
        }
    }

    /// Arrays inside each other, around the bound of 32 levels.
    private mutating func nested(depth: Int) -> String {
        guard random.chance(10) else { return "[]" }
        let levels = Int.random(in: 24...34, using: &random)
        return String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }

    private mutating func member(depth: Int) -> String {
        let name =
            random.chance(80) ? name(random.pick("x", "y", "key", "channel", "data", "", "é", "type")) : anyString()
        return "\(space())\(name)\(space()):\(space())\(value(depth: depth))\(space())"
    }

    mutating func number() -> String {
        let sign = random.pick("", "", "-")
        let whole = random.pick("0", "7", "42", "9007199254740991", "9007199254740992", "18446744073709551616")
        let fraction = random.chance(20) ? random.pick(".0", ".5", ".10") : ""
        let exponent = random.chance(20) ? random.pick("e0", "E+2", "e-2", "e05") : ""
        return sign + whole + fraction + exponent
    }

    /// A string literal of a known value, each character perhaps escaped.
    mutating func string(_ value: String) -> String {
        "\""
            + value.utf16.map { unit in
                guard random.chance(8), let scalar = Unicode.Scalar(unit) else {
                    return Unicode.Scalar(unit).map { String($0) } ?? ""
                }
                let digits = String(scalar.value, radix: 16, uppercase: random.chance(50))
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined() + "\""
    }

    private mutating func name(_ name: String) -> String { string(name) }

    mutating func anyString() -> String {
        let pieces = random.several(6) { random in
            random.pick(
                "a", "Z9", " ", "é", "👍", "e\u{301}", "\u{2028}", #"\n"#, #"\""#, #"\\"#, #"\/"#, #"\b\f\r\t"#,
                #"\u0000"#,
                #"\u00e9"#, #"\uD83D\udc4D"#, random.chance(15) ? #"\ud83d"# : "", random.chance(15) ? #"\uDC4D"# : "")
        }
        return "\"" + pieces.joined() + "\""
    }

    private mutating func space() -> String {
        random.chance(80) ? "" : random.pick(" ", "\n", "\t", "\r\n", "  ")
    }
}
