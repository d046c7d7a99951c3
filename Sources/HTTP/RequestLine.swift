/// The first line of a request (RFC 9112 section 3).
enum RequestLine {
    /// Parses a line without its end, whose only two spaces are given.
    static func parse(_ line: Span<UInt8>, spaces: (Int, Int)) throws(HTTPError) -> RequestHead {
        let method = line.extracting(..<spaces.0)
        let target = line.extracting((spaces.0 + 1)..<spaces.1)
        let version = line.extracting((spaces.1 + 1)...)
        guard !method.isEmpty, method.indices.allSatisfy({ Byte.isToken(method[$0]) }) else {
            throw .badRequest("a malformed method")
        }
        guard !target.isEmpty,
            target.indices.allSatisfy({ Byte.isVisible(target[$0]) && target[$0] != UInt8(ascii: "#") })
        else { throw .badRequest("a malformed target") }
        var head = RequestHead(method: method.text, target: target.text, minorVersion: try minorVersion(version))
        try resolveTarget(&head)
        return head
    }

    private static func minorVersion(_ version: Span<UInt8>) throws(HTTPError) -> Int {
        let pattern: InlineArray<8, UInt8> = [0x48, 0x54, 0x54, 0x50, 0x2F, 0x30, 0x2E, 0x30]  // HTTP/0.0
        let fits =
            version.count == pattern.count
            && pattern.indices.allSatisfy {
                pattern[$0] == 0x30 ? Byte.isDigit(version[$0]) : version[$0] == pattern[$0]
            }
        guard fits else { throw .badRequest("a malformed version") }
        guard version[5] == UInt8(ascii: "1") else {
            throw HTTPError(
                status: 505, reason: "only HTTP/1 is spoken here: HTTP/1.1, or HTTP/1.0 for what is no WebSocket")
        }
        return Int(version[7] - 0x30)
    }

    /// Brings the forms of a target (RFC 9112 section 3.2) to path and query, and takes an absolute one's host.
    private static func resolveTarget(_ head: inout RequestHead) throws(HTTPError) {
        if head.target.utf8.first == UInt8(ascii: "/") { return }
        if head.target == "*" && head.method == "OPTIONS" { return }
        guard let rest = afterScheme(head.target) else { throw .badRequest("a target of a form that is not served") }
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let host = String(Substring(authority))
        guard !host.isEmpty, HeadRules.isHost(host) else { throw .badRequest("a malformed host in the target") }
        let path = String(Substring(rest[authority.endIndex...]))
        head.host = host
        head.target = path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
    }

    private static func afterScheme(_ target: String) -> Substring.UTF8View? {
        for scheme in ["http://", "https://"] {
            let prefix = String(Substring(target.utf8.prefix(scheme.utf8.count)))
            if HTTPHeaders.isSame(prefix, scheme) { return target.utf8.dropFirst(scheme.utf8.count) }
        }
        return nil
    }
}
