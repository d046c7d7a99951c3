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
        guard target.utf8.first == UInt8(ascii: "/"),
            target.utf8.allSatisfy({ Byte.isVisible($0) && $0 != UInt8(ascii: "#") })
        else { return nil }
        let rest = target.utf8.dropFirst()
        let end = rest.firstIndex(of: UInt8(ascii: "?"))
        var path: [String] = []
        for part in rest[..<(end ?? rest.endIndex)].split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        {
            guard let decoded = Self.decode(part) else { return nil }
            path.append(decoded)
        }
        self.path = path == [""] ? [] : path
        var query: [(name: String, value: String)] = []
        for part in end.map({ rest[$0...].dropFirst().split(separator: UInt8(ascii: "&")) }) ?? [] {
            let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            guard let name = Self.decode(part[..<end]), let value = Self.decode(part[end...].dropFirst()) else {
                return nil
            }
            query.append((name, value))
        }
        self.query = query
    }

    /// The value of the first parameter of a name; `nil`: there is none.
    public func first(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// The values of all parameters of a name, in order.
    public func all(_ name: String) -> [String] {
        query.filter { $0.name == name }.map(\.value)
    }

    private static func decode(_ part: Substring.UTF8View) -> String? {
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
