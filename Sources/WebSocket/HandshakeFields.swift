/// What both ends of the opening handshake share (RFC 6455 section 4).
enum HandshakeFields {
    /// The answer to a `Sec-WebSocket-Key` (section 4.2.2).
    static func acceptKey(for key: String) -> String {
        Base64.encode(SHA1.hash(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    }

    /// The values of all fields of a name, in order; names are compared without case.
    static func values(_ name: String, in headers: [(name: String, value: String)]) -> [String] {
        let lowercased = name.lowercased()
        return headers.filter { $0.name.lowercased() == lowercased }.map(\.value)
    }

    /// The elements of comma-separated lists in all fields of a name, blanks and empty ones left out (RFC 9110 5.6.1).
    static func elements(_ name: String, in headers: [(name: String, value: String)]) -> [String] {
        values(name, in: headers).flatMap { value in
            value.split(separator: ",").map { String(trim($0)) }.filter { !$0.isEmpty }
        }
    }

    /// Whether the list has an element, compared without case.
    static func hasElement(_ name: String, _ element: String, in headers: [(name: String, value: String)]) -> Bool {
        elements(name, in: headers).contains { $0.lowercased() == element }
    }

    /// Takes blanks and tabs off both ends.
    static func trim(_ text: Substring) -> Substring {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        var trimmed = text.drop(while: isBlank)
        while let last = trimmed.last, isBlank(last) { trimmed.removeLast() }
        return trimmed
    }
}
