/// A reaction in its one canonical form: a fully-qualified emoji or a name.
///
/// Two reactions are the same exactly when their UTF-8 bytes are; use ``Rules/reaction(from:)`` to make one from
/// what a client sent.
public struct Reaction: Sendable, Hashable, CustomStringConvertible {
    /// The canonical text, as it is sent to clients and kept in stores.
    public let text: String

    /// Takes a text that is known to be canonical: from a store, or from the emoji table.
    public init(canonical text: String) {
        self.text = text
    }

    /// The canonical text.
    public var description: String { text }
}
