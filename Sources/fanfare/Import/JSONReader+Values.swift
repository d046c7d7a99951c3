// Strings and numbers.

extension JSONReader {
    /// Goes over a `null` where it is next.
    mutating func takeNull() -> Bool {
        passSpace()
        return takeWord("null")
    }

    /// Reads a string.
    mutating func string() throws(Fault) -> String {
        passSpace()
        let start = offset
        let (range, hasEscapes) = try stringRange()
        guard let text = text(range) else { throw Fault(offset: start, words: "this string is not UTF-8") }
        guard hasEscapes else { return text }
        guard let plain = Self.unescaped(text) else { throw Fault(offset: start, words: "this string has half a \\u") }
        return plain
    }

    /// Reads a string or a whole number, which sources use for ids, as text.
    mutating func id() throws(Fault) -> String {
        passSpace()
        return next == UInt8(ascii: "\"") ? try string() : String(try whole())
    }

    /// Reads a whole number.
    mutating func whole() throws(Fault) -> Int64 {
        passSpace()
        let start = offset
        guard let text = text(try numberRange()), let number = Int64(text) else {
            throw Fault(offset: start, words: "a whole number is expected here")
        }
        return number
    }

    /// Whether a number is next.
    var isAtNumber: Bool { next.map { $0 == UInt8(ascii: "-") || isDigit($0) } ?? false }

    /// Reads how many there are of something.
    mutating func count() throws(Fault) -> Int64 {
        passSpace()
        let place = self
        let count = try whole()
        guard count >= 0 else { throw place.fault("a count is 0 or more") }
        return count
    }

    /// Reads a number of seconds since 1970 as Unix milliseconds.
    mutating func seconds() throws(Fault) -> Int64 {
        passSpace()
        let start = offset
        guard let text = text(try numberRange()), let time = UnixTime.milliseconds(seconds: text) else {
            throw Fault(offset: start, words: "a number of seconds since 1970 is expected here")
        }
        return time
    }

    /// Goes over a string: what is between its quotes, and whether there are escapes in it.
    mutating func stringRange() throws(Fault) -> (range: Range<Int>, hasEscapes: Bool) {
        guard next == UInt8(ascii: "\"") else { throw fault("a string is expected here") }
        advance()
        let start = offset
        var hasEscapes = false
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                defer { advance() }
                return (start..<offset, hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                advance()
                try passEscape()
            case ..<0x20: throw fault("a control character cannot stand in a string")
            default: advance()
            }
        }
        throw fault("")
    }

    private mutating func passEscape() throws(Fault) {
        guard let byte = next else { throw fault("") }
        guard "\"\\/bfnrtu".utf8.contains(byte) else { throw fault("this is no escape") }
        advance()
        guard byte == UInt8(ascii: "u") else { return }
        for _ in 0..<4 {
            guard let digit = next, Character(UnicodeScalar(digit)).isHexDigit else { throw fault("this is no escape") }
            advance()
        }
    }

    /// Goes over a number.
    mutating func numberRange() throws(Fault) -> Range<Int> {
        let start = offset
        if next == UInt8(ascii: "-") { advance() }
        if next == UInt8(ascii: "0") { advance() } else { try passDigits() }
        if next == UInt8(ascii: ".") {
            advance()
            try passDigits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            advance()
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { advance() }
            try passDigits()
        }
        return start..<offset
    }

    private mutating func passDigits() throws(Fault) {
        guard let byte = next, isDigit(byte) else { throw fault("this is no value that is expected here") }
        while let byte = next, isDigit(byte) { advance() }
    }

    private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// The text that a well-formed string with escapes stands for; `nil` where a surrogate is alone.
    private static func unescaped(_ text: String) -> String? {
        var units: [UInt16] = []
        var rest = text.utf16[...]
        while let unit = rest.popFirst() {
            guard unit == 0x5C, let kind = rest.popFirst() else {
                units.append(unit)
                continue
            }
            switch UnicodeScalar(kind) {
            case "b": units.append(0x08)
            case "f": units.append(0x0C)
            case "n": units.append(0x0A)
            case "r": units.append(0x0D)
            case "t": units.append(0x09)
            case "u":
                units.append(UInt16(String(decoding: rest.prefix(4), as: UTF16.self), radix: 16) ?? 0xFFFD)
                rest = rest.dropFirst(4)
            default: units.append(kind)
            }
        }
        return String(validating: units, as: UTF16.self)
    }
}

/// Times as exports write them.
enum UnixTime {
    /// What a time may be, in Unix milliseconds: from 1970 to the year 9999.
    static let range: ClosedRange<Int64> = 0...253_402_300_799_999

    /// The milliseconds of a decimal number of seconds such as `1704067200.000100`; `nil` for what is none.
    static func milliseconds(seconds text: String) -> Int64? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = decimal(parts[0], as: Int64.self), (0...253_402_300_799).contains(whole) else { return nil }
        guard parts.count == 2 else { return whole * 1_000 }
        guard decimal(parts[1].prefix(1), as: Int64.self) != nil else { return nil }
        guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return decimal((parts[1] + "00").prefix(3)).map { whole * 1_000 + $0 }
    }
}
