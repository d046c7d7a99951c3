/// Masking and unmasking, which are the same (RFC 6455 section 5.3).
enum Masking {
    /// Applies the key to a range of the bytes.
    ///
    /// - Parameters:
    ///   - key: The key in memory order; its lowest byte belongs to the first byte of the range.
    ///   - bytes: What is changed in place.
    ///   - range: Where; it must lie within `bytes`.
    /// - Returns: The key turned for the byte after the range, so that a payload may come in pieces.
    static func apply(_ key: UInt32, to bytes: inout MutableRawSpan, in range: Range<Int>) -> UInt32 {
        // The one check that the unchecked loads below lean on: each stays below `range.upperBound`.
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.byteCount)
        var offset = range.lowerBound
        let end = range.upperBound
        let littleEndianKey = key.littleEndian
        let wide = SIMD8<UInt32>(repeating: littleEndianKey)
        while end - offset >= 32 {
            let block = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: SIMD8<UInt32>.self)
            unsafe bytes.storeBytes(of: block ^ wide, toUncheckedByteOffset: offset, as: SIMD8<UInt32>.self)
            offset += 32
        }
        while end - offset >= 4 {
            let word = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self)
            unsafe bytes.storeBytes(of: word ^ littleEndianKey, toUncheckedByteOffset: offset, as: UInt32.self)
            offset += 4
        }
        var turned = key
        while offset < end {
            let byte = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
            let masked = byte ^ UInt8(truncatingIfNeeded: turned)
            unsafe bytes.storeBytes(of: masked, toUncheckedByteOffset: offset, as: UInt8.self)
            turned = turned >> 8 | turned << 24
            offset += 1
        }
        return turned
    }
}
