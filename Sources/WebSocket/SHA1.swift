/// SHA-1 (FIPS 180-4), for the accept key alone.
///
/// This room imports nothing, so that it can be used and tested without a crypto library; the handshake uses the hash as
/// a checksum against mix-ups, not for secrecy (RFC 6455 section 10.8).
enum SHA1 {
    /// The digest, 20 bytes.
    static func hash(_ message: [UInt8]) -> [UInt8] {
        var state: InlineArray<5, UInt32> = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        let padded = pad(message)
        for start in stride(from: 0, to: padded.count, by: 64) { mix(padded.span, from: start, into: &state) }
        var digest: [UInt8] = []
        digest.reserveCapacity(20)
        for index in state.indices { append(state[index], to: &digest) }
        return digest
    }

    private static func pad(_ message: [UInt8]) -> [UInt8] {
        var padded = message
        padded.reserveCapacity(message.count + 72)
        padded.append(0x80)
        while padded.count % 64 != 56 { padded.append(0) }
        let bits = UInt64(message.count) * 8
        append(UInt32(bits >> 32), to: &padded)
        append(UInt32(truncatingIfNeeded: bits), to: &padded)
        return padded
    }

    /// Mixes 64 bytes in.
    private static func mix(_ bytes: Span<UInt8>, from start: Int, into state: inout InlineArray<5, UInt32>) {
        var words = InlineArray<80, UInt32>(repeating: 0)
        for index in 0..<64 { words[index / 4] = words[index / 4] << 8 | UInt32(bytes[start + index]) }
        for index in 16..<80 {
            words[index] = rotate(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], by: 1)
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for index in 0..<80 {
            let (choice, constant): (UInt32, UInt32) =
                switch index / 20 {
                case 0: (b & c | ~b & d, 0x5A82_7999)
                case 1: (b ^ c ^ d, 0x6ED9_EBA1)
                case 2: (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            let next = rotate(a, by: 5) &+ choice &+ e &+ constant &+ words[index]
            (a, b, c, d, e) = (next, a, rotate(b, by: 30), c, d)
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
    }

    private static func rotate(_ word: UInt32, by count: UInt32) -> UInt32 {
        word << count | word >> (32 - count)
    }

    /// Appends a word, its highest byte first.
    private static func append(_ word: UInt32, to bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: word >> 24))
        bytes.append(UInt8(truncatingIfNeeded: word >> 16))
        bytes.append(UInt8(truncatingIfNeeded: word >> 8))
        bytes.append(UInt8(truncatingIfNeeded: word))
    }
}
