/// The client's side of the opening handshake (RFC 6455 section 4.1).
public struct ClientHandshake: Sendable {
    /// The most bytes that the head of the server's answer may have.
    public static let maxHeadBytes = 16_384
    /// The most bytes of a refusal's body that its error shows.
    static let maxBodyBytes = 1_024

    /// The bytes to send first.
    public let request: [UInt8]
    /// The subprotocol that the server chose, once the answer is there; `nil`: none.
    public private(set) var subprotocol: String?
    /// How messages may be compressed, once the answer is there; `nil`: they may not.
    public private(set) var deflate: DeflateParameters?

    private let offered: [String]
    private let offeredDeflate: DeflateSettings?
    private let acceptKey: String
    private var head: [UInt8] = []

    /// Makes a handshake.
    ///
    /// Control characters in what is handed in are left out, since they could begin a header field of their own;
    /// blanks and what is not ASCII in the path are percent-encoded.
    /// - Parameters:
    ///   - host: The `Host` field, with the port where it is not the scheme's own.
    ///   - path: The request target, path and query; an empty one becomes `/`.
    ///   - subprotocols: The subprotocols to offer, the preferred one first.
    ///   - deflate: What to offer of permessage-deflate; `nil`: nothing.
    ///   - headers: Further header fields, such as `Authorization`.
    ///   - nonce: 16 random bytes, fresh for each handshake; any other number is this program's mistake and traps.
    public init(
        host: String, path: String, subprotocols: [String] = [], deflate: DeflateSettings? = nil,
        headers: [(name: String, value: String)] = [], nonce: [UInt8]
    ) {
        precondition(nonce.count == 16, "a WebSocket nonce has 16 bytes")
        let key = Base64.encode(nonce.span)
        var fields = [
            ("Host", host), ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Key", key),
            ("Sec-WebSocket-Version", "13"),
        ]
        if !subprotocols.isEmpty {
            fields.append(("Sec-WebSocket-Protocol", subprotocols.joined(separator: ", ")))
        }
        if let deflate { fields.append(("Sec-WebSocket-Extensions", deflate.offer.text)) }
        var request = Array("GET \(Self.target(path)) HTTP/1.1\r\n".utf8)
        for (name, value) in fields + headers.map({ ($0.name, $0.value) }) {
            request += Self.printable(name) + Array(": ".utf8) + Self.printable(value) + Array("\r\n".utf8)
        }
        self.request = request + Array("\r\n".utf8)
        offered = subprotocols
        offeredDeflate = deflate
        var accepted: [UInt8] = []
        HandshakeFields.append(acceptKeyFor: key.utf8.span, to: &accepted)
        acceptKey = String(decoding: accepted, as: UTF8.self)
    }

    private static func printable(_ text: String) -> [UInt8] {
        text.utf8.filter { $0 >= 0x20 && $0 != 0x7F }
    }

    private static func target(_ path: String) -> String {
        let hexadecimal = Array("0123456789ABCDEF".utf8)
        var target: [UInt8] = path.utf8.first == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        for byte in printable(path) {
            if byte > 0x20 && byte < 0x7F {
                target.append(byte)
            } else {
                target += [UInt8(ascii: "%"), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 0xF)]]
            }
        }
        return String(decoding: target, as: UTF8.self)
    }
}

// MARK: - The answer

extension ClientHandshake {
    /// Takes the next bytes of the server's answer.
    ///
    /// - Returns: `nil` while the answer's head is not complete; then how many of *these* bytes belong to it. The
    ///   rest are frames.
    /// - Throws: ``HandshakeError`` where the connection must be given up.
    public mutating func receive(_ bytes: Span<UInt8>) throws(HandshakeError) -> Int? {
        for index in 0..<bytes.count {
            guard head.count < Self.maxHeadBytes else { throw .responseTooLong }
            head.append(bytes[index])
            guard headIsComplete else { continue }
            try judge(body: bytes.extracting((index + 1)...).extracting(first: Self.maxBodyBytes))
            head = []
            return index + 1
        }
        return nil
    }

    /// Whether the head ends with an empty line.
    private var headIsComplete: Bool {
        let end = head.count
        return end >= 4 && head[end - 1] == 10 && head[end - 2] == 13 && head[end - 3] == 10 && head[end - 4] == 13
    }

    private mutating func judge(body: Span<UInt8>) throws(HandshakeError) {
        guard let text = String(validating: head.dropLast(4), as: UTF8.self) else { throw .malformedResponse }
        let lines = Self.lines(text)
        let status = try Self.status(lines[0])
        let headers = try lines.dropFirst().map(Self.field)
        guard status == 101 else {
            var bytes: [UInt8] = []
            bytes.append(body)
            throw .refused(
                status: status, body: String(decoding: bytes, as: UTF8.self), retryAfter: Self.retryAfter(headers))
        }
        guard HandshakeFields.hasElement("upgrade", "websocket", in: headers),
            HandshakeFields.hasElement("connection", "upgrade", in: headers)
        else { throw .notUpgraded }
        guard HandshakeFields.values("sec-websocket-accept", in: headers) == [acceptKey] else { throw .wrongAcceptKey }
        try judgeExtensions(headers)
        let chosen = HandshakeFields.values("sec-websocket-protocol", in: headers)
        guard chosen.count <= 1, chosen.allSatisfy(offered.contains) else { throw .unexpectedSubprotocol }
        subprotocol = chosen.first
    }

    private mutating func judgeExtensions(_ headers: [(name: String, value: String)]) throws(HandshakeError) {
        guard let extensions = ExtensionElement.all(in: headers) else { throw .invalidExtension }
        if let offeredDeflate {
            deflate = try offeredDeflate.check(extensions)
        } else if !extensions.isEmpty {
            throw .unexpectedExtension
        }
    }

    /// The seconds of `Retry-After`; `nil` where there are none, or a date.
    private static func retryAfter(_ headers: [(name: String, value: String)]) -> Int? {
        guard let text = HandshakeFields.values("retry-after", in: headers).first, (1...9).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int(text)
    }

    /// Cuts at CR LF, which Swift takes as one character; a CR or LF by itself stays and is refused with its line.
    private static func lines(_ text: String) -> [Substring] {
        text.split(separator: "\r\n" as Character, omittingEmptySubsequences: false)
    }

    /// The status of a line such as `HTTP/1.1 101 Switching Protocols`.
    private static func status(_ line: Substring) throws(HandshakeError) -> Int {
        let bytes = Array(line.utf8)
        let prefix = Array("HTTP/1.1 ".utf8)
        guard bytes.count >= 12, bytes.starts(with: prefix), bytes.count == 12 || bytes[12] == UInt8(ascii: " "),
            bytes.allSatisfy({ $0 >= 0x20 || $0 == 0x09 })
        else { throw .malformedResponse }
        let digits = bytes[9..<12]
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            throw .malformedResponse
        }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// One header field; folded lines and blanks before the colon are refused (RFC 9112 section 5).
    private static func field(_ line: Substring) throws(HandshakeError) -> (name: String, value: String) {
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { throw .malformedResponse }
        let name = line[..<colon]
        let value = HandshakeFields.trim(line[line.utf8.index(after: colon)...])
        guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
        else { throw .malformedResponse }
        return (String(name), String(value))
    }
}
