import CZlib

// @safe: the pointer is valid as long as the value, which nothing can copy.
/// Compresses messages (RFC 7692 section 7.2.1); it owns one of zlib's streams.
@safe
struct Deflater: ~Copyable {
    /// What every compressed message would end with, and what is left out therefore.
    static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]

    // zlib's state points back to the stream, which therefore must not move.
    private let stream: UnsafeMutablePointer<z_stream>

    /// Makes a compressor without history; `nil` where zlib takes none of the numbers, or there is no memory.
    ///
    /// - Parameters:
    ///   - windowBits: How far a message may refer back, as a power of two, 9–15.
    ///   - level: zlib's level, 1 (fast) to 9 (small).
    ///   - memoryLevel: zlib's memory level, 1–9; it takes 2^(windowBits+2) + 2^(memoryLevel+9) bytes in all.
    init?(windowBits: Int, level: Int = 6, memoryLevel: Int = 8) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let result = unsafe deflateInit2_(
            stream, CInt(level), Z_DEFLATED, CInt(-windowBits), CInt(memoryLevel), Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            CInt(MemoryLayout<z_stream>.size))
        guard result == Z_OK else {
            unsafe stream.deallocate()
            return nil
        }
        unsafe self.stream = stream
    }

    deinit {
        unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Forgets what was compressed before.
    mutating func reset() {
        _ = unsafe deflateReset(stream)
    }

    /// Appends a message's compressed form, without the four bytes that it ends with.
    ///
    /// - Returns: Whether it did; where it did not, the compressor is reset and the message is to be sent as it is. No
    ///   message without bytes is taken.
    mutating func compress(_ message: Span<UInt8>, into output: inout [UInt8]) -> Bool {
        guard !message.isEmpty, message.count <= Int(CInt.max) else { return false }
        let start = output.count
        // The buffer is valid for the closure, and zlib is given no pointer that outlives it.
        let isDone = unsafe message.withUnsafeBufferPointer { source in
            unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(mutating: source.baseAddress)
            unsafe stream.pointee.avail_in = UInt32(source.count)
            defer { unsafe stream.pointee.next_in = nil }
            return flush(into: &output)
        }
        guard isDone, output.count - start >= 4, output.suffix(4) == Self.tail[...] else {
            output.removeLast(output.count - start)
            reset()
            return false
        }
        output.removeLast(4)
        return true
    }

    /// Compresses all that zlib was given, up to the end of a byte.
    private func flush(into output: inout [UInt8]) -> Bool {
        let room = 4_096
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { buffer in
            defer { unsafe stream.pointee.next_out = nil }
            repeat {
                unsafe stream.pointee.next_out = buffer.baseAddress
                unsafe stream.pointee.avail_out = UInt32(room)
                let result = unsafe deflate(stream, Z_SYNC_FLUSH)
                guard result == Z_OK || result == Z_BUF_ERROR else { return false }
                // zlib has written so many bytes of the buffer.
                unsafe output.append(contentsOf: buffer.prefix(room - Int(stream.pointee.avail_out)))
            } while unsafe stream.pointee.avail_out == 0
            return true
        }
    }
}

// Messages that refer to nothing but themselves.
extension Deflater {
    /// The window that a message of `length` bytes needs: what is cleared before each of them would otherwise cost more
    /// than a short one itself.
    ///
    /// `nil`: there is none, for zlib has no compressor for a window of 256 bytes.
    static func windowBits(for length: Int, atMost limit: Int) -> Int? {
        // zlib does not refer to the oldest 262 bytes of its window.
        let needed = (9...15).first { 1 << $0 >= min(length, 32_768) + 262 } ?? 15
        return (9...15).contains(limit) ? min(needed, limit) : nil
    }

    /// Makes a compressor for messages that each begin anew.
    ///
    /// Level 3 takes half the time of 6 for a snapshot of 34 KB, which becomes 4.8 instead of 4.1 KB; for what is short
    /// they are the same.
    init?(ofItsOwn windowBits: Int) {
        self.init(windowBits: windowBits, level: 3, memoryLevel: windowBits - 7)
    }
}
