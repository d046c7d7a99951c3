internal import Glibc

extension Span<UInt8> {
    /// Whether another one holds the same bytes.
    func isSame(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return unsafe withUnsafeBytes { mine in
            unsafe other.withUnsafeBytes { theirs in
                guard let mine = mine.baseAddress, let theirs = theirs.baseAddress else { return true }
                // Both have as many bytes as the other; a loop of our own takes ten times as long.
                return unsafe memcmp(mine, theirs, count) == 0
            }
        }
    }
}
