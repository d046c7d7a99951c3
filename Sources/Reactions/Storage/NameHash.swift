/// Hashes names: faster than Swift's own way, which is made for hashing several values of any kind.
enum NameHash {
    // Seeded anew in each process, so nobody can choose names that fall together.
    private static let start = UInt64.random(in: .min ... .max)
    private static let factor = UInt64.random(in: .min ... .max) | 1

    /// The hash of a name's bytes, each eight of them multiplied into what came before.
    static func hash(_ name: String) -> UInt32 {
        let bytes = name.utf8.span
        var hash = start ^ UInt64(truncatingIfNeeded: bytes.count)
        var word: UInt64 = 0
        for index in bytes.indices {
            word = word << 8 | UInt64(bytes[index])
            if index & 7 == 7 {
                hash = fold(hash ^ word)
                word = 0
            }
        }
        hash = fold(hash ^ word)
        return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
    }

    private static func fold(_ word: UInt64) -> UInt64 {
        let (high, low) = word.multipliedFullWidth(by: factor)
        return high ^ low
    }
}
