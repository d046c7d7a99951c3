/// The broker to put under load, taken from a URL.
public struct Target: Sendable, Equatable {
    /// Whether TLS is spoken.
    public var isSecure: Bool
    /// The host as it stands in the URL, an IPv6 address without brackets.
    public var host: String
    /// The port; 80 or 443 where the URL names none.
    public var port: Int
    /// The path, `/v1/ws` where the URL names none, with the query behind it where there is one.
    public var path: String

    /// What is wrong with a URL, for a person.
    public struct Problem: Error, Sendable, Equatable {
        /// One line.
        public let message: String
    }

    /// Whether the path has a query, which only servers of other kinds are given.
    public var hasQuery: Bool { path.contains("?") }

    /// Reads `ws://HOST[:PORT][/PATH][?QUERY]` or `wss://…`.
    ///
    /// - Throws: A ``Problem`` that says which part is wrong.
    public init(_ url: String) throws(Problem) {
        let rest: Substring
        if url.hasPrefix("ws://") {
            isSecure = false
            rest = url.dropFirst(5)
        } else if url.hasPrefix("wss://") {
            isSecure = true
            rest = url.dropFirst(6)
        } else {
            throw Problem(message: "the URL begins with ws:// or wss://, as in ws://127.0.0.1:8080, not \"\(url)\"")
        }
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        // The words in it may be secret, so they are not said again.
        guard !authority.contains("@") else {
            throw Problem(message: "the URL holds no user and no password: say --user NAME or --token T instead")
        }
        let path = rest[authority.endIndex...]
        guard !path.contains("#"), path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Problem(message: "the URL has no spaces and no #, and %XX for what is not ASCII")
        }
        self.path = path.isEmpty || path == "/" ? "/v1/ws" : path.first == "?" ? "/" + path : String(path)
        (host, port) = try Target.split(authority, default: isSecure ? 443 : 80)
    }

    /// The host and port, as they are written together.
    public var authority: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// The whole URL.
    public var url: String {
        "\(isSecure ? "wss" : "ws")://\(authority)\(path)"
    }

    private static func split(
        _ authority: Substring, default port: Int
    ) throws(Problem) -> (host: String, port: Int) {
        let host: Substring
        var rest: Substring
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else {
                throw Problem(message: "the URL's IPv6 address lacks its closing bracket: \(authority)")
            }
            host = authority[..<end].dropFirst()
            rest = authority[authority.index(after: end)...]
        } else {
            host = authority.prefix { $0 != ":" }
            rest = authority[host.endIndex...]
        }
        guard !host.isEmpty, host.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Problem(message: "the URL names no host, as in ws://127.0.0.1:8080")
        }
        guard !rest.isEmpty else { return (String(host), port) }
        guard rest.removeFirst() == ":", let port = Int(rest), (1...65535).contains(port) else {
            throw Problem(message: "the URL's port is 1 to 65535, not \"\(rest)\"")
        }
        return (String(host), port)
    }
}
