/// One end of an established connection: reads the other end's bytes, answers them, and frames what this end sends.
///
/// It does no I/O: bytes to be sent are appended to buffers that the caller hands in. Between messages it holds no
/// buffer, so that an idle connection costs the struct alone, save where messages are compressed with what came before.
public struct WebSocketPeer: ~Copyable {
    /// How far the closing handshake is (RFC 6455 section 7.1).
    public enum State: Sendable {
        /// Messages go both ways.
        case open
        /// This end has sent a close frame and waits for the other one's; messages that still come are dropped.
        case closing
        /// Both close frames were seen, or the connection failed; nothing is read or sent any more.
        case closed
    }

    /// Which end this is.
    public let role: WebSocketRole
    // The order of the stored properties keeps the struct free of gaps.
    let limits: WebSocketLimits
    /// How many frames the message under way has so far.
    var fragmentCount: UInt32 = 0
    let maskingKey: (@Sendable () -> UInt32)?
    /// What compresses and inflates messages; `nil` where permessage-deflate was not agreed on.
    let compression: MessageCompression?

    /// How far the closing handshake is.
    public internal(set) var state = State.open
    /// What the other end did that failed the connection; `nil`: nothing.
    public internal(set) var failure: WebSocketError?
    /// The code of the close frame that came, 1005 where it had none; `nil`: none came yet.
    public internal(set) var closeReceived: UInt16?

    /// Which kind of message is under way; `nil`: none.
    var messageKind: WebSocketOpcode?
    var checker = UTF8Checker()
    /// The data or control frame that has begun and whose payload is not all there.
    var frame: FrameHeader?
    /// A header, or the payload of a control frame, as far as it is there.
    var pending: [UInt8] = []
    /// What has come of the message under way, freed with its end.
    var assembly: [UInt8] = []

    /// Makes the end of a connection whose handshake is done.
    ///
    /// - Parameters:
    ///   - role: Which end this is.
    ///   - limits: What is taken from the other end.
    ///   - maskingKey: Where a client takes a fresh, unpredictable key for each frame from (section 5.3);
    ///     `nil`: from the system's random source. A server needs none.
    ///   - deflate: What the handshake has agreed on; `nil`: messages are not compressed.
    public init(
        role: WebSocketRole, limits: WebSocketLimits = WebSocketLimits(),
        maskingKey: (@Sendable () -> UInt32)? = nil, deflate: DeflateParameters? = nil
    ) {
        self.role = role
        self.limits = limits
        self.maskingKey = maskingKey
        compression = deflate.map(MessageCompression.init)
    }

    /// Whether this end should now close the transport: the server once both close frames were seen, a client
    /// only where the connection failed; else it waits for the server (section 7.1.1).
    public var shouldCloseTransport: Bool {
        state == .closed && (role == .server || failure != nil)
    }
}

// MARK: - Sending

extension WebSocketPeer {
    /// Appends a text message in one frame, compressed where that was agreed on and makes it smaller; does nothing unless the connection is open.
    ///
    /// - Parameters:
    ///   - text: Valid UTF-8; it is not checked here.
    ///   - output: Where the frame goes.
    public mutating func send(text: Span<UInt8>, into output: inout [UInt8]) {
        guard state == .open else { return }
        appendMessage(.text, text, to: &output)
    }

    /// Appends a binary message as ``send(text:into:)`` does.
    public mutating func send(binary: Span<UInt8>, into output: inout [UInt8]) {
        guard state == .open else { return }
        appendMessage(.binary, binary, to: &output)
    }

    /// Appends a ping; does nothing unless the connection is open.
    ///
    /// - Parameters:
    ///   - payload: At most 125 bytes; what is beyond is cut off.
    ///   - output: Where the frame goes.
    public mutating func sendPing(_ payload: Span<UInt8>, into output: inout [UInt8]) {
        guard state == .open else { return }
        append(.ping, payload.extracting(first: 125), to: &output)
    }

    /// Starts the closing handshake; does nothing unless the connection is open (section 7.1.2).
    ///
    /// - Parameters:
    ///   - code: The close code, `nil` for none. One that may not be sent becomes 1011, since it is this end's mistake.
    ///   - reason: Words for a person, at most 123 bytes of UTF-8; what is beyond is cut off. Not sent without a code.
    ///   - output: Where the frame goes.
    public mutating func sendClose(code: UInt16?, reason: String = "", into output: inout [UInt8]) {
        guard state == .open else { return }
        appendClose(code, reason, to: &output)
        state = .closing
        dropMessage()
        compression?.end()
    }

    private func appendMessage(_ opcode: WebSocketOpcode, _ payload: Span<UInt8>, to output: inout [UInt8]) {
        if let compressed = compression?.compress(payload) {
            append(opcode, compressed.span, isCompressed: true, to: &output)
        } else {
            append(opcode, payload, to: &output)
        }
    }

    func append(
        _ opcode: WebSocketOpcode, _ payload: Span<UInt8>, isCompressed: Bool = false, to output: inout [UInt8]
    ) {
        switch role {
        case .server:
            WebSocketFrame.append(opcode, payload, isCompressed: isCompressed, to: &output)
        case .client:
            let key = maskingKey?() ?? UInt32.random(in: .min ... .max)
            WebSocketFrame.append(opcode, payload, isCompressed: isCompressed, maskingKey: key, to: &output)
        }
    }

    func appendClose(_ code: UInt16?, _ reason: String, to output: inout [UInt8]) {
        var payload: [UInt8] = []
        if let code {
            let sent = WebSocketCloseCode.mayBeSent(code) ? code : WebSocketCloseCode.internalError
            payload = [UInt8(sent >> 8), UInt8(sent & 0xFF)]
            for scalar in reason.unicodeScalars {
                guard payload.count + UTF8.width(scalar) <= 125 else { break }
                payload.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        append(.close, payload.span, to: &output)
    }

    /// Forgets the content of the message under way, though not that there is one.
    mutating func dropMessage() {
        assembly = []
        checker = UTF8Checker()
    }
}
