internal import Transport
internal import WebSocket

/// How every connection of a run reaches the broker.
struct Dial: Sendable {
    private let addresses: [SocketAddress]
    private let tls: TLSClientSettings?
    private let target: Target
    private let identity: Plan.Identity
    private let limit: Duration
    private let deflate: DeflateSettings?
    private let sources: [SocketAddress]
    private let raw: RawMessages?

    /// Looks the target up, which blocks.
    init(_ plan: Plan) throws(TransportError) {
        let address: SocketAddress =
            if let path = plan.unixPath { .unix(path: path) } else { try .parse(plan.target.authority) }
        addresses = try address.resolved()
        target = plan.target
        tls =
            target.isSecure
            ? TLSClientSettings(
                verifies: !plan.isInsecure, serverName: target.host, caFile: plan.authorities) : nil
        identity = plan.identity
        raw = plan.scenario == .raw ? plan.raw : nil
        limit = plan.connectTimeout
        deflate =
            plan.compression
            ? DeflateSettings(keepsOwnContext: false, keepsPeerContext: false, minimumBytes: 1_024, maxRatio: .max)
            : nil
        sources = plan.sources.compactMap(Dial.source)
    }

    /// The address that connections come from; `nil` where a text is no IP address.
    static func source(_ text: String) -> SocketAddress? {
        let address = try? SocketAddress.parse(text.contains(":") ? "[\(text)]:0" : "\(text):0")
        return switch address {
        case .ipv4, .ipv6: address
        case .any, .name, .unix, nil: nil
        }
    }

    /// Whether every address of the target is this machine's own.
    var isLocal: Bool { addresses.allSatisfy(\.isLoopback) }

    /// How many addresses of this machine the connections come from.
    var sourceCount: Int { max(1, sources.count) }

    /// Whether the server speaks another protocol, in which nobody is welcomed.
    var isRaw: Bool { raw != nil }

    /// Whether messages are sent as binary ones.
    var isBinary: Bool { raw?.isBinary == true }

    /// Whether the connections take ports.
    var takesPorts: Bool { addresses.contains { $0.port != nil } }

    /// Begins a connection on a loop.
    ///
    /// - Parameters:
    ///   - number: Which one of its group; the sources are used in turn.
    ///   - loop: Where it lives.
    ///   - hasSmallBuffer: Whether the kernel shall keep little of what is not read.
    ///   - delegate: What hears of it.
    /// - Returns: The stream, which is not connected yet.
    /// - Throws: What kept the attempt from beginning.
    func open(
        _ number: Int, on loop: EventLoop, hasSmallBuffer: Bool, delegate: any ByteStreamDelegate
    ) throws(TransportError) -> ByteStream {
        let source = sources.isEmpty ? nil : sources[number % sources.count]
        return try ByteStream.connect(
            toFirstOf: addresses, serverName: target.host, on: loop, tls: tls, limit: limit,
            options: ConnectOptions(source: source, receiveBuffer: hasSmallBuffer ? 4096 : nil), delegate: delegate)
    }

    /// The handshake of a connection.
    ///
    /// - Parameter name: What tells its user from others, behind the prefix: `sub-1`.
    /// - Returns: The handshake, whose request is to be sent first.
    func handshake(name: String) -> ClientHandshake {
        var path = target.path
        var subprotocols = ["fanfare.v1.json"]
        if let raw { subprotocols = raw.subprotocol.map { [$0] } ?? [] }
        var headers: [(name: String, value: String)] = []
        switch identity {
        case .users(let prefix): path += isRaw ? "" : "?user=" + Dial.percentEncoded("\(prefix)-\(name)")
        case .token(let token): headers.append(("Authorization", "Bearer \(token)"))
        }
        var generator = SystemRandomNumberGenerator()
        let nonce = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return ClientHandshake(
            host: target.authority, path: path, subprotocols: subprotocols, deflate: deflate, headers: headers,
            nonce: nonce)
    }

    /// A text as a part of a query (RFC 3986 section 2).
    static func percentEncoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".unicodeScalars)
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                encoded.unicodeScalars.append("%")
                encoded.unicodeScalars.append(digits[Int(byte >> 4)])
                encoded.unicodeScalars.append(digits[Int(byte & 15)])
            }
        }
        return encoded
    }
}
