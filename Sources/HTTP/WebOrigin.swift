/// Where a page comes from: scheme, host and port, which are compared whole and never in part (RFC 6454 section 5).
public struct WebOrigin: Sendable, Hashable {
    /// In small letters, `https`.
    public let scheme: String
    /// In small letters; an IPv6 address in its brackets.
    public let host: String
    /// The port; that of the scheme where none was written, 0 where neither is known.
    public let port: Int

    /// Reads `https://example.org` or `http://127.0.0.1:3000`, as in an `Origin` field.
    ///
    /// - Returns: `nil` for all else, `null` and anything with a path included.
    public init?(_ text: String) {
        guard let separator = text.utf8.firstRange(of: "://".utf8) else { return nil }
        let scheme = text[..<separator.lowerBound]
        guard let first = scheme.utf8.first, Byte.isLetter(first), scheme.utf8.allSatisfy(Self.isSchemeCharacter)
        else { return nil }
        self.init(scheme: String(scheme), host: String(text[separator.upperBound...]))
    }

    /// Puts a scheme and what stands in a `Host` field together; `nil` where that is none, or empty.
    public init?(scheme: String, host field: String) {
        guard HeadRules.isHost(field) else { return nil }
        let isAddress = field.utf8.first == UInt8(ascii: "[")
        let end = isAddress ? field.utf8.firstIndex(of: UInt8(ascii: "]")) : nil
        let colon = field[(end ?? field.startIndex)...].utf8.firstIndex(of: UInt8(ascii: ":"))
        let host = field[..<(colon ?? field.endIndex)]
        guard !host.isEmpty else { return nil }
        let digits = colon.map { field[$0...].dropFirst() } ?? ""
        self.scheme = Self.lowercased(scheme)
        self.host = Self.lowercased(String(host))
        if digits.isEmpty {
            port = ["http": 80, "ws": 80, "https": 443, "wss": 443][self.scheme] ?? 0
        } else {
            guard let port = UInt16(digits) else { return nil }
            self.port = Int(port)
        }
    }

    private static func isSchemeCharacter(_ byte: UInt8) -> Bool {
        Byte.isLetter(byte) || Byte.isDigit(byte) || "+-.".utf8.contains(byte)
    }

    private static func lowercased(_ text: String) -> String {
        String(decoding: text.utf8.map(Byte.lowercased), as: UTF8.self)
    }
}
