/// The text is not JSON (RFC 8259), or deeper than it may be.
struct NotJSON: Error, Equatable {
    var isTooDeep = false
}

/// A value found in a text: what it is and where it is; nothing has been copied.
struct JSONValue: BitwiseCopyable {
    /// The kinds of values, as finely as a reader needs them.
    enum Kind: UInt8 {
        /// A string whose bytes are its value.
        case string
        /// A string with escapes.
        case escapedString
        /// A string with an escaped surrogate that has no partner: it names no text.
        case brokenString
        /// A number of digits only, or `-0`.
        case wholeNumber
        case otherNumber
        case `true`, `false`, null, object, array
    }

    /// Positions are below this, so that a value is eight bytes.
    static let maxPosition = 1 << 30

    /// From the top: four bits of kind, thirty of the start, thirty of the length.
    private let packed: UInt64

    @inline(__always)
    init(_ kind: Kind, _ start: Int, _ end: Int) {
        let start = UInt64(truncatingIfNeeded: start) & 0x3FFF_FFFF
        let length = UInt64(truncatingIfNeeded: max(end, 0)) &- start
        packed = UInt64(kind.rawValue) << 60 | start << 30 | length & 0x3FFF_FFFF
    }

    var kind: Kind { Kind(rawValue: UInt8(packed >> 60)) ?? .null }

    /// The value's bytes; those of a string are without its quotes.
    var range: Range<Int> {
        let start = Int(packed >> 30 & 0x3FFF_FFFF)
        return start..<(start &+ Int(packed & 0x3FFF_FFFF))
    }
}

/// A member's name, and its bytes packed as far as it has no escapes.
struct JSONName {
    var value: JSONValue
    var packed: PackedWord
}

/// Reads JSON (RFC 8259, all of its grammar) in one pass over borrowed bytes, without allocating.
///
/// The caller asks for what comes next; what is not asked for is checked all the same. The text is handed to every
/// call, as a struct cannot keep a `Span` yet. It may hold anything: texts of 1 GiB and more are refused, and
/// bytes above 0x7F are taken inside strings as they are.
struct JSONScanner {
    /// Where the next byte is.
    private(set) var position: Int
    /// Whether any string so far, names among them, had an escaped surrogate without a partner.
    private(set) var hasLoneSurrogate = false
    /// How many arrays and objects may be inside each other.
    let maxDepth: Int

    /// Makes a scanner of the text from a position on.
    init(at position: Int = 0, maxDepth: Int) {
        self.position = position
        self.maxDepth = maxDepth
    }

    /// The byte at the position; 0, which no token starts with, at the end.
    @inline(__always)
    private func peek(_ text: Span<UInt8>) -> UInt8 {
        position < text.count ? text[position] : 0
    }

    @inline(__always)
    mutating func skipWhiteSpace(_ text: Span<UInt8>) {
        while peek(text).isWhiteSpace { position &+= 1 }
    }

    /// Moves to the one value that the whole text must be, and tells whether it can be an object.
    mutating func startsObject(_ text: Span<UInt8>) throws(NotJSON) -> Bool {
        guard text.count < JSONValue.maxPosition else { throw NotJSON() }
        skipWhiteSpace(text)
        return peek(text) == .openBrace
    }

    /// Reads the one value that the text must be from the position on.
    mutating func document(_ text: Span<UInt8>) throws(NotJSON) -> JSONValue {
        let value = try value(text, depth: 0)
        try end(text)
        return value
    }

    /// Checks that only white space is left.
    mutating func end(_ text: Span<UInt8>) throws(NotJSON) {
        skipWhiteSpace(text)
        guard position == text.count else { throw NotJSON() }
    }

    /// Reads a value that starts at the position, inside `depth` arrays and objects.
    mutating func value(_ text: Span<UInt8>, depth: Int) throws(NotJSON) -> JSONValue {
        let start = position
        switch peek(text) {
        case .quote: return try string(text)
        case .openBrace:
            guard try begin(text, .closeBrace, depth: depth) else { return JSONValue(.object, start, position) }
            repeat {
                _ = try name(text)
                _ = try value(text, depth: depth &+ 1)
            } while try goesOn(text, .closeBrace)
            return JSONValue(.object, start, position)
        case .openBracket:
            guard try begin(text, .closeBracket, depth: depth) else { return JSONValue(.array, start, position) }
            repeat {
                _ = try value(text, depth: depth &+ 1)
            } while try goesOn(text, .closeBracket)
            return JSONValue(.array, start, position)
        case .letterT: return try word([0x74, 0x72, 0x75, 0x65], .true, text)
        case .letterF: return try word([0x66, 0x61, 0x6C, 0x73, 0x65], .false, text)
        case .letterN: return try word([0x6E, 0x75, 0x6C, 0x6C], .null, text)
        default: return try number(text)
        }
    }

    // MARK: Arrays and objects

    /// Steps into an array or object; `false`: it was empty and is behind the position.
    mutating func begin(_ text: Span<UInt8>, _ closing: UInt8, depth: Int) throws(NotJSON) -> Bool {
        guard depth < maxDepth else { throw NotJSON(isTooDeep: true) }
        position &+= 1
        skipWhiteSpace(text)
        guard peek(text) == closing else { return true }
        position &+= 1
        return false
    }

