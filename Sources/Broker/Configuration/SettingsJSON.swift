/// A JSON value (RFC 8259) that knows its line, so that a wrong setting can be pointed at.
struct SettingsJSON: Sendable {
    /// What it is.
    enum Kind: Sendable {
        case object([Member])
        case array([SettingsJSON])
        case string(String)
        /// As it was written; its form is that of RFC 8259 section 6.
        case number(String)
        case bool(Bool)
        case null
    }

    /// One name with its value.
    struct Member: Sendable {
        var name: String
        /// Where the name stands.
        var line: Int
        var value: SettingsJSON
    }

    /// Where it begins, counted from 1.
    var line: Int
    var kind: Kind

    /// Reads a whole text: one value, and white space around it.
    ///
    /// Stricter than the RFC asks for where leniency would hide a mistake: a name may stand once in an object, and a
    /// byte-order mark or a lone surrogate is refused.
    static func read(_ bytes: [UInt8]) throws(SettingsError) -> SettingsJSON {
        var reader = Reader(bytes: bytes)
        return try reader.readAll()
    }
}

/// Walks through the bytes of a text once.
private struct Reader {
    private static let maxDepth = 32
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    let bytes: [UInt8]
    private var at = 0
    private var line = 1

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func readAll() throws(SettingsError) -> SettingsJSON {
        // RFC 8259 section 8.1: it is not to be there, and to go on behind it is not asked for.
        guard !bytes.starts(with: Reader.byteOrderMark) else {
            throw SettingsError(line: 1, "a byte-order mark stands before the text: save it as UTF-8 without one (BOM)")
        }
        do { _ = try UTF8Span(validating: bytes.span) } catch {
            let newlines = bytes[..<error.byteOffsets.lowerBound].count { $0 == UInt8(ascii: "\n") }
            throw SettingsError(line: 1 + newlines, "this is not UTF-8")
        }
        let value = try readValue(depth: 0)
        skipSpace()
        guard at == bytes.count else { throw unexpected("the end") }
        return value
    }

    private mutating func readValue(depth: Int) throws(SettingsError) -> SettingsJSON {
        skipSpace()
        guard depth < Reader.maxDepth else { throw SettingsError(line: line, "this is nested too deeply") }
        let begin = line
        switch peek {
        case UInt8(ascii: "{"): return SettingsJSON(line: begin, kind: .object(try readObject(depth: depth)))
        case UInt8(ascii: "["): return SettingsJSON(line: begin, kind: .array(try readArray(depth: depth)))
        case UInt8(ascii: "\""): return SettingsJSON(line: begin, kind: .string(try readString()))
        case (UInt8(ascii: "0")...UInt8(ascii: "9"))?, UInt8(ascii: "-"):
            return SettingsJSON(line: begin, kind: .number(try readNumber()))
        default: break
        }
        if take("true") { return SettingsJSON(line: begin, kind: .bool(true)) }
        if take("false") { return SettingsJSON(line: begin, kind: .bool(false)) }
        if take("null") { return SettingsJSON(line: begin, kind: .null) }
        throw unexpected("a value")
    }

    private mutating func readObject(depth: Int) throws(SettingsError) -> [SettingsJSON.Member] {
        at += 1
        var members: [SettingsJSON.Member] = []
        var seen: Set<String> = []
        skipSpace()
        if take("}") { return members }
        repeat {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw unexpected("a name in quotes") }
            let begin = line
            let name = try readString()
            guard seen.insert(name).inserted else {
                throw SettingsError(line: begin, "the name \"\(SettingsError.brief(name))\" stands here twice")
            }
            skipSpace()
            guard take(":") else { throw unexpected("a ':' behind \"\(SettingsError.brief(name))\"") }
            members.append(.init(name: name, line: begin, value: try readValue(depth: depth + 1)))
            skipSpace()
        } while take(",")
        guard take("}") else { throw unexpected("',' or '}'") }
        return members
    }

    private mutating func readArray(depth: Int) throws(SettingsError) -> [SettingsJSON] {
        at += 1
        var values: [SettingsJSON] = []
        skipSpace()
        if take("]") { return values }
        repeat {
            values.append(try readValue(depth: depth + 1))
            skipSpace()
        } while take(",")
        guard take("]") else { throw unexpected("',' or ']'") }
        return values
    }

    /// A number, from its first byte on.
    private mutating func readNumber() throws(SettingsError) -> String {
        let begin = at
        _ = take("-")
        if !take("0") { try readDigits() }
        if take(".") { try readDigits() }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            try readDigits()
        }
        return String(decoding: bytes[begin..<at], as: UTF8.self)
    }

    private mutating func readDigits() throws(SettingsError) {
        let begin = at
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { at += 1 }
        guard at > begin else { throw unexpected("a digit") }
    }
}

// MARK: Strings

extension Reader {
    private mutating func readString() throws(SettingsError) -> String {
        at += 1
        var text: [UInt8] = []
        while let byte = peek {
            at += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): try readEscape(into: &text)
            case 0..<0x20: throw SettingsError(line: line, "a string has a line break or a control character in it")
            default: text.append(byte)
            }
        }
        throw SettingsError(line: line, "a string has no end")
    }

    private mutating func readEscape(into text: inout [UInt8]) throws(SettingsError) {
        guard let byte = peek else { throw SettingsError(line: line, "a string has no end") }
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text += String(try readEscapedScalar()).utf8
        default: throw SettingsError(line: line, "a string has a \\ before what needs none")
        }
    }

    /// What stands behind `\u`, with its second half where it is a surrogate.
    private mutating func readEscapedScalar() throws(SettingsError) -> Character {
        let first = try readUnit()
        if let scalar = Unicode.Scalar(first) { return Character(scalar) }
        guard UTF16.isLeadSurrogate(first), take("\\u") else { throw loneSurrogate }
        let second = try readUnit()
        guard UTF16.isTrailSurrogate(second) else { throw loneSurrogate }
        let value = 0x1_0000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        guard let scalar = Unicode.Scalar(value) else { throw loneSurrogate }
        return Character(scalar)
    }

    private var loneSurrogate: SettingsError {
        SettingsError(line: line, "a string has half of a surrogate pair in it")
    }

    private mutating func readUnit() throws(SettingsError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw SettingsError(line: line, "four hexadecimal digits must follow \\u")
            }
            unit = unit << 4 | UInt16(digit)
            at += 1
        }
        return unit
    }
}

// MARK: Bytes

extension Reader {
    private var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
            if byte == 0x0A { line += 1 }
            at += 1
        }
    }

    /// Goes on behind these bytes, which have no line break, where they come next.
    private mutating func take(_ text: StaticString) -> Bool {
        let word = text.description.utf8
        guard bytes[at...].starts(with: word) else { return false }
        at += word.count
        return true
    }

    private func unexpected(_ wanted: String) -> SettingsError {
        guard peek != nil else { return SettingsError(line: line, "the text ends where \(wanted) should be") }
        let rest = String(decoding: bytes[at...].prefix(64), as: UTF8.self)
        return SettingsError(line: line, "\(wanted) should be here, not '\(rest.prefix(1))'")
    }
}
