/// What both ends of the opening handshake share (RFC 6455 section 4).
enum HandshakeFields {
    private static let keySuffix = Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)

    /// Appends the answer to a `Sec-WebSocket-Key` (section 4.2.2).
    static func append(acceptKeyFor key: Span<UInt8>, to output: inout [UInt8]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(key.count + keySuffix.count)
        bytes.append(key)
        bytes.append(contentsOf: keySuffix)
        let hash = SHA1.hash(bytes.span)
        Base64.append(hash.span, to: &output)
    }

    /// The values of all fields of a name, in order; names are compared without case.
    static func values(_ name: String, in headers: [(name: String, value: String)]) -> [String] {
        var values: [String] = []
        for header in headers where isSame(header.name, name) { values.append(header.value) }
        return values
    }

    /// Whether the list has an element, compared without case.
    static func hasElement(_ name: String, _ element: String, in headers: [(name: String, value: String)]) -> Bool {
        headers.contains { isSame($0.name, name) && hasElement($0.value.utf8.span, element.utf8.span) }
    }

    /// Whether a comma-separated list (RFC 9110 section 5.6.1) has an element, compared without case.
    static func hasElement(_ list: Span<UInt8>, _ element: Span<UInt8>) -> Bool {
        var start = 0
        while let range = nextElement(of: list, from: &start) {
            if isSame(list.extracting(range), element) { return true }
        }
        return false
    }

    /// Where the next element of a list is, without the blanks around it; moves `start` behind its comma.
    static func nextElement(of list: Span<UInt8>, from start: inout Int) -> Range<Int>? {
        guard start <= list.count else { return nil }
        var first = start
        var end = start
        while end < list.count, list[end] != UInt8(ascii: ",") { end += 1 }
        start = end + 1
        while first < end, isBlank(list[first]) { first += 1 }
        while end > first, isBlank(list[end - 1]) { end -= 1 }
        return first..<end
    }

    /// Takes blanks and tabs off both ends.
    static func trim(_ text: Substring) -> Substring {
        var trimmed = text.utf8.drop(while: isBlank)
        while let last = trimmed.last, isBlank(last) { trimmed.removeLast() }
        return Substring(trimmed)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// Whether two names are the same but for the case of their ASCII letters.
    private static func isSame(_ one: String, _ other: String) -> Bool { isSame(one.utf8.span, other.utf8.span) }

    static func isSame(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        guard one.count == other.count else { return false }
        for index in one.indices {
            let byte = one[index]
            let difference = byte ^ other[index]
            guard difference == 0 || difference == 0x20 && isLetter(byte | 0x20) else { return false }
        }
        return true
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
}