    /// Steps over what follows an element or member; `false`: that was the end of the array or object.
    mutating func goesOn(_ text: Span<UInt8>, _ closing: UInt8) throws(NotJSON) -> Bool {
        skipWhiteSpace(text)
        let byte = peek(text)
        guard byte == .comma || byte == closing else { throw NotJSON() }
        position &+= 1
        guard byte == .comma else { return false }
        skipWhiteSpace(text)
        return true
    }

    /// Reads a member's name and the colon; the value is next.
    mutating func name(_ text: Span<UInt8>) throws(NotJSON) -> JSONName {
        guard peek(text) == .quote else { throw NotJSON() }
        position &+= 1
        let start = position
        var index = start
        var packed = PackedWord()
        while index < text.count {
            let byte = text[index]
            if byte == .quote || byte == .backslash || byte < 0x20 { break }
            packed.append(byte)
            index &+= 1
        }
        position = index
        var name = JSONName(value: JSONValue(.string, start, index), packed: packed)
        if peek(text) == .quote {
            position &+= 1
        } else {
            name.value = try restOfString(text, from: start)
        }
        skipWhiteSpace(text)
        guard peek(text) == .colon else { throw NotJSON() }
        position &+= 1
        skipWhiteSpace(text)
        return name
    }

    // MARK: Strings

    private mutating func string(_ text: Span<UInt8>) throws(NotJSON) -> JSONValue {
        position &+= 1
        let start = position
        var index = start
        while index < text.count {
            let byte = text[index]
            if byte == .quote || byte == .backslash || byte < 0x20 { break }
            index &+= 1
        }
        position = index
        if peek(text) == .quote {
            position &+= 1
            return JSONValue(.string, start, index)
        }
        return try restOfString(text, from: start)
    }

    /// Goes on with a string where its first escape, or its early end, is.
    private mutating func restOfString(_ text: Span<UInt8>, from start: Int) throws(NotJSON) -> JSONValue {
        var kind = JSONValue.Kind.escapedString
        while position < text.count {
            let byte = text[position]
            guard byte >= 0x20 else { break }
            position &+= 1
            if byte == .quote { return JSONValue(kind, start, position &- 1) }
            if byte == .backslash, try !escape(text) {
                kind = .brokenString
                hasLoneSurrogate = true
            }
        }
        throw NotJSON()
    }

    /// Reads what follows a backslash; `false`: it was a surrogate without a partner.
    private mutating func escape(_ text: Span<UInt8>) throws(NotJSON) -> Bool {
        let byte = peek(text)
        position &+= 1
        switch byte {
        case .quote, .backslash, .solidus, .letterB, .letterF, .letterN, .letterR, .letterT: return true
        case .letterU: break
        default: throw NotJSON()
        }
        let unit = try hexDigits(text)
        guard UTF16.isSurrogate(unit) else { return true }
        guard UTF16.isLeadSurrogate(unit), peek(text) == .backslash, position &+ 1 < text.count,
            text[position &+ 1] == .letterU
        else { return false }
        // What follows counts as the partner only if it is one; otherwise it is read again, by itself.
        let next = position
        position &+= 2
        if UTF16.isTrailSurrogate(try hexDigits(text)) { return true }
        position = next
        return false
    }

    private mutating func hexDigits(_ text: Span<UInt8>) throws(NotJSON) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = peek(text).hexDigitValue else { throw NotJSON() }
            unit = unit << 4 | digit
            position &+= 1
        }
        return unit
    }

    // MARK: Numbers and words

    private mutating func number(_ text: Span<UInt8>) throws(NotJSON) -> JSONValue {
        let start = position
        let isNegative = peek(text) == .hyphen
        if isNegative { position &+= 1 }
        let isZero = peek(text) == .zero
        if isZero { position &+= 1 } else { try digits(text) }
        var isWhole = !isNegative || isZero
        if peek(text) == .fullStop {
            isWhole = false
            position &+= 1
            try digits(text)
        }
        if peek(text) == .letterE || peek(text) == .capitalE {
            isWhole = false
            position &+= 1
            if peek(text) == .plus || peek(text) == .hyphen { position &+= 1 }
            try digits(text)
        }
        return JSONValue(isWhole ? .wholeNumber : .otherNumber, start, position)
    }

    /// Reads one digit or more.
    private mutating func digits(_ text: Span<UInt8>) throws(NotJSON) {
        guard peek(text).isDigit else { throw NotJSON() }
        while peek(text).isDigit { position &+= 1 }
    }

    private mutating func word<let count: Int>(
        _ letters: InlineArray<count, UInt8>, _ kind: JSONValue.Kind, _ text: Span<UInt8>
    ) throws(NotJSON) -> JSONValue {
        let start = position
        for index in letters.indices {
            guard peek(text) == letters[index] else { throw NotJSON() }
            position &+= 1
        }
        return JSONValue(kind, start, position)
    }
}
