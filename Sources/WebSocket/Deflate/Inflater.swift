import CZlib

// @safe: the pointer is valid as long as the value, which nothing can copy.
/// Inflates messages (RFC 7692 section 7.2.2); it owns one of zlib's streams.
@safe
struct Inflater: ~Copyable {
    /// The most bytes that one step gives.
    static let stepBytes = 8_192

    // zlib's state points back to the stream, which therefore must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    /// Whether a block that calls itself the last one has ended; what comes next begins anew.
    private var hasEnded = false

    /// Makes an inflater; `history` is what was inflated before by another one, at most 2^`windowBits` bytes.
    ///
    /// `windowBits` is 8–15. `nil`: there is no memory.
    init?(windowBits: Int, history: Span<UInt8>) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        var result = unsafe inflateInit2_(
            stream, CInt(-windowBits), ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
        if result == Z_OK, !history.isEmpty {
            // The buffer is valid for the closure, and zlib copies it.
            result = unsafe history.withUnsafeBufferPointer {
                unsafe inflateSetDictionary(stream, $0.baseAddress, UInt32($0.count))
            }
        }
        guard result == Z_OK else {
            unsafe inflateEnd(stream)  // does nothing where there is no state
            unsafe stream.deallocate()
            return nil
        }
        unsafe self.stream = stream
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Whether a message may end here: between two blocks, at the end of a byte.
    var isBetweenBlocks: Bool {
        // zlib says there how many bits it has left over (0–63), and 128 right behind a block.
        let bits = unsafe stream.pointee.data_type
        return hasEnded || bits & (128 | 63) == 128
    }

    /// Whether the last block has ended that there may be.
    var isBehindLastBlock: Bool { hasEnded }

    /// Inflates the next bytes, ``stepBytes`` at most, and appends them.
    ///
    /// - Parameters:
    ///   - input: What has arrived.
    ///   - offset: Where to go on in it; moved past what was taken.
    ///   - output: Where the bytes go.
    /// - Returns: Whether there is more to give without more input.
    /// - Throws: `WebSocketError.invalidDeflate` where it is no DEFLATE.
    mutating func step(
        _ input: Span<UInt8>, _ offset: inout Int, into output: inout [UInt8]
    ) throws(WebSocketError) -> Bool {
        if hasEnded, offset < input.count {
            // Undocumented beyond its name, but declared in zlib.h: begins a stream with the window as it is. The
            // documented way, to take the window out and put it back, would cost 64 KB of copies for two bytes of input.
            _ = unsafe inflateResetKeep(stream)
            hasEnded = false
        }
        let rest = input.extracting(offset...)
        let taken = min(rest.count, Int(CInt.max))
        // The buffer is valid for the closure, and zlib is given no pointer that outlives it.
        let (result, isFull) = unsafe rest.withUnsafeBufferPointer { source in
            unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(mutating: source.baseAddress)
            unsafe stream.pointee.avail_in = UInt32(taken)
            defer { unsafe stream.pointee.next_in = nil }
            return fill(&output)
        }
        let left = unsafe Int(stream.pointee.avail_in)
        offset += taken - left
        switch result {
        case Z_OK: return isFull || left > 0
        case Z_STREAM_END:
            hasEnded = true
            return offset < input.count
        case Z_BUF_ERROR: return false  // nothing more to take, nothing more to give
        default: throw .invalidDeflate
        }
    }

    private func fill(_ output: inout [UInt8]) -> (result: CInt, isFull: Bool) {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.stepBytes) { buffer in
            unsafe stream.pointee.next_out = buffer.baseAddress
            unsafe stream.pointee.avail_out = UInt32(Self.stepBytes)
            defer { unsafe stream.pointee.next_out = nil }
            let result = unsafe inflate(stream, Z_SYNC_FLUSH)
            let room = unsafe Int(stream.pointee.avail_out)
            // zlib has written so many bytes of the buffer.
            unsafe output.append(contentsOf: buffer.prefix(Self.stepBytes - room))
            return (result, room == 0)
        }
    }

    /// What later messages may refer to, 32 KB at most.
    func history() -> [UInt8] {
        var length: UInt32 = 0
        guard unsafe inflateGetDictionary(stream, nil, &length) == Z_OK else { return [] }
        return unsafe Array(unsafeUninitializedCapacity: Int(length)) { buffer, count in
            // zlib writes the length that it has just told.
            if unsafe inflateGetDictionary(stream, buffer.baseAddress, &length) == Z_OK { count = Int(length) }
        }
    }
}
