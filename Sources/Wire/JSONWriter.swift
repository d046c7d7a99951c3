/// Writing JSON by hand, onto the end of bytes that are going out.
///
/// A message is written piece by piece: `open` writes `{"type":"…"`, each `member` its piece of JSON up to the colon
/// (`,"seq":`, in one, as every piece costs) and its value, ``close()`` the end.
extension [UInt8] {
    /// Appends a piece of JSON from the source.
    @inline(__always)
    mutating func append(json piece: StaticString) {
        // Safe: the buffer is the literal itself and is only copied from.
        piece.withUTF8Buffer { unsafe append(contentsOf: $0) }
    }

    mutating func close() {
        append(.closeBrace)
    }

    mutating func member(_ piece: StaticString, _ value: String) {
        append(json: piece)
        append(string: value)
    }

    mutating func member(_ piece: StaticString, _ value: some FixedWidthInteger) {
        append(json: piece)
        append(number: value)
    }

    mutating func member(_ piece: StaticString, _ value: Bool) {
        append(json: piece)
        append(json: value ? "true" : "false")
    }

    mutating func member(_ piece: StaticString, _ strings: [String]) {
        append(json: piece)
        array(strings) { $0.append(string: $1) }
    }

    /// Writes a member that is `null` where there is no value.
    mutating func member(_ piece: StaticString, orNull value: String?) {
        append(json: piece)
        if let value { append(string: value) } else { append(json: "null") }
    }

    /// Writes a member that is `null` where there is no value.
    mutating func member(_ piece: StaticString, orNull value: Int64?) {
        append(json: piece)
        if let value { append(number: value) } else { append(json: "null") }
    }

    /// Writes a member that is left out where there is no value.
    mutating func member(_ piece: StaticString, ifAny value: String?) {
        if let value { member(piece, value) }
    }

    /// Writes a member that is left out where there is no value.
    mutating func member(_ piece: StaticString, ifAny value: (some FixedWidthInteger)?) {
        if let value { member(piece, value) }
    }

    /// Writes the elements of an array, each by `write`.
    @inline(__always)
    mutating func array<Value>(_ elements: [Value], _ write: (inout [UInt8], Value) -> Void) {
        append(.openBracket)
        var isFirst = true
        for element in elements {
            if !isFirst { append(.comma) }
            isFirst = false
            write(&self, element)
        }
        append(.closeBracket)
    }

    /// Appends a string with its quotes; only quotes, backslashes and control characters are escaped.
    mutating func append(string: String) {
        let characters = string.utf8Span.span
        var isPlain = true
        append(addingCapacity: characters.count &+ 2) { output in
            output.append(.quote)
            for index in characters.indices {
                let byte = characters[index]
                if byte < 0x20 || byte == .quote || byte == .backslash { isPlain = false }
                output.append(byte)
            }
            output.append(.quote)
        }
        guard !isPlain else { return }
        removeLast(characters.count &+ 1)
        for index in characters.indices { append(character: characters[index]) }
        append(.quote)
    }

    private mutating func append(character byte: UInt8) {
        switch byte {
        case .quote, .backslash:
            append(.backslash)
            append(byte)
        case 0x0A: append(json: #"\n"#)
        case 0x0D: append(json: #"\r"#)
        case 0x09: append(json: #"\t"#)
        case ..<0x20: append(escaped: UInt16(byte))
        default: append(byte)
        }
    }

    /// Appends a UTF-16 code unit as a `\u` escape.
    mutating func append(escaped unit: UInt16) {
        append(json: #"\u"#)
        append(.hexDigit(unit >> 12))
        append(.hexDigit(unit >> 8))
        append(.hexDigit(unit >> 4))
        append(.hexDigit(unit))
    }

    /// Appends a whole number in decimal digits.
    mutating func append(number: some FixedWidthInteger) {
        if number < 0 { append(.hyphen) }
        append(digitsOf: UInt64(number.magnitude))
    }

    private mutating func append(digitsOf number: UInt64) {
        var rest = number
        var digits = InlineArray<20, UInt8>(repeating: .zero)
        var start = digits.count
        repeat {
            start &-= 1
            digits[start] = .zero &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        append(addingCapacity: digits.count &- start) { output in
            for index in start..<digits.count { output.append(digits[index]) }
        }
    }
}
