import CZlib

/// The content coding `gzip` (RFC 9110 section 8.4.1.3).
public enum Gzip {
    /// Compresses as far as zlib can (its level 9), which is slow: for what is compressed once and sent often.
    ///
    /// The same bytes always become the same: no time and no name stand in it (RFC 1952).
    ///
    /// - Returns: The whole coded body; `nil` where it would be no shorter, or there is no memory.
    public static func compressed(_ bytes: Span<UInt8>) -> [UInt8]? {
        guard !bytes.isEmpty, bytes.count <= Int(CInt.max) else { return nil }
        // What finds no room in fewer bytes than it had before is not worth it.
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count - 1) { room in
            // zlib's state points back to its stream, which stays where it is until both are gone; the other pointers
            // do not outlive their closures.
            var stream = unsafe z_stream()
            let count = unsafe bytes.withUnsafeBufferPointer { source in
                unsafe withUnsafeMutablePointer(to: &stream) { unsafe deflated(source, into: room, by: $0) }
            }
            return unsafe count == 0 ? nil : [UInt8](room.prefix(count))
        }
    }

    /// Deflates all of `source`, with gzip's header and trailer; the number of bytes written, 0 where they do not fit.
    private static func deflated(
        _ source: UnsafeBufferPointer<UInt8>, into room: UnsafeMutableBufferPointer<UInt8>,
        by stream: UnsafeMutablePointer<z_stream>
    ) -> Int {
        // 16 more than the bits of the window stand for gzip's header.
        let result = unsafe deflateInit2_(
            stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
        guard result == Z_OK else { return 0 }
        defer { unsafe deflateEnd(stream) }
        unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(mutating: source.baseAddress)
        unsafe stream.pointee.avail_in = UInt32(source.count)
        unsafe stream.pointee.next_out = room.baseAddress
        unsafe stream.pointee.avail_out = UInt32(room.count)
        guard unsafe deflate(stream, Z_FINISH) == Z_STREAM_END else { return 0 }
        return unsafe room.count - Int(stream.pointee.avail_out)
    }
}
