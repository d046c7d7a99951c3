/// All equal reactions on a message, as one badge shows them.
public struct ReactionGroup: Sendable, Hashable, Identifiable {
    /// How it stands with the person's own change of a group.
    public enum Status: Sendable, Hashable {
        /// There is none, or the broker has it.
        case sent
        /// It is on its way to the broker, or waits for a connection.
        case sending
        /// The broker refused it; it may be sent again or thrown away.
        case failed(ClientError)

        /// Whether the broker refused it.
        public var isFailed: Bool {
            if case .failed = self { true } else { false }
        }
    }

    /// The reaction.
    public let type: ReactionType
    /// How many of it, the person's own pending change included; 0 only where an addition failed.
    public let count: Int
    /// How many people gave it.
    public let users: Int
    /// Who reacted last, newest first, five at most; `nil` where nobody may be named.
    public let latest: [String]?
    /// How many of it are the person's own; above 1 only with policy `multiple`.
    public let ownCount: Int
    /// How it stands with the person's own change.
    public let status: Status

    /// The reaction, which no other group of the message has.
    public var id: ReactionType { type }
    /// Whether the person is among those who gave it.
    public var isOwn: Bool { ownCount > 0 }

    /// Makes a group; apps need that for previews.
    ///
    /// - Parameters:
    ///   - type: The reaction.
    ///   - count: How many of it.
    ///   - users: How many people gave it.
    ///   - latest: Who reacted last, newest first.
    ///   - ownCount: How many of it are the person's own.
    ///   - status: How it stands with the person's own change.
    public init(
        _ type: ReactionType, count: Int, users: Int, latest: [String]? = [], ownCount: Int = 0, status: Status = .sent
    ) {
        self.type = type
        self.count = count
        self.users = users
        self.latest = latest
        self.ownCount = ownCount
        self.status = status
    }
}

extension ReactionGroup {
    /// Takes over what the state shows.
    init(_ sight: MessageSight.Group) {
        self.init(
            ReactionType(sight.group.reaction), count: sight.group.count, users: sight.group.users,
            latest: sight.group.latest?.map(\.user), ownCount: sight.ownCount, status: sight.status)
    }
}

extension ReactionGroup: CustomStringConvertible {
    /// A few words for a person, such as `👍 3 (yours, sending)`.
    public var description: String {
        let own = ownCount > 1 ? "\(ownCount) yours" : "yours"
        let remarks = [isOwn ? own : nil, status.remark].compactMap { $0 }
        return "\(type) \(count)" + (remarks.isEmpty ? "" : " (\(remarks.joined(separator: ", ")))")
    }
}

extension ReactionGroup.Status {
    fileprivate var remark: String? {
        switch self {
        case .sent: nil
        case .sending: "sending"
        case .failed(let error): "failed: \(error)"
        }
    }
}
