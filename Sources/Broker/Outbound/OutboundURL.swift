public import Transport

/// Where something is posted to: an `http` or `https` URL (RFC 3986, RFC 9110 section 4.2).
public struct OutboundURL: Sendable, Hashable, CustomStringConvertible {
    /// Whether the connection is encrypted and its certificate verified.
    public let isSecure: Bool
    /// The host and port.
    public let address: SocketAddress
    /// The `Host` field's value.
    let authority: String
    /// Path and query, as the request line has them.
    let target: String

    /// Reads a URL; `nil` where it is none, or has a user, a password or a fragment, which are not sent.
    public init?(_ text: String) {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !text.utf8.contains(UInt8(ascii: "#")),
            let mark = text.firstRange(of: "://")
        else { return nil }
        switch text[..<mark.lowerBound].lowercased() {
        case "http": isSecure = false
        case "https": isSecure = true
        default: return nil
        }
        let rest = text[mark.upperBound...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        guard let place = Self.place(rest[..<end], defaultPort: isSecure ? 443 : 80) else { return nil }
        address = place
        authority = String(rest[..<end])
        target = (rest[end...].first == "/" ? "" : "/") + rest[end...]
    }

    private static func place(_ authority: Substring, defaultPort: UInt16) -> SocketAddress? {
        let hasPort = authority.last != "]" && authority.contains(":")
        guard let address = try? SocketAddress.parse(hasPort ? String(authority) : "\(authority):\(defaultPort)")
        else { return nil }
        switch address {
        case .ipv4, .ipv6, .name: return address.port == 0 ? nil : address
        case .any, .unix: return nil
        }
    }

    /// The URL without its query, which may hold a secret.
    public var description: String {
        (isSecure ? "https://" : "http://") + authority + target.prefix { $0 != "?" }
    }
}
