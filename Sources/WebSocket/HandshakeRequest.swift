/// What the header fields of a request say about the opening handshake (RFC 6455 section 4.2.1), gathered in one pass.
public struct HandshakeRequest: Sendable {
    private let supported: [String]

    /// Whether the field `Upgrade` has `websocket`.
    private(set) var upgradesToWebSocket = false
    /// Whether the field `Connection` has `upgrade`.
    private(set) var connectionUpgrades = false
    /// How many fields `Host` there are.
    private(set) var hosts = 0
    /// How many fields `Sec-WebSocket-Version` there are, and whether the first says 13.
    private(set) var versions = 0
    private(set) var isVersion13 = false
    /// How many fields `Sec-WebSocket-Key` there are, and what the first says; `nil`: it is not base64 of 16 bytes.
    private(set) var keys = 0
    private(set) var key: InlineArray<24, UInt8>?
    /// The values of the fields `Sec-WebSocket-Extensions`, in order.
    private(set) var extensions: [String] = []
    /// Which of the supported subprotocols is the most preferred one that was offered; past the end: none was.
    private var choice: Int

    /// Makes one of no fields yet.
    ///
    /// - Parameter supported: The subprotocols that this server speaks, the preferred one first.
    public init(subprotocols supported: [String]) {
        self.supported = supported
        choice = supported.count
    }

    /// The subprotocol to speak; `nil`: none of the supported ones was offered.
    var subprotocol: String? { choice < supported.count ? supported[choice] : nil }

    /// Takes the next field; names are compared without case, and fields that are none of the handshake's are passed over.
    public mutating func take(name: Span<UInt8>, value: Span<UInt8>) {
        switch name.count {
        case 4 where isSame(name, "host"): hosts += 1
        case 7 where isSame(name, "upgrade"):
            upgradesToWebSocket = upgradesToWebSocket || HandshakeFields.hasElement(value, "websocket".utf8.span)
        case 10 where isSame(name, "connection"):
            connectionUpgrades = connectionUpgrades || HandshakeFields.hasElement(value, "upgrade".utf8.span)
        case 17 where isSame(name, "sec-websocket-key"):
            if keys == 0, value.count == 24, Base64.decodedCount(value) == 16 { key = InlineArray { value[$0] } }
            keys += 1
        case 21 where isSame(name, "sec-websocket-version"):
            if versions == 0 { isVersion13 = value.count == 2 && value[0] == 0x31 && value[1] == 0x33 }
            versions += 1
        case 22 where isSame(name, "sec-websocket-protocol"): choose(of: value)
        case 24 where isSame(name, "sec-websocket-extensions"):
            var text: [UInt8] = []
            text.append(value)
            extensions.append(String(decoding: text, as: UTF8.self))
        default: break
        }
    }

    private func isSame(_ name: Span<UInt8>, _ other: String) -> Bool { HandshakeFields.isSame(name, other.utf8.span) }

    /// Chooses of the subprotocols that are offered, whose case matters.
    private mutating func choose(of list: Span<UInt8>) {
        var start = 0
        while let range = HandshakeFields.nextElement(of: list, from: &start) {
            let offered = list.extracting(range)
            for index in 0..<choice where isEqual(offered, supported[index].utf8.span) {
                choice = index
                break
            }
        }
    }

    private func isEqual(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        guard one.count == other.count else { return false }
        for index in one.indices where one[index] != other[index] { return false }
        return true
    }
}
