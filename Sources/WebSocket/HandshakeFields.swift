/// What both ends of the opening handshake share (RFC 6455 section 4).
enum HandshakeFields {
    /// The answer to a `Sec-WebSocket-Key` (section 4.2.2).
    static func acceptKey(for key: String) -> String {
        var bytes = Array(key.utf8)
        bytes.append(contentsOf: "258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)
        return Base64.encode(SHA1.hash(bytes))
    }

    /// The values of all fields of a name, in order; names are compared without case.
    static func values(_ name: String, in headers: [(name: String, value: String)]) -> [String] {
        var values: [String] = []
        for header in headers where isSame(header.name, name) { values.append(header.value) }
        return values
    }

    /// The elements of comma-separated lists in all fields of a name, blanks and empty ones left out (RFC 9110 5.6.1).
    static func elements(_ name: String, in headers: [(name: String, value: String)]) -> [String] {
        var elements: [String] = []
        for header in headers where isSame(header.name, name) {
            let bytes = Array(header.value.utf8)
            var start = 0
            while let range = nextElement(of: bytes.span, from: &start) {
                if !range.isEmpty { elements.append(String(decoding: bytes[range], as: UTF8.self)) }
            }
        }
        return elements
    }

    /// Whether the list has an element, compared without case.
    static func hasElement(_ name: String, _ element: String, in headers: [(name: String, value: String)]) -> Bool {
        for header in headers where isSame(header.name, name) {
            let value = header.value.utf8.span
            var start = 0
            while let range = nextElement(of: value, from: &start) {
                if isSame(value.extracting(range), element.utf8.span) { return true }
            }
        }
        return false
    }

    /// Where the next element of a list is, without the blanks around it; moves `start` behind its comma.
    private static func nextElement(of list: Span<UInt8>, from start: inout Int) -> Range<Int>? {
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

    private static func isSame(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
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
