/// What a connection holds for permessage-deflate: contexts while they are needed, and where the message under way stands
/// (RFC 7692 section 7.2).
///
/// A class, so that a connection without it pays for one null reference.
final class MessageCompression {
    let parameters: DeflateParameters
    /// What has been received of compressed messages, as it came and inflated, since it was last asked for.
    private(set) var received = CompressedBytes()
    /// Whether the message under way is compressed.
    private(set) var isInflating = false
    /// How many bytes of it have come, compressed.
    private var wireBytes = 0
    private var inflater: Inflater?
    /// What the next compressed message may refer to, while there is no inflater.
    private var history: [UInt8] = []
    private var deflater: Deflater?

    init(_ parameters: DeflateParameters) {
        self.parameters = parameters
    }

    /// Whether it holds one of zlib's streams, 7 to 300 KB.
    var holdsStream: Bool { inflater != nil || deflater != nil }

    /// Frees what can be made again: a compressor may always begin anew, and of an inflater the window is enough.
    func rest() {
        deflater = nil
        guard !isInflating, let history = inflater?.history() else { return }
        self.history = history
        inflater = nil
    }

    /// Frees everything: no more messages are read or sent.
    func end() {
        inflater = nil
        history = []
        deflater = nil
    }

    func takeReceived() -> CompressedBytes {
        defer { received = CompressedBytes() }
        return received
    }
}

// MARK: - Receiving

extension MessageCompression {
    /// How many bytes of the message under way have come, if it is compressed.
    var compressedBytes: Int? { isInflating ? wireBytes : nil }

    func beginMessage(isCompressed: Bool) {
        isInflating = isCompressed
        wireBytes = 0
    }

    /// Appends what the next piece of the message stands for; the last piece ends it.
    ///
    /// - Parameters:
    ///   - piece: The compressed bytes.
    ///   - isLast: Whether no more will come of the message.
    ///   - limit: The most bytes that `output` may come to hold.
    ///   - output: Where the bytes go.
    /// - Throws: `WebSocketError` where they are damaged or too many; no more than a step's bytes are kept beyond a limit.
    func inflate(
        _ piece: Span<UInt8>, isLast: Bool, limit: Int, into output: inout [UInt8]
    ) throws(WebSocketError) {
        let before = output.count
        wireBytes += piece.count
        var worker = try takeInflater()
        try run(&worker, piece, limit: limit, into: &output)
        if isLast {
            // A block that calls itself the last one needs nothing behind it. A message without any bytes is taken as the
            // empty message, though one zero byte would be its right form (section 7.2.3.6): some send it so.
            if !worker.isBehindLastBlock, wireBytes > 0 {
                let tail = Deflater.tail
                try run(&worker, tail.span, limit: limit, into: &output)
                guard worker.isBetweenBlocks else { throw .invalidDeflate }
            }
            isInflating = false
        }
        received.compressed += UInt64(piece.count)
        received.plain += UInt64(output.count - before)
        if isInflating || parameters.keepsPeerContext { inflater = consume worker }
    }

    private func takeInflater() throws(WebSocketError) -> Inflater {
        if let inflater = inflater.take() { return inflater }
        defer { history = [] }
        guard let made = Inflater(windowBits: parameters.peerWindowBits, history: history.span) else {
            throw .invalidDeflate
        }
        return made
    }

    private func run(
        _ worker: inout Inflater, _ input: Span<UInt8>, limit: Int, into output: inout [UInt8]
    ) throws(WebSocketError) {
        var offset = 0
        var isMore = !input.isEmpty
        while isMore {
            isMore = try worker.step(input, &offset, into: &output)
            guard output.count <= limit else { throw .messageTooLong }
            guard output.count <= DeflateSettings.freeBytes || output.count / max(1, parameters.maxRatio) <= wireBytes
            else {
                throw .inflationTooHigh
            }
        }
    }
}

// MARK: - Sending

extension MessageCompression {
    /// A message's compressed form; `nil` where it is to be sent as it is: since it is short, or would not be smaller.
    func compress(_ message: Span<UInt8>) -> [UInt8]? {
        let length = message.count
        guard length >= max(1, parameters.minimumBytes), var worker = takeDeflater(for: length) else { return nil }
        var compressed: [UInt8] = []
        let isDone = worker.compress(message, into: &compressed)
        let isSmaller = isDone && compressed.count < length
        if parameters.keepsOwnContext {
            // What is not sent must not be referred to.
            if !isSmaller { worker.reset() }
            deflater = consume worker
        }
        return isSmaller ? compressed : nil
    }

    private func takeDeflater(for length: Int) -> Deflater? {
        if let deflater = deflater.take() { return deflater }
        let bits = parameters.ownWindowBits
        return parameters.keepsOwnContext
            ? Deflater(windowBits: bits)
            : Deflater.windowBits(for: length, atMost: bits).flatMap { Deflater(ofItsOwn: $0) }
    }
}

/// How many bytes compressed messages have, as they are sent and as they are read.
public struct CompressedBytes: Sendable, Equatable {
    /// Compressed, without the frames' headers.
    public var compressed: UInt64 = 0
    /// Before or after that.
    public var plain: UInt64 = 0

    /// None.
    public init() {}

    /// Adds what others have.
    public static func += (sum: inout CompressedBytes, more: CompressedBytes) {
        sum.compressed += more.compressed
        sum.plain += more.plain
    }
}

extension WebSocketPeer {
    /// What the handshake has agreed on; `nil`: messages are not compressed.
    public var deflate: DeflateParameters? { compression?.parameters }

    /// Gives back the memory that compression holds and can do without, for a connection that rests.
    ///
    /// Where the other end keeps no context, nothing is held between messages in any case.
    public mutating func rest() {
        compression?.rest()
    }

    /// What has been received of compressed messages since this was last asked for.
    public mutating func takeReceivedCompressed() -> CompressedBytes {
        compression?.takeReceived() ?? CompressedBytes()
    }
}
