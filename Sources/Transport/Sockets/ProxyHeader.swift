/// Reads what a proxy says ahead of a connection's bytes: whose connection it passes on (the PROXY protocol, both versions).
///
/// It asks for no byte behind the header, so those are left in the socket for whoever reads on.
package struct ProxyHeader {
    /// Whose connection it is.
    package enum Source: Equatable {
        /// That of this client.
        case client(SocketAddress)
        /// That of a client of whom the proxy does not know more.
        case unknown
        /// The proxy's own.
        case proxy
    }

    /// The header is none, or one that is not taken.
    package struct Malformed: Error, Equatable {
        /// What is wrong with it.
        package let fault: ProxyProtocol.Fault

        package init(_ fault: ProxyProtocol.Fault) {
            self.fault = fault
        }
    }

    /// The longest header of version 2 that is taken, with all that is told besides addresses.
    package static let maxBytes = 4_096
    /// The longest line of version 1 (section 2.1 of the protocol), line end included.
    private static let maxLineBytes = 107
    private static let signature: [UInt8] = Array("\r\n\r\n\0\r\nQUIT\n".utf8)
    private static let word: [UInt8] = Array("PROXY ".utf8)

    private var bytes: [UInt8] = []
    /// How many bytes the header has at least.
    private var length = signature.count

    package init() {}

    /// Whether nothing has come yet.
    var isEmpty: Bool { bytes.isEmpty }

    /// How many bytes may be taken next; at least one until the source is known.
    package var missing: Int { length - bytes.count }

    /// Takes the next bytes, at most ``missing`` of them.
    ///
    /// - Returns: Whose connection it is; `nil`: more bytes are needed.
    package mutating func take(_ more: Span<UInt8>) throws(Malformed) -> Source? {
        for index in more.indices { bytes.append(more[index]) }
        if bytes.starts(with: Self.word.prefix(bytes.count)) { return try readLine() }
        guard Self.signature.starts(with: bytes.prefix(Self.signature.count)) else { throw Malformed(.noHeader) }
        length = max(length, Self.signature.count + 4)
        guard bytes.count >= length else { return nil }
        guard bytes[12] >> 4 == 2 else { throw Malformed(.version) }
        length = Self.signature.count + 4 + (Int(bytes[14]) << 8 | Int(bytes[15]))
        guard length <= Self.maxBytes else { throw Malformed(.long) }
        return bytes.count == length ? try readBinary() : nil
    }

    // MARK: Version 2

    private func readBinary() throws(Malformed) -> Source {
        switch bytes[12] & 0x0F {
        case 0: return .proxy
        case 1: break
        default: throw Malformed(.command)
        }
        // What stands behind the addresses is told in addition, and is passed over.
        switch bytes[13] {
        case 0x00: return .unknown
        case 0x11:
            guard length >= 16 + 12 else { throw Malformed(.short) }
            return .client(.ipv4(UInt32(truncatingIfNeeded: number(at: 16, 4)), port: port(at: 24)))
        case 0x21:
            guard length >= 16 + 36 else { throw Malformed(.short) }
            return .client(SocketAddress(ipv6: number(at: 16, 8), number(at: 24, 8), port: port(at: 48)))
        case 0x31:
            guard length >= 16 + 216 else { throw Malformed(.short) }
            return .client(.unix(path: ""))
        default: throw Malformed(.family)
        }
    }

    private func number(at start: Int, _ count: Int) -> UInt64 {
        bytes[start..<start + count].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func port(at start: Int) -> UInt16 { UInt16(truncatingIfNeeded: number(at: start, 2)) }

    // MARK: Version 1

    /// Asks for one byte after the other, for only its end says how long a line is.
    private mutating func readLine() throws(Malformed) -> Source? {
        guard bytes.last == 0x0A else {
            guard bytes.count < Self.maxLineBytes else { throw Malformed(.long) }
            guard !bytes.contains(0x0A) else { throw Malformed(.line) }
            length = max(length, bytes.count + 1)
            return nil
        }
        guard bytes.dropLast().last == 0x0D, let line = String(validating: bytes.dropLast(2), as: UTF8.self) else {
            throw Malformed(.line)
        }
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 2 else { throw Malformed(.line) }
        if words[1] == "UNKNOWN" { return .unknown }
        guard words.count == 6, words[1] == "TCP4" || words[1] == "TCP6", let port = Self.port(words[4]),
            Self.port(words[5]) != nil, let source = SocketAddress(ip: String(words[2]), port: port),
            SocketAddress(ip: String(words[3])) != nil,
            words[2...3].allSatisfy({ $0.contains(":") == (words[1] == "TCP6") })
        else { throw Malformed(.line) }
        return .client(source)
    }

    private static func port(_ text: Substring) -> UInt16? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt16(text) : nil
    }
}

extension SocketAddress {
    /// An IPv6 address by its halves; one that stands for an IPv4 address is given as that.
    init(ipv6 high: UInt64, _ low: UInt64, scope: UInt32 = 0, port: UInt16) {
        self =
            high == 0 && low >> 32 == 0xFFFF
            ? .ipv4(UInt32(truncatingIfNeeded: low), port: port) : .ipv6(high, low, scope: scope, port: port)
    }
}
