/// One extension in a `Sec-WebSocket-Extensions` field, with its parameters in order (RFC 6455 section 9.1).
struct ExtensionElement: Equatable {
    struct Parameter: Equatable {
        var name: String
        /// `nil`: it has none.
        var value: String?
    }

    var name: String
    var parameters: [Parameter] = []

    /// The extensions of all fields, in order; `nil` where one is not as the grammar wants it.
    static func all(in headers: [(name: String, value: String)]) -> [ExtensionElement]? {
        all(in: HandshakeFields.values("sec-websocket-extensions", in: headers))
    }

    /// The extensions of the values of all fields, in order; `nil` where one is not as the grammar wants it.
    static func all(in values: [String]) -> [ExtensionElement]? {
        var elements: [ExtensionElement] = []
        for value in values {
            var reader = ExtensionReader(value)
            guard let more = reader.list() else { return nil }
            elements += more
        }
        return elements
    }
}

/// Reads one field's value from left to right.
private struct ExtensionReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ value: String) {
        bytes = Array(value.utf8)
    }

    /// All of it; empty elements between commas are left out (RFC 9110 section 5.6.1).
    mutating func list() -> [ExtensionElement]? {
        var elements: [ExtensionElement] = []
        while true {
            skipBlanks()
            if place == bytes.count { return elements }
            if take(",") { continue }
            guard let element = element(), place == bytes.count || take(",") else { return nil }
            elements.append(element)
        }
    }

    private mutating func element() -> ExtensionElement? {
        guard let name = token() else { return nil }
        var element = ExtensionElement(name: name)
        skipBlanks()
        while take(";") {
            skipBlanks()
            guard let name = token() else { return nil }
            skipBlanks()
            var value: String?
            if take("=") {
                skipBlanks()
                value = take("\"") ? quoted() : token()
                guard value != nil else { return nil }
                skipBlanks()
            }
            element.parameters.append(.init(name: name, value: value))
        }
        return element
    }

    private mutating func token() -> String? {
        let start = place
        while place < bytes.count, Self.isTokenByte(bytes[place]) { place += 1 }
        return place > start ? String(decoding: bytes[start..<place], as: UTF8.self) : nil
    }

    /// The rest of a quoted string; what it stands for must be a token.
    private mutating func quoted() -> String? {
        var text: [UInt8] = []
        while place < bytes.count {
            if take("\"") { return text.isEmpty ? nil : String(decoding: text, as: UTF8.self) }
            if take("\\"), place == bytes.count { return nil }
            guard Self.isTokenByte(bytes[place]) else { return nil }
            text.append(bytes[place])
            place += 1
        }
        return nil
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private mutating func skipBlanks() {
        while place < bytes.count, bytes[place] == 0x20 || bytes[place] == 0x09 { place += 1 }
    }

    /// RFC 9110 section 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
