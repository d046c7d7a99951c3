/// What the fields of a head mean together: who it is for, and how long its body is.
enum HeadRules {
    static func apply(to head: inout RequestHead) throws(HTTPError) {
        try setHost(&head)
        try setBody(&head)
    }

    /// One `Host` in HTTP/1.1, at most one in HTTP/1.0 (RFC 9112 section 3.2); an absolute target's host wins.
    private static func setHost(_ head: inout RequestHead) throws(HTTPError) {
        let host = head.headers["host"]
        guard head.headers.count(of: "host") <= 1 else { throw .badRequest("more than one Host") }
        guard host != nil || head.minorVersion == 0 else { throw .badRequest("Host is missing") }
        guard host.map(isHost) != false else { throw .badRequest("a malformed Host") }
        head.host = head.host ?? host
    }

    /// Either a plain length or chunks, never what could be read as both (RFC 9112 section 6.3).
    private static func setBody(_ head: inout RequestHead) throws(HTTPError) {
        let lengths = head.headers.all("content-length")
        let codings = head.headers.all("transfer-encoding")
        if !codings.isEmpty {
            guard lengths.isEmpty else { throw .badRequest("both Content-Length and Transfer-Encoding") }
            guard head.minorVersion >= 1 else { throw .badRequest("Transfer-Encoding in HTTP/1.0") }
            guard codings.count == 1, HTTPHeaders.isSame(codings[0], "chunked") else {
                throw HTTPError(status: 501, reason: "only the transfer coding chunked is known")
            }
            head.isChunked = true
        } else if let length = lengths.first {
            // Equal ones could be taken for one (section 6.3), but whoever sends two has two minds.
            guard lengths.count == 1 else { throw .badRequest("more than one Content-Length") }
            guard !length.isEmpty, length.utf8.allSatisfy(Byte.isDigit) else {
                throw .badRequest("a malformed Content-Length")
            }
            // Digits alone fail only where the number is past `Int.max`.
            guard let count = Int(length) else { throw .bodyTooLarge }
            head.contentLength = count
        }
    }

    /// Whether text is `uri-host [ ":" port ]` (RFC 3986 section 3.2.2), which may be empty; user information is not allowed.
    static func isHost(_ text: String) -> Bool {
        var rest = text.utf8[...]
        if rest.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return false }
            let address = rest[..<end].dropFirst()
            guard !address.isEmpty, address.allSatisfy(isAddressCharacter) else { return false }
            rest = rest[rest.index(after: end)...]
        } else {
            rest = rest.drop(while: isNameCharacter)
        }
        if rest.isEmpty { return true }
        let port = rest.dropFirst()
        return rest.first == UInt8(ascii: ":") && port.count <= 5 && port.allSatisfy(Byte.isDigit)
    }

    // One bit for each character below and from `@` on: digits and letters, and -._~%!$&'()*+;=.
    private static let lowNames: UInt64 = 0x2BFF_6FF2_0000_0000
    private static let highNames: UInt64 = 0x47FF_FFFE_87FF_FFFE

    private static func isAddressCharacter(_ byte: UInt8) -> Bool {
        Byte.hexadecimal(byte) != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }

    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        byte < 0x80 && (byte < 0x40 ? lowNames : highNames) >> UInt64(byte & 0x3F) & 1 == 1
    }
}
