/// Writes a JSON value in the one way that is the same for all texts of an equal value.
///
/// Members stand in the order of their names' bytes, without white space; of a name that an object has twice the
/// last counts. Strings are ASCII, with `\u` escapes for everything else, so that Swift's `==` of strings, which
/// takes differently composed characters for the same, compares exactly the code points. Numbers are a sign, digits
/// without zeros at either end, and an exponent of ten; all zeros are `0`, negative ones too.
enum CanonicalJSON {
    /// The canonical text of a value that was read before; `nil` where it is not UTF-8.
    static func text(of value: JSONValue, in text: Span<UInt8>) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(value.range.count)
        do throws(BadRequest) {
            try append(value, in: text, to: &bytes)
        } catch {
            return nil
        }
        return String(copying: bytes.span)
    }

    /// Whether an object is known, after a short look, to be written in the canonical way already.
    static func isCanonical(_ object: JSONValue, in text: Span<UInt8>) -> Bool {
        let isPlain = object.range.allSatisfy { (0x21...0x7E).contains(text[$0]) && text[$0] != .backslash }
        guard isPlain, object.kind == .object else { return false }
        var members = JSONMembers(object)
        var previous: Range<Int>?
        while let (name, value) = try? members.next(text) {
            if let previous, !precedes(previous, name.range, in: text) { return false }
            previous = name.range
            switch value.kind {
            case .string, .true, .false, .null: break
            case .wholeNumber where value.range.count == 1 || text[value.range.upperBound - 1] != .zero: break
            default: return false
            }
        }
        return true
    }

    private static func precedes(_ first: Range<Int>, _ second: Range<Int>, in text: Span<UInt8>) -> Bool {
        for (one, other) in zip(first, second) where text[one] != text[other] { return text[one] < text[other] }
        return first.count < second.count
    }

    private static func append(_ value: JSONValue, in text: Span<UInt8>, to bytes: inout [UInt8]) throws(BadRequest) {
        switch value.kind {
        case .object: try append(object: value, in: text, to: &bytes)
        case .array: try append(array: value, in: text, to: &bytes)
        case .string, .escapedString, .brokenString: try append(string: value, in: text, to: &bytes)
        case .wholeNumber, .otherNumber: CanonicalNumber(text.extracting(value.range)).append(to: &bytes)
        case .true: bytes.append(json: "true")
        case .false: bytes.append(json: "false")
        case .null: bytes.append(json: "null")
        }
    }

    private static func append(
        object value: JSONValue, in text: Span<UInt8>, to bytes: inout [UInt8]
    ) throws(BadRequest) {
        var members: [(name: [UInt8], value: JSONValue)] = []
        var rest = JSONMembers(value)
        while let (name, value) = try rest.next(text) { members.append((name.unescaped(in: text), value)) }
        // The sort is stable, so that of equal names the last now comes first, and the others can be dropped.
        members.reverse()
        members.sort { $0.name.lexicographicallyPrecedes($1.name) }
        bytes.append(.openBrace)
        var previous: [UInt8]?
        for (name, value) in members where name != previous {
            if previous != nil { bytes.append(.comma) }
            previous = name
            try append(characters: name.span, to: &bytes)
            bytes.append(.colon)
            try append(value, in: text, to: &bytes)
        }
        bytes.append(.closeBrace)
    }

    private static func append(
        array value: JSONValue, in text: Span<UInt8>, to bytes: inout [UInt8]
    ) throws(BadRequest) {
        bytes.append(.openBracket)
        var elements = JSONElements(value)
        var isFirst = true
        while let element = try elements.next(text) {
            if !isFirst { bytes.append(.comma) }
            isFirst = false
            try append(element, in: text, to: &bytes)
        }
        bytes.append(.closeBracket)
    }

    private static func append(
        string value: JSONValue, in text: Span<UInt8>, to bytes: inout [UInt8]
    ) throws(BadRequest) {
        try append(characters: value.unescaped(in: text).span, to: &bytes)
    }

    private static func append(characters: Span<UInt8>, to bytes: inout [UInt8]) throws(BadRequest) {
        guard let string = String(copying: characters) else { throw BadRequest(NotJSON()) }
        bytes.append(.quote)
        for unit in string.utf16 {
            if (0x20...0x7E).contains(unit), unit != UInt16(UInt8.quote), unit != UInt16(UInt8.backslash) {
                bytes.append(UInt8(truncatingIfNeeded: unit))
            } else {
                bytes.append(escaped: unit)
            }
        }
        bytes.append(.quote)
    }
}
