/// A reaction in its one canonical form: a fully-qualified emoji or a name.
///
/// Two reactions are the same exactly when their UTF-8 bytes are; use ``Rules/reaction(from:)`` to make one from
/// what a client sent.
public struct Reaction: Sendable, CustomStringConvertible {
    /// The canonical text, as it is sent to clients and kept in stores.
    public let text: String

    /// Takes a text that is known to be canonical: from a store, or from the emoji table.
    public init(canonical text: String) {
        self.text = text
    }

    /// The canonical text.
    public var description: String { text }
}

// By bytes: a String compares by canonical equivalence, which is slow for what is not ASCII and not what we mean.
extension Reaction: Hashable {
    /// Compares the UTF-8 bytes.
    public static func == (left: Reaction, right: Reaction) -> Bool {
        let left = left.text.utf8.span
        let right = right.text.utf8.span
        guard left.count == right.count else { return false }
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }

    /// Hashes the UTF-8 bytes.
    public func hash(into hasher: inout Hasher) {
        let bytes = text.utf8.span
        var word: UInt64 = 0
        for index in bytes.indices {
            word = word << 8 | UInt64(bytes[index])
            if index & 7 == 7 { hasher.combine(word) }
        }
        hasher.combine(word)
        hasher.combine(bytes.count)
    }
}
