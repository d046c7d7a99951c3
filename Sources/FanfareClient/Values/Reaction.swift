#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One user's reaction on one message, as lists of reactions in chat programs want it.
public struct Reaction: Sendable, Hashable, Codable, Identifiable {
    /// How far a reaction has come.
    public enum Status: Sendable, Hashable, Codable {
        /// It is on its way to the broker, or waits for a connection.
        case sending
        /// The broker has it.
        case sent
        /// The broker refused it; the draft may be sent again or thrown away.
        case failed(DraftReaction)
    }

    /// What tells it from all others of a channel: the same from the tap on, whatever its status.
    public let id: String
    /// The message; `""` is the channel itself.
    public let message: String
    /// Who reacted.
    public let user: String
    /// When, by the broker's clock; while it is not ``Status/sent``, by this one's.
    public let createdAt: Date
    /// With what.
    public let type: ReactionType
    /// How many of it; above 1 only with policy `multiple`.
    public let count: Int
    /// How far it has come.
    public var status: Status

    /// Makes a reaction, whose id follows from message, user and type.
    ///
    /// - Parameters:
    ///   - message: The message; `""` is the channel itself.
    ///   - user: Who reacted.
    ///   - createdAt: When.
    ///   - type: With what.
    ///   - count: How many of it.
    ///   - status: How far it has come.
    public init(
        message: String, user: String, createdAt: Date, type: ReactionType, count: Int = 1, status: Status = .sent
    ) {
        // Names of messages and users have no blanks.
        id = "\(message) \(user) \(type)"
        self.message = message
        self.user = user
        self.createdAt = createdAt
        self.type = type
        self.count = count
        self.status = status
    }
}
