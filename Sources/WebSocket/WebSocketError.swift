/// What the other end did that fails a connection (RFC 6455 section 7.1.7).
public enum WebSocketError: Error, Sendable, Equatable {
    /// A reserved bit was set that no extension gave a meaning (section 5.2).
    case reservedBits
    /// An opcode without a meaning (section 5.2).
    case reservedOpcode(UInt8)
    /// A client sent a frame that was not masked (section 5.1).
    case unmaskedFrame
    /// A server sent a masked frame (section 5.1).
    case maskedFrame
    /// A control frame that was not final (section 5.5).
    case fragmentedControlFrame
    /// A control frame of more than 125 bytes (section 5.5).
    case controlFrameTooLong
    /// A length that was not written in the fewest bytes (section 5.2).
    case lengthNotMinimal
    /// A 64-bit length with its top bit set (section 5.2).
    case lengthTopBitSet
    /// A continuation where no message was under way (section 5.4).
    case unexpectedContinuation
    /// A new message before the one under way was complete (section 5.4).
    case unfinishedMessage
    /// A close frame of one byte (section 5.5.1).
    case truncatedCloseCode
    /// A close code that must not stand in a close frame (section 7.4).
    case invalidCloseCode(UInt16)
    /// Text, or the reason of a close, that is not UTF-8 (section 8.1).
    case invalidUTF8
    /// A frame longer than ``WebSocketLimits/maxFrameBytes``.
    case frameTooLong
    /// A message longer than ``WebSocketLimits/maxMessageBytes``, as it came or inflated.
    case messageTooLong
    /// A message of more frames than ``WebSocketLimits/maxFragments``.
    case tooManyFragments
    /// A compressed message that is no DEFLATE, or breaks off inside a block (RFC 7692 section 7.2.2).
    case invalidDeflate
    /// A compressed message that grows by more than ``DeflateSettings/maxRatio``.
    case inflationTooHigh

    /// The close code that tells the other end (section 7.4.1).
    public var closeCode: UInt16 {
        switch self {
        case .invalidUTF8, .invalidDeflate: WebSocketCloseCode.invalidPayload
        case .frameTooLong, .messageTooLong, .tooManyFragments, .inflationTooHigh: WebSocketCloseCode.messageTooBig
        default: WebSocketCloseCode.protocolError
        }
    }
}

extension WebSocketError: CustomStringConvertible {
    /// A few words, short enough for the reason of a close frame.
    public var description: String {
        switch self {
        case .reservedBits: "reserved bit set"
        case .reservedOpcode(let opcode): "reserved opcode \(opcode)"
        case .unmaskedFrame: "client frame not masked"
        case .maskedFrame: "server frame masked"
        case .fragmentedControlFrame: "fragmented control frame"
        case .controlFrameTooLong: "control frame longer than 125 bytes"
        case .lengthNotMinimal: "length not in its shortest form"
        case .lengthTopBitSet: "length of more than 63 bits"
        case .unexpectedContinuation: "continuation of nothing"
        case .unfinishedMessage: "message begun inside another"
        case .truncatedCloseCode: "close frame of one byte"
        case .invalidCloseCode(let code): "invalid close code \(code)"
        case .invalidUTF8: "invalid UTF-8"
        case .frameTooLong: "frame too long"
        case .messageTooLong: "message too long"
        case .tooManyFragments: "too many fragments"
        case .invalidDeflate: "compressed message damaged"
        case .inflationTooHigh: "message inflates too much"
        }
    }
}
