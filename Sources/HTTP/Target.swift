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
        let bytes = target.utf8.span
        guard !bytes.isEmpty, bytes[0] == UInt8(ascii: "/") else { return nil }
        for index in bytes.indices where !Byte.isVisible(bytes[index]) || bytes[index] == UInt8(ascii: "#") {
            return nil
        }
        let end = Self.end(before: UInt8(ascii: "?"), in: bytes, from: 0)
        var path: [String] = []
        path.reserveCapacity(4)
        var start = 1
        while start <= end {
            let stop = Self.end(before: UInt8(ascii: "/"), in: bytes.extracting(..<end), from: start)
            guard let decoded = Self.decode(bytes.extracting(start..<stop)) else { return nil }
            path.append(decoded)
            start = stop + 1
        }
        self.path = path.count == 1 && path[0].isEmpty ? [] : path
        var query: [(name: String, value: String)] = []
        start = end + 1
        while start < bytes.count {
            let part = bytes.extracting(start..<Self.end(before: UInt8(ascii: "&"), in: bytes, from: start))
            start += part.count + 1
            guard !part.isEmpty else { continue }
            let equals = Self.end(before: UInt8(ascii: "="), in: part, from: 0)
            guard let name = Self.decode(part.extracting(..<equals)),
                let value = Self.decode(part.extracting(min(equals + 1, part.count)...))
            else { return nil }
            query.append((name, value))
        }
        self.query = query
    }

    /// Where the first separator is from a place on; where none is, the end.
    private static func end(before separator: UInt8, in bytes: Span<UInt8>, from start: Int) -> Int {
        var end = start
        while end < bytes.count, bytes[end] != separator { end += 1 }
        return end
    }

    /// The value of the first parameter of a name; `nil`: there is none.
    public func first(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// The values of all parameters of a name, in order.
    public func all(_ name: String) -> [String] {
        query.filter { $0.name == name }.map(\.value)
    }

    private static func decode(_ part: Span<UInt8>) -> String? {
        // Without it all is visible ASCII, as was seen to.
        guard end(before: UInt8(ascii: "%"), in: part, from: 0) < part.count else { return part.text }
        var bytes: [UInt8] = []
        var rest = part.array[...]
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
