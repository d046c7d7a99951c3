/// SHA-1 (FIPS 180-4 section 6.1), for the handshake alone.
///
/// This room imports nothing, so that it can be used and tested without a crypto library; the handshake uses the hash as
/// a checksum against mix-ups, not for secrecy (RFC 6455 section 10.8).
struct SHA1 {
    private var state: InlineArray<5, UInt32> = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    /// The digest, 20 bytes.
    static func hash(_ message: Span<UInt8>) -> InlineArray<20, UInt8> {
        var hash = SHA1()
        let whole = message.count / 64 * 64
        for start in stride(from: 0, to: whole, by: 64) { hash.mix(words(of: message.extracting(start..<start + 64))) }
        let rest = message.extracting(whole...)
        var words = words(of: rest)
        words[rest.count / 4] |= 0x80 << UInt32(24 - rest.count % 4 * 8)
        if rest.count >= 56 {
            hash.mix(words)
            words = InlineArray(repeating: 0)
        }
        let bits = UInt64(message.count) * 8
        words[14] = UInt32(truncatingIfNeeded: bits >> 32)
        words[15] = UInt32(truncatingIfNeeded: bits)
        hash.mix(words)
        let state = hash.state
        return InlineArray { UInt8(truncatingIfNeeded: state[$0 / 4] >> UInt32(24 - $0 % 4 * 8)) }
    }

    /// Up to 64 bytes as words, their highest byte first; what is missing is 0.
    private static func words(of bytes: Span<UInt8>) -> InlineArray<16, UInt32> {
        var words = InlineArray<16, UInt32>(repeating: 0)
        let whole = bytes.count / 4
        let raw = unsafe bytes.bytes  // bytes are their own form in memory
        for index in 0..<whole {
            // All four bytes are inside, and bytes may be read as any number.
            words[index] = unsafe UInt32(
                bigEndian: raw.unsafeLoadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
        }
        for index in whole * 4..<bytes.count {
            words[whole] |= UInt32(bytes[index]) << UInt32(24 - index % 4 * 8)
        }
        return words
    }

    /// Mixes 64 bytes in, the first 16 words of the schedule.
    private mutating func mix(_ block: InlineArray<16, UInt32>) {
        var schedule = InlineArray<80, UInt32>(repeating: 0)
        for index in 0..<16 { schedule[index] = block[index] }
        for index in 16..<80 {
            let mixed = schedule[index - 3] ^ schedule[index - 8] ^ schedule[index - 14] ^ schedule[index - 16]
            schedule[index] = rotate(mixed, by: 1)
        }
        let before = state
        let words = schedule.span
        rounds(0, of: words, 0x5A82_7999) { $0 & $1 | ~$0 & $2 }
        rounds(20, of: words, 0x6ED9_EBA1) { $0 ^ $1 ^ $2 }
        rounds(40, of: words, 0x8F1B_BCDC) { $0 & $1 | $0 & $2 | $1 & $2 }
        rounds(60, of: words, 0xCA62_C1D6) { $0 ^ $1 ^ $2 }
        for index in state.indices { state[index] &+= before[index] }
    }

    /// Twenty rounds; after five of them each word of the state has its old place again, so none is moved.
    @inline(__always)
    private mutating func rounds(
        _ start: Int, of schedule: Span<UInt32>, _ constant: UInt32,
        choice: (UInt32, UInt32, UInt32) -> UInt32
    ) {
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for index in stride(from: start, to: start + 20, by: 5) {
            e &+= rotate(a, by: 5) &+ choice(b, c, d) &+ constant &+ schedule[index]
            b = rotate(b, by: 30)
            d &+= rotate(e, by: 5) &+ choice(a, b, c) &+ constant &+ schedule[index + 1]
            a = rotate(a, by: 30)
            c &+= rotate(d, by: 5) &+ choice(e, a, b) &+ constant &+ schedule[index + 2]
            e = rotate(e, by: 30)
            b &+= rotate(c, by: 5) &+ choice(d, e, a) &+ constant &+ schedule[index + 3]
            d = rotate(d, by: 30)
            a &+= rotate(b, by: 5) &+ choice(c, d, e) &+ constant &+ schedule[index + 4]
            c = rotate(c, by: 30)
        }
        state = [a, b, c, d, e]
    }

    @inline(__always)
    private func rotate(_ word: UInt32, by count: UInt32) -> UInt32 {
        word &<< count | word &>> (32 &- count)
    }
}
