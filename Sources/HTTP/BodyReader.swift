/// Gathers the body of a request, up to a bound (RFC 9112 section 6).
public struct BodyReader: Sendable {
    /// The body as far as it is there.
    public private(set) var body: [UInt8] = []
    /// Whether the body is all there.
    public private(set) var isComplete: Bool

    private let limit: Int
    /// `nil`: the body comes with a plain length.
    private var chunks: ChunkedDecoder?
    /// How many bytes of a body with a plain length are still to come.
    private var remaining: Int

    /// Makes a reader for the body that follows a head.
    ///
    /// - Parameters:
    ///   - head: The request's head; without a length or chunks the body is empty, and complete at once.
    ///   - limit: The most bytes that are taken.
    /// - Throws: ``HTTPError`` with 413 where the announced length is past the limit, before anything of it is read.
    public init(for head: RequestHead, limit: Int) throws(HTTPError) {
        self.limit = limit
        remaining = head.contentLength ?? 0
        guard remaining <= limit else { throw .bodyTooLarge }
        chunks = head.isChunked ? ChunkedDecoder() : nil
        isComplete = !head.isChunked && remaining == 0
    }

    /// Takes the next bytes.
    ///
    /// - Returns: How many of them belong to the body; fewer than there are only where it is complete.
    /// - Throws: ``HTTPError`` with 413 past the limit, 400 where chunks are malformed; the connection must then be closed.
    public mutating func receive(_ bytes: Span<UInt8>) throws(HTTPError) -> Int {
        guard !isComplete else { return 0 }
        guard chunks == nil else { return try receiveChunks(bytes) }
        let part = bytes.extracting(first: remaining)
        append(part)
        remaining -= part.count
        isComplete = remaining == 0
        return part.count
    }

    private mutating func receiveChunks(_ bytes: Span<UInt8>) throws(HTTPError) -> Int {
        var offset = 0
        while offset < bytes.count {
            let step = try chunks?.next(bytes.extracting(offset...), room: limit - body.count)
            switch step {
            case .framing(let count):
                offset += count
            case .data(let count):
                append(bytes.extracting(offset..<(offset + count)))
                offset += count
            case .end(let count):
                isComplete = true
                return offset + count
            case nil:
                return offset
            }
        }
        return offset
    }

    private mutating func append(_ bytes: Span<UInt8>) {
        // The buffer is valid for the closure, and `append(contentsOf:)` keeps no reference to it.
        unsafe bytes.withUnsafeBufferPointer { unsafe body.append(contentsOf: $0) }
    }
}
