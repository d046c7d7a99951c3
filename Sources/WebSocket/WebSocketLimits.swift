/// Which end of a connection a peer is; it decides who masks (RFC 6455 section 5.1).
public enum WebSocketRole: Sendable {
    /// The end that opened the connection; it masks what it sends.
    case client
    /// The end that accepted the connection; it sends unmasked.
    case server
}

/// What a peer takes from the other end before it fails the connection with 1009.
///
/// Each number is between 0 and 2^32-1, and one outside of that is brought to the nearer end.
public struct WebSocketLimits: Sendable, Equatable {
    // Every connection holds a copy, so the numbers are kept small.
    private var frameBytes: UInt32
    private var messageBytes: UInt32
    private var fragments: UInt32

    /// Makes limits.
    public init(maxFrameBytes: Int = 65_536, maxMessageBytes: Int = 65_536, maxFragments: Int = 1_024) {
        frameBytes = UInt32(clamping: maxFrameBytes)
        messageBytes = UInt32(clamping: maxMessageBytes)
        fragments = UInt32(clamping: maxFragments)
    }

    /// The longest payload of one data frame, in bytes.
    public var maxFrameBytes: Int {
        get { Int(frameBytes) }
        set { frameBytes = UInt32(clamping: newValue) }
    }

    /// The longest message, all its fragments together, in bytes.
    public var maxMessageBytes: Int {
        get { Int(messageBytes) }
        set { messageBytes = UInt32(clamping: newValue) }
    }

    /// The most frames that one message may be split into, empty ones included.
    public var maxFragments: Int {
        get { Int(fragments) }
        set { fragments = UInt32(clamping: newValue) }
    }
}
