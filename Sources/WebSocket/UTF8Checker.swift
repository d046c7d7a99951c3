/// Checks text that arrives in pieces, cut anywhere, and refuses it at the first byte that cannot be UTF-8 (RFC 3629).
///
/// Between pieces it keeps only which bytes may come next, so an incomplete character is judged as far as it is there.
struct UTF8Checker {
    /// How many bytes of a character are still to come, 0–3.
    private var missing: UInt8 = 0
    /// The range of the next byte while `missing` is not 0.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    /// Whether the text so far ends with a whole character.
    var isComplete: Bool { missing == 0 }

    /// Takes the next piece.
    ///
    /// - Returns: `false` where the text is not UTF-8, whatever may follow; the checker is then of no more use.
    mutating func accept(_ piece: Span<UInt8>) -> Bool {
        var start = 0
        while missing > 0 && start < piece.count {
            guard step(piece[start]) else { return false }
            start += 1
        }
        let end = piece.count - Self.incompleteSuffix(of: piece.extracting(start...))
        guard UTF8.isValid(piece.extracting(start..<end)) else { return false }
        for index in end..<piece.count {
            guard step(piece[index]) else { return false }
        }
        return true
    }

    /// How many bytes at the end, 0–3, begin a character that is not all there.
    private static func incompleteSuffix(of bytes: Span<UInt8>) -> Int {
        for length in 1...3 where length <= bytes.count {
            let byte = bytes[bytes.count - length]
            if byte < 0x80 { return 0 }
            if byte >= 0xC0 { return sequenceLength(lead: byte) > length ? length : 0 }
        }
        return 0
    }

    private static func sequenceLength(lead: UInt8) -> Int {
        lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    }

    private mutating func step(_ byte: UInt8) -> Bool {
        if missing > 0 {
            guard lowest <= byte && byte <= highest else { return false }
            missing -= 1
            (lowest, highest) = (0x80, 0xBF)
            return true
        }
        // The second byte of some characters has a narrower range: no overlong forms, surrogates, or past U+10FFFF.
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: (missing, lowest, highest) = (1, 0x80, 0xBF)
        case 0xE0: (missing, lowest, highest) = (2, 0xA0, 0xBF)
        case 0xED: (missing, lowest, highest) = (2, 0x80, 0x9F)
        case 0xE1...0xEF: (missing, lowest, highest) = (2, 0x80, 0xBF)
        case 0xF0: (missing, lowest, highest) = (3, 0x90, 0xBF)
        case 0xF1...0xF3: (missing, lowest, highest) = (3, 0x80, 0xBF)
        case 0xF4: (missing, lowest, highest) = (3, 0x80, 0x8F)
        default: return false
        }
        return true
    }
}
