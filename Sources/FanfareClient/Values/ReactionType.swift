public import Reactions

/// What one reacts with: an emoji, or a custom reaction with a name.
///
/// Made from any form of an emoji it holds the one form that brokers use, so `"❤"` and `"❤️"` are the same reaction. A literal will
/// do: `message.toggle("👍")`.
public enum ReactionType: Sendable, Hashable {
    /// An emoji, such as 👍.
    case emoji(String)
    /// A custom reaction's name, such as `party_parrot`.
    case named(String)
    /// What is neither: a kind of reaction that this version has no picture of, to be shown as its text.
    case other(String)

    /// Reads what a person or a program gives.
    ///
    /// - Parameter text: An emoji in any of its forms, or a name of 1–64 letters a–z, digits, `_`, `+` and `-`.
    public init(_ text: String) {
        let canonical = try? Rules(kind: .any).reaction(from: text)
        self.init(canonical ?? Reactions.Reaction(canonical: text))
    }

    /// Takes over a broker's reaction, which has its one form already.
    public init(_ reaction: Reactions.Reaction) {
        let text = reaction.text
        if text.utf8.contains(where: { $0 >= 0x80 }) {
            self = .emoji(text)
        } else if (1...64).contains(text.utf8.count), text.utf8.allSatisfy(Self.mayBeInName) {
            self = .named(text)
        } else {
            self = .other(text)
        }
    }

    /// Whether a byte may be part of a name, `[a-z0-9_+-]`.
    private static func mayBeInName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"): true
        default: isDigit(byte)
        }
    }

    /// The text that stands for it in the contract: the emoji itself, or the name.
    public var text: String {
        switch self {
        case .emoji(let text), .named(let text), .other(let text): text
        }
    }

    /// The emoji; `nil` for what has no character of its own.
    public var emoji: String? {
        if case .emoji(let emoji) = self { emoji } else { nil }
    }

    /// The broker's form.
    var reaction: Reactions.Reaction { Reactions.Reaction(canonical: text) }

    /// What is offered where nobody has said otherwise: ❤️ 👍 👎 😂 ‼️ and ❓.
    public static let common: [ReactionType] = ["❤️", "👍", "👎", "😂", "‼️", "❓"]
}

extension ReactionType: Identifiable {
    /// The text, which no other reaction has.
    public var id: String { text }
}

extension ReactionType: CustomStringConvertible {
    /// The text.
    public var description: String { text }
}

extension ReactionType: ExpressibleByStringLiteral {
    /// Reads a literal as ``init(_:)-(String)`` does.
    public init(stringLiteral text: String) {
        self.init(text)
    }
}

extension ReactionType: Codable {
    /// Reads the text.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the text alone.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
