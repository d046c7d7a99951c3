extension UTF8 {
    /// Whether bytes are UTF-8 as a whole (RFC 3629).
    ///
    /// `UTF8Span(validating:)` judges text without any other characters than ASCII as fast, but messages with a few emoji,
    /// which is what most here are, three to five times as slowly.
    static func isValid(_ bytes: Span<UInt8>) -> Bool {
        var index = 0
        while index < bytes.count {
            index = endOfASCII(bytes, from: index)
            while index < bytes.count, bytes[index] >= 0x80 {
                let length = characterLength(bytes, at: index)
                guard length > 0 else { return false }
                index += length
            }
        }
        return true
    }

    /// The first byte from an index on that is not ASCII, or the end.
    private static func endOfASCII(_ bytes: Span<UInt8>, from start: Int) -> Int {
        // Read only where an index was seen to be inside.
        let raw = unsafe bytes.bytes
        let high: UInt64 = 0x8080_8080_8080_8080
        var index = start
        while index + 32 <= bytes.count {
            // 32 bytes from the index on are inside, as was asked.
            let block = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: SIMD4<UInt64>.self)
            guard (block[0] | block[1] | block[2] | block[3]) & high == 0 else { break }
            index += 32
        }
        while index + 8 <= bytes.count {
            // And so are 8.
            let word = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
            guard word & high == 0 else { break }
            index += 8
        }
        while index < bytes.count, bytes[index] < 0x80 { index += 1 }
        return index
    }

    /// How many bytes, 2–4, a character has that begins at an index; 0 where none does.
    private static func characterLength(_ bytes: Span<UInt8>, at index: Int) -> Int {
        let lead = bytes[index]
        let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        guard lead >= 0xC2, lead < 0xF5, length <= bytes.count - index else { return 0 }
        let second = bytes[index + 1]
        guard second & 0xC0 == 0x80 else { return 0 }
        // No overlong forms, no surrogates, nothing past U+10FFFF.
        switch lead {
        case 0xE0: guard second >= 0xA0 else { return 0 }
        case 0xED: guard second < 0xA0 else { return 0 }
        case 0xF0: guard second >= 0x90 else { return 0 }
        case 0xF4: guard second < 0x90 else { return 0 }
        default: break
        }
        if length > 2, bytes[index + 2] & 0xC0 != 0x80 { return 0 }
        if length > 3, bytes[index + 3] & 0xC0 != 0x80 { return 0 }
        return length
    }
}
