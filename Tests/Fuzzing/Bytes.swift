extension [UInt8] {
    /// Copies borrowed bytes.
    init(copying span: Span<UInt8>) {
        self.init()
        reserveCapacity(span.count)
        for index in span.indices { append(span[index]) }
    }

    /// The bytes in pieces of lengths that follow from a seed; 0 cuts them into single bytes, as far as that is quick.
    ///
    /// Each piece is an array of exactly its length, so that a sanitizer sees every step beyond it.
    func cut(by seed: UInt8) -> [[UInt8]] {
        guard seed != 0 else { return prefix(2_000).map { [$0] } + [Array(dropFirst(2_000))] }
        var generator = SplitMix(state: UInt64(seed))
        let longest = [3, 20, 200, 2_000][Int(seed % 4)]
        var rest = self[...]
        var pieces: [[UInt8]] = []
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 0...longest, using: &generator))
            pieces.append(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }

    /// The bytes as text, in which what is not UTF-8 is mended.
    var text: String { String(decoding: self, as: UTF8.self) }
}

/// A small seeded generator (Steele, Lea, Flood: SplitMix64).
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
