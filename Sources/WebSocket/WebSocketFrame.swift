/// Builds frames outside of a connection, such as one that goes to many (RFC 6455 section 5.2).
public enum WebSocketFrame {
    /// Appends a whole text message in one unmasked frame, as a server sends it.
    ///
    /// - Parameters:
    ///   - payload: Valid UTF-8; it is not checked here.
    ///   - output: Where the frame goes.
    public static func append(text payload: Span<UInt8>, to output: inout [UInt8]) {
        append(.text, payload, to: &output)
    }

    /// Appends a whole text message in one unmasked frame, as a server sends it, that `write` appends to the same bytes.
    ///
    /// - Parameters:
    ///   - output: Where the frame goes.
    ///   - write: Appends the payload, valid UTF-8, and takes nothing away.
    @inlinable
    public static func append(textTo output: inout [UInt8], _ write: (inout [UInt8]) -> Void) {
        let start = output.count
        // The header of most messages, for 126 bytes to 64 KiB; what is shorter or longer gets its own.
        output.append(0x81)
        output.append(126)
        output.append(0)
        output.append(0)
        write(&output)
        let length = output.count - start - 4
        if headerLength(for: length) == 4 {
            output[start + 2] = UInt8(truncatingIfNeeded: length >> 8)
            output[start + 3] = UInt8(truncatingIfNeeded: length)
        } else {
            replaceHeader(at: start, payloadLength: length, in: &output)
        }
    }

    @usableFromInline
    static func replaceHeader(at start: Int, payloadLength: Int, in output: inout [UInt8]) {
        var header: [UInt8] = []
        appendHeader(.text, payloadLength: payloadLength, to: &header)
        output.replaceSubrange(start..<start + 4, with: header)
    }

    /// Appends a whole binary message in one unmasked frame, as a server sends it.
    public static func append(binary payload: Span<UInt8>, to output: inout [UInt8]) {
        append(.binary, payload, to: &output)
    }

    /// The length in bytes, 2, 4 or 10, of the header of an unmasked frame.
    @inlinable
    public static func headerLength(for payloadLength: Int) -> Int {
        payloadLength < 126 ? 2 : payloadLength <= 0xFFFF ? 4 : 10
    }

    /// Appends a header alone, for a payload that the caller writes after it.
    ///
    /// - Parameters:
    ///   - opcode: What the frame is for.
    ///   - payloadLength: The bytes that will follow, not negative.
    ///   - isFinal: Whether the frame ends its message.
    ///   - isCompressed: Whether it begins a compressed message (RFC 7692 section 6.1).
    ///   - maskingKey: The key that the caller masks the payload with, its lowest byte first; `nil`: not masked.
    ///   - output: Where the header goes.
    public static func appendHeader(
        _ opcode: WebSocketOpcode, payloadLength: Int, isFinal: Bool = true, isCompressed: Bool = false,
        maskingKey: UInt32? = nil, to output: inout [UInt8]
    ) {
        let maskBit: UInt8 = maskingKey == nil ? 0 : 0x80
        output.append((isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue)
        switch headerLength(for: payloadLength) {
        case 2:
            output.append(maskBit | UInt8(truncatingIfNeeded: payloadLength))
        case 4:
            output.append(maskBit | 126)
            appendBigEndian(payloadLength, byteCount: 2, to: &output)
        default:
            output.append(maskBit | 127)
            appendBigEndian(payloadLength, byteCount: 8, to: &output)
        }
        if let maskingKey {
            for shift in stride(from: UInt32(0), to: 32, by: 8) {
                output.append(UInt8(truncatingIfNeeded: maskingKey >> shift))
            }
        }
    }

    /// Appends a whole frame, masked where there is a key.
    static func append(
        _ opcode: WebSocketOpcode, _ payload: Span<UInt8>, isCompressed: Bool = false, maskingKey: UInt32? = nil,
        to output: inout [UInt8]
    ) {
        appendHeader(
            opcode, payloadLength: payload.count, isCompressed: isCompressed, maskingKey: maskingKey, to: &output)
        let start = output.count
        output.append(payload)
        guard let maskingKey else { return }
        let end = output.count
        var elements = output.mutableSpan
        var bytes = MutableRawSpan(_elements: &elements)
        _ = Masking.apply(maskingKey, to: &bytes, in: start..<end)
    }

    private static func appendBigEndian(_ number: Int, byteCount: Int, to output: inout [UInt8]) {
        for index in (0..<byteCount).reversed() {
            output.append(UInt8(truncatingIfNeeded: number >> (8 * index)))
        }
    }
}
