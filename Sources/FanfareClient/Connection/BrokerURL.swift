/// Where a broker is: the parts of a `ws`, `wss`, `http` or `https` URL that a connection needs (RFC 6455 section 3).
public struct BrokerURL: Sendable, Hashable, CustomStringConvertible {
    /// The path of the WebSocket endpoint, taken where a URL has none.
    public static let defaultPath = "/v1/ws"

    /// Whether the connection is encrypted (`wss`, `https`).
    public let isSecure: Bool
    /// The host, a name or an address, without the brackets of an IPv6 address.
    public let host: String
    /// The port, 1 or above.
    public let port: UInt16
    /// The path, at least `/…`.
    public let path: String
    /// What follows the `?`, without it; `nil` where there was none.
    public let query: String?

    /// Reads a URL.
    ///
    /// - Parameter text: A URL; without a path (or with `/` alone) it means ``defaultPath``. A fragment is taken off.
    /// - Throws: ``ClientError`` with the code `invalidURL` and what was wrong.
    public init(_ text: String) throws(ClientError) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Self.invalid(text, "only visible ASCII may stand in it; percent-encode the rest")
        }
        guard let mark = text.firstRange(of: "://"), let isSecure = Self.isSecure(scheme: text[..<mark.lowerBound])
        else {
            throw Self.invalid(text, "it must begin with ws://, wss://, http:// or https://")
        }
        var rest = text[mark.upperBound...]
        if let fragment = rest.firstIndex(of: "#") { rest = rest[..<fragment] }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let (host, port) = try Self.authority(rest[..<end], of: text)
        let target = rest[end...]
        let mayEnd = target.firstIndex(of: "?") ?? target.endIndex
        let path = target[..<mayEnd]
        self.isSecure = isSecure
        self.host = host
        self.port = port ?? (isSecure ? 443 : 80)
        self.path = path.isEmpty || path == "/" ? Self.defaultPath : String(path)
        query = mayEnd == target.endIndex ? nil : String(target[target.index(after: mayEnd)...])
    }

    /// The `Host` header's value: host, and port where it is not the scheme's own (RFC 9110 section 7.2).
    public var authority: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// What stands in the request line, with the name of a user where the identity is one.
    public func target(for identity: Identity) -> String {
        var parts = query.map { $0.isEmpty ? [] : [$0] } ?? []
        if case .user(let name) = identity { parts.append("user=" + percentEncoded(name)) }
        return parts.isEmpty ? path : path + "?" + parts.joined(separator: "&")
    }

    /// The URL as a WebSocket URL, without its query (which may hold a token).
    public var description: String { (isSecure ? "wss://" : "ws://") + authority + path }

    private static func isSecure(scheme: Substring) -> Bool? {
        switch scheme.lowercased() {
        case "ws", "http": false
        case "wss", "https": true
        default: nil
        }
    }

    private static func authority(_ text: Substring, of url: String) throws(ClientError) -> (String, UInt16?) {
        guard !text.contains("@") else {
            throw invalid(url, "a name and a password have no place in it")
        }
        var host = text
        var port: Substring?
        if text.first == "[" {
            guard let close = text.firstIndex(of: "]") else { throw invalid(url, "the ] of the address is missing") }
            host = text[text.index(after: text.startIndex)..<close]
            let rest = text[text.index(after: close)...]
            guard rest.isEmpty || rest.first == ":" else { throw invalid(url, "only a port may follow the ]") }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
        }
        guard isHost(host, isAddress: text.first == "[") else { throw invalid(url, "it names no host") }
        guard let port, !port.isEmpty else { return (String(host), nil) }
        guard port.utf8.allSatisfy(isDigit), let number = UInt16(port), number > 0 else {
            throw invalid(url, "the port must be 1 to 65535")
        }
        return (String(host), number)
    }

    private static func isHost(_ host: Substring, isAddress: Bool) -> Bool {
        !host.isEmpty
            && host.utf8.allSatisfy { byte in
                isAddress
                    ? isHexDigit(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
                    : isUnreserved(byte)
            }
    }

    private static func invalid(_ text: String, _ why: String) -> ClientError {
        ClientError(.invalidURL, "\(text.isEmpty ? "an empty text" : text) is no URL of a broker: \(why)")
    }
}
