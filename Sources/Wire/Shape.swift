/// The shapes that names and numbers of the contract must have (PROTOCOL.md sections 1 and 3).
///
/// For every way in: messages are checked while they are decoded, paths, queries and headers of HTTP with these.
public enum Shape {
    /// The values that a request's `count` may have.
    public static let counts = 1...1_000
    /// The values that a request's `limit` may have.
    public static let limits = 1...100
    /// What `limit` is where it is left out.
    public static let defaultLimit = 50
    /// How many messages one request may name.
    public static let maxMessages = 1_000
    /// How many different reactions one `set` may name.
    public static let maxReactions = 1_000
    /// How many bytes `data` may have as it is sent.
    public static let maxDataBytes = 1_024
    /// The largest `seq` and the largest `id` that is a number: 2^53-1.
    public static let maxWholeNumber: UInt64 = 1 << 53 - 1
    /// How many bytes an `id` that is a string may have.
    public static let maxIDBytes = 64

    static let maxChannelBytes = 200
    static let maxMessageBytes = 128
    static let maxUserBytes = 128
    static let maxKeyBytes = 64

    /// Whether a text may name a channel: 1–200 bytes, each 0x21–0x7E.
    public static func isChannel(_ text: String) -> Bool { isName(text.utf8Span.span, maxChannelBytes) }

    /// Whether a text may name a message inside a channel: 1–128 bytes, each 0x21–0x7E, none of `-`, `.`, `..`, `*`.
    ///
    /// The channel's own message `""` is not among them.
    public static func isMessage(_ text: String) -> Bool {
        isName(text.utf8Span.span, maxMessageBytes) && !isReserved(text)
    }

    /// Whether a text may name a user: 1–128 bytes, each 0x21–0x7E.
    public static func isUser(_ text: String) -> Bool { isName(text.utf8Span.span, maxUserBytes) }

    /// Whether a text may be a key that makes a retry safe: 1–64 bytes, each 0x21–0x7E.
    public static func isKey(_ text: String) -> Bool { isName(text.utf8Span.span, maxKeyBytes) }

    static func isName(_ bytes: Span<UInt8>, _ maxBytes: Int) -> Bool {
        guard !bytes.isEmpty, bytes.count <= maxBytes else { return false }
        for index in bytes.indices where !(0x21...0x7E).contains(bytes[index]) { return false }
        return true
    }

    /// Whether a name is one of those that no message may have: `-`, `.`, `..`, `*`.
    static func isReserved(_ text: String) -> Bool {
        text == "-" || text == "." || text == ".." || text == "*"
    }
}
