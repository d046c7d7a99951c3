#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a person wants to do to a message's reactions, from the tap on until the broker has it.
///
/// One that failed is kept and may be sent again; it carries its key with it, so a retry never counts twice.
public struct DraftReaction: Sendable, Hashable, Codable, Identifiable {
    /// What is wanted.
    public enum Action: String, Sendable, Hashable, Codable {
        /// The reaction is to be there.
        case add
        /// The reaction is to be gone.
        case remove
    }

    /// The key by which the broker knows a retry (1–64 bytes).
    public let id: String
    /// The message; `""` is the channel itself.
    public let message: String
    /// When the person chose it.
    public let createdAt: Date
    /// The reaction.
    public let type: ReactionType
    /// What is wanted of it.
    public let action: Action

    /// Makes a draft.
    ///
    /// - Parameters:
    ///   - id: The key, 1–64 visible ASCII characters.
    ///   - message: The message; `""` is the channel itself.
    ///   - createdAt: When the person chose it.
    ///   - type: The reaction.
    ///   - action: What is wanted of it.
    public init(id: String, message: String, createdAt: Date, type: ReactionType, action: Action = .add) {
        self.id = id
        self.message = message
        self.createdAt = createdAt
        self.type = type
        self.action = action
    }
}
