/// What both ends of the opening handshake share (RFC 6455 section 4).
enum HandshakeFields {
    /// The answer to a `Sec-WebSocket-Key` (section 4.2.2).
    static func acceptKey(for key: String) -> String {
        Base64.encode(SHA1.hash(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    }

    /// The values of all fields of a name, in order; names are compared without case.
    static func values(_ name: String, in headers: [(name: String, value: String)]) -> [String] {
        headers.lazy.filter { isSame($0.name, name) }.map(\.value)
    }

    /// The elements of comma-separated lists in all fields of a name, blanks and empty ones left out (RFC 9110 5.6.1).
    static func elements(_ name: String, in headers: [(name: String, value: String)]) -> [String] {
        values(name, in: headers).flatMap { value in
            value.utf8.split(separator: UInt8(ascii: ",")).map { String(trim(Substring($0))) }.filter { !$0.isEmpty }
        }
    }

    /// Whether the list has an element, compared without case.
    static func hasElement(_ name: String, _ element: String, in headers: [(name: String, value: String)]) -> Bool {
        elements(name, in: headers).contains { isSame($0, element) }
    }

    /// Takes blanks and tabs off both ends.
    static func trim(_ text: Substring) -> Substring {
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var trimmed = text.utf8.drop(while: isBlank)
        while let last = trimmed.last, isBlank(last) { trimmed.removeLast() }
        return Substring(trimmed)
    }

    /// Whether two names are the same but for the case of their ASCII letters.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count
            && zip(one.utf8, other.utf8).allSatisfy { $0 == $1 || ($0 ^ $1 == 0x20 && isLetter($0 | 0x20)) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
}
