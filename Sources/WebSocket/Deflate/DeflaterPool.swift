/// Compresses messages for many connections: each by itself, so that none refers to another, with compressors that are
/// used again (RFC 7692 section 7.1.1.1, `server_no_context_takeover`).
public final class DeflaterPool {
    private final class Worker {
        var deflater: Deflater

        init(_ deflater: consuming Deflater) {
            self.deflater = deflater
        }
    }

    /// The compressors by their windows.
    private var workers: [Int: Worker] = [:]
    private var scratch: [UInt8] = []

    /// Makes a pool, which holds nothing yet.
    public init() {}

    /// Frees all compressors, 600 KB at most; they are made again when they are needed.
    public func rest() {
        workers = [:]
        scratch = []
    }

    /// Appends a whole text message in one unmasked frame, as a server sends it: compressed where that is smaller.
    ///
    /// - Parameters:
    ///   - text: Valid UTF-8; it is not checked here.
    ///   - windowBits: How far it may refer back, as a power of two, 9–15; outside of that it is sent as it is.
    ///   - output: Where the frame goes.
    /// - Returns: Whether it is compressed.
    public func append(text: Span<UInt8>, windowBits: Int, to output: inout [UInt8]) -> Bool {
        let length = text.count
        guard let worker = worker(for: length, windowBits: windowBits) else {
            WebSocketFrame.append(.text, text, to: &output)
            return false
        }
        var compressed = scratch
        scratch = []  // so that nothing is copied
        compressed.removeAll(keepingCapacity: true)
        worker.deflater.reset()
        let isDone = worker.deflater.compress(text, into: &compressed)
        let isSmaller = isDone && compressed.count < length
        if isSmaller {
            WebSocketFrame.append(.text, compressed.span, isCompressed: true, to: &output)
        } else {
            WebSocketFrame.append(.text, text, to: &output)
        }
        scratch = compressed
        return isSmaller
    }

    private func worker(for length: Int, windowBits: Int) -> Worker? {
        guard let bits = Deflater.windowBits(for: length, atMost: windowBits) else { return nil }
        if let worker = workers[bits] { return worker }
        guard let deflater = Deflater(ofItsOwn: bits) else { return nil }
        let worker = Worker(deflater)
        workers[bits] = worker
        return worker
    }
}
