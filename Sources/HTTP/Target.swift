/// The path and query of a request, percent-decoded (RFC 3986).
public struct Target: Sendable {
    /// The parts of the path between slashes, each decoded by itself.
    ///
    /// So `%2F` is part of a name. `/` has no parts, `/a/` has `a` and an empty one. Dots mean nothing.
    public let path: [String]
    /// The query's parameters in order, an empty value where there is no `=`.
    ///
    /// A `+` is a plus, never a space: names here may hold one, and those who mean a space write `%20`.
    public let query: [(name: String, value: String)]

    /// Takes a target apart; `nil` where it does not begin with `/`, has characters that must be encoded, or decodes to
    /// what is not UTF-8.
    public init?(_ target: String) {
        let bytes = Array(target.utf8)
        guard bytes.first == UInt8(ascii: "/") else { return nil }
        for byte in bytes where !Byte.isVisible(byte) || byte == UInt8(ascii: "#") { return nil }
        let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        var path: [String] = []
        var start = 1
        while start <= end {
            let part = Self.next(UInt8(ascii: "/"), in: bytes[..<end], from: &start)
            guard let decoded = Self.decode(part) else { return nil }
            path.append(decoded)
        }
        self.path = path == [""] ? [] : path
        var query: [(name: String, value: String)] = []
        start = end + 1
        while start < bytes.count {
            let part = Self.next(UInt8(ascii: "&"), in: bytes[...], from: &start)
            guard !part.isEmpty else { continue }
            let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            guard let name = Self.decode(part[..<equals]), let value = Self.decode(part[equals...].dropFirst()) else {
                return nil
            }
            query.append((name, value))
        }
        self.query = query
    }

    /// The bytes from a place up to a separator or the end; moves the place behind that.
    private static func next(_ separator: UInt8, in bytes: ArraySlice<UInt8>, from start: inout Int) -> ArraySlice<
        UInt8
    > {
        var end = start
        while end < bytes.endIndex, bytes[end] != separator { end += 1 }
        defer { start = end + 1 }
        return bytes[start..<end]
    }

    /// The value of the first parameter of a name; `nil`: there is none.
    public func first(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// The values of all parameters of a name, in order.
    public func all(_ name: String) -> [String] {
        query.filter { $0.name == name }.map(\.value)
    }

    private static func decode(_ part: ArraySlice<UInt8>) -> String? {
        // Without it all is visible ASCII, as was seen to.
        guard part.contains(UInt8(ascii: "%")) else { return part.span.text }
        var bytes: [UInt8] = []
        var rest = part
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Byte.hexadecimal),
                let low = rest.popFirst().flatMap(Byte.hexadecimal)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
