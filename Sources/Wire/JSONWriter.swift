/// Writing JSON by hand, onto the end of bytes that are going out.
///
/// Messages are written member by member: ``open(_:)`` writes the type, `member` one more field, ``close()`` the end.
extension [UInt8] {
    /// Appends text that is JSON already: a literal of the source.
    @inline(__always)
    mutating func append(json literal: StaticString) {
        // Safe: the buffer is the literal itself and is only copied from.
        literal.withUTF8Buffer { unsafe append(contentsOf: $0) }
    }

    /// Begins a message of a type.
    mutating func open(_ type: StaticString) {
        append(json: #"{"type":""#)
        append(json: type)
        append(.quote)
    }

    mutating func close() {
        append(.closeBrace)
    }

    /// Begins a member that is not an object's first; its value is to follow.
    @inline(__always)
    mutating func member(_ name: StaticString) {
        append(json: #",""#)
        append(json: name)
        append(json: #"":"#)
    }

    mutating func member(_ name: StaticString, _ value: String) {
        member(name)
        append(string: value)
    }

    mutating func member(_ name: StaticString, _ value: some FixedWidthInteger) {
        member(name)
        append(number: value)
    }

    mutating func member(_ name: StaticString, _ value: Bool) {
        member(name)
        append(json: value ? "true" : "false")
    }

    /// Writes a member that is `null` where there is no value.
    mutating func member(_ name: StaticString, orNull value: String?) {
        guard let value else {
            member(name)
            return append(json: "null")
        }
        member(name, value)
    }

    /// Writes a member that is `null` where there is no value.
    mutating func member(_ name: StaticString, orNull value: Int64?) {
        guard let value else {
            member(name)
            return append(json: "null")
        }
        member(name, value)
    }

    /// Writes a member that is left out where there is no value.
    mutating func member(_ name: StaticString, ifAny value: String?) {
        if let value { member(name, value) }
    }

    /// Writes a member that is left out where there is no value.
    mutating func member(_ name: StaticString, ifAny value: (some FixedWidthInteger)?) {
        if let value { member(name, value) }
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

    mutating func member(_ name: StaticString, _ strings: [String]) {
        member(name)
        array(strings) { $0.append(string: $1) }
    }

    /// Appends a string with its quotes; only quotes, backslashes and control characters are escaped.
    mutating func append(string: String) {
        append(.quote)
        let span = string.utf8Span.span
        var index = 0
        while index < span.count {
            let byte = span[index]
            if byte < 0x20 || byte == .quote || byte == .backslash { break }
            index &+= 1
        }
        if index == span.count {
            append(contentsOf: string.utf8)
        } else {
            for index in span.indices { append(character: span[index]) }
        }
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
        var rest = UInt64(number.magnitude)
        if rest < 10 { return append(.zero &+ UInt8(truncatingIfNeeded: rest)) }
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var start = digits.count
        while rest > 0 {
            start &-= 1
            digits[start] = .zero &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        for index in start..<digits.count { append(digits[index]) }
    }
}
