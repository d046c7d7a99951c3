/// What a frame is for (RFC 6455 section 5.2); the other ten values are reserved.
public enum WebSocketOpcode: UInt8, Sendable {
    /// A further fragment of the message under way.
    case continuation = 0x0
    /// A text message, or its first fragment.
    case text = 0x1
    /// A binary message, or its first fragment.
    case binary = 0x2
    /// The start of the closing handshake, or the answer to it.
    case close = 0x8
    /// A request for a pong.
    case ping = 0x9
    /// The answer to a ping, or an unasked sign of life.
    case pong = 0xA

    /// Whether this is a control frame, which is short, whole, and may come between fragments (section 5.5).
    public var isControl: Bool { rawValue & 0x8 != 0 }
}
