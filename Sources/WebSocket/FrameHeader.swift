/// The header of a frame, and how much of the frame is still to come (RFC 6455 section 5.2).
struct FrameHeader {
    /// How many bytes of payload have not been read yet.
    var remaining: Int
    /// The masking key in memory order, turned so that its lowest byte belongs to the next payload byte; 0: not masked.
    var maskingKey: UInt32
    let opcode: WebSocketOpcode
    let isFinal: Bool
    /// Whether it begins a compressed message (RFC 7692 section 6): RSV1.
    let isCompressed: Bool
    /// How many bytes the header itself takes, 2–14.
    let byteCount: UInt8

    /// Reads the header at the start of the bytes and checks what needs no knowledge of earlier frames.
    ///
    /// - Parameters:
    ///   - bytes: What has arrived.
    ///   - role: Which end reads.
    ///   - mayBeCompressed: Whether permessage-deflate was agreed on.
    /// - Returns: The header, or `nil` where its bytes are not all there.
    /// - Throws: `WebSocketError` as soon as what is wrong can be seen.
    static func read(
        _ bytes: Span<UInt8>, as role: WebSocketRole, mayBeCompressed: Bool
    ) throws(WebSocketError) -> FrameHeader? {
        guard bytes.count >= 2 else { return nil }
        let (first, second) = (bytes[0], bytes[1])
        let isCompressed = first & 0x40 != 0
        guard first & 0x30 == 0, mayBeCompressed || !isCompressed else { throw .reservedBits }
        guard let opcode = WebSocketOpcode(rawValue: first & 0x0F) else { throw .reservedOpcode(first & 0x0F) }
        // The bit is the message's, and stands on its first frame alone (RFC 7692 section 6.1).
        guard !isCompressed || opcode == .text || opcode == .binary else { throw .reservedBits }
        let isFinal = first & 0x80 != 0
        let isMasked = second & 0x80 != 0
        guard isMasked == (role == .server) else { throw isMasked ? .maskedFrame : .unmaskedFrame }
        let shortLength = second & 0x7F
        if opcode.isControl {
            guard isFinal else { throw .fragmentedControlFrame }
            guard shortLength <= 125 else { throw .controlFrameTooLong }
        }
        guard let (length, end) = try readLength(bytes, shortLength) else { return nil }
        guard isMasked else {
            return FrameHeader(
                remaining: length, maskingKey: 0, opcode: opcode, isFinal: isFinal, isCompressed: isCompressed,
                byteCount: UInt8(end))
        }
        guard bytes.count >= end + 4 else { return nil }
        let key = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[end + $1]) << UInt32(8 * $1) }
        return FrameHeader(
            remaining: length, maskingKey: key, opcode: opcode, isFinal: isFinal, isCompressed: isCompressed,
            byteCount: UInt8(end + 4))
    }

    /// Reads the payload length, which must be written in the fewest bytes, and says where it ends.
    private static func readLength(
        _ bytes: Span<UInt8>, _ shortLength: UInt8
    ) throws(WebSocketError) -> (length: Int, end: Int)? {
        switch shortLength {
        case 126:
            guard bytes.count >= 4 else { return nil }
            let length = Int(bytes[2]) << 8 | Int(bytes[3])
            guard length > 125 else { throw .lengthNotMinimal }
            return (length, 4)
        case 127:
            guard bytes.count >= 10 else { return nil }
            var length: UInt64 = 0
            for index in 2..<10 { length = length << 8 | UInt64(bytes[index]) }
            guard let length = Int(exactly: length) else { throw .lengthTopBitSet }
            guard length > 0xFFFF else { throw .lengthNotMinimal }
            return (length, 10)
        default:
            return (Int(shortLength), 2)
        }
    }
}
