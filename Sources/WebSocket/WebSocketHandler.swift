/// What a ``WebSocketPeer`` tells about, while it reads.
///
/// The spans are valid for the call only.
public protocol WebSocketHandler: ~Copyable {
    /// A whole text message came; it is valid UTF-8.
    mutating func received(text: Span<UInt8>)
    /// A whole binary message came.
    mutating func received(binary: Span<UInt8>)
    /// A ping of 0–125 bytes came; it is answered without the handler's help.
    mutating func receivedPing(_ payload: Span<UInt8>)
    /// A pong of 0–125 bytes came, asked for or not.
    mutating func receivedPong(_ payload: Span<UInt8>)
    /// A close frame came, the last that is told about; `nil`: it had no code. The reason is valid UTF-8.
    mutating func receivedClose(code: UInt16?, reason: Span<UInt8>)
    /// Asked after each of the calls above but the last: anything but `nil` closes, and no further message is delivered.
    var wantsClose: WebSocketClose? { get }
}

extension WebSocketHandler where Self: ~Copyable {
    /// Does nothing.
    public mutating func receivedPing(_ payload: Span<UInt8>) {}
    /// Does nothing.
    public mutating func receivedPong(_ payload: Span<UInt8>) {}
    /// Does nothing.
    public mutating func receivedClose(code: UInt16?, reason: Span<UInt8>) {}
    /// Never wants to close.
    public var wantsClose: WebSocketClose? { nil }
}
