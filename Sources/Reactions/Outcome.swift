/// Why an operation was refused; nothing was changed (PROTOCOL.md section 8).
public enum Refusal: Error, Sendable, Equatable {
    /// What the namespace's policy refuses; the text is for a person.
    case badRequest(String)
    /// The key was used for another body.
    case keyReused
    /// Not a reaction at all.
    case invalidReaction
    /// A reaction, but not in the namespace's or the token's list.
    case reactionNotAllowed
    /// The channel is frozen.
    case frozen
    /// The message was deleted.
    case messageDeleted
    /// Past the message's or the user's limit; the text is for a person.
    case tooManyReactions(String)
}

/// What an operation did.
public struct Outcome: Sendable, Equatable {
    /// What the ack says.
    public var answer: Answer
    /// Whether the answer is the first one's, given again for the same key; then there are no changes.
    public var isDuplicate: Bool
    /// The changes, in the order of their seqs; empty where nothing changed.
    public var changes: [Change]
    /// What a store must keep, in order; each record is absolute, so a later one of the same place wins.
    public var records: [Record]

    /// Makes an outcome.
    public init(answer: Answer, isDuplicate: Bool = false, changes: [Change] = [], records: [Record] = []) {
        self.answer = answer
        self.isDuplicate = isDuplicate
        self.changes = changes
        self.records = records
    }
}

/// The part of an ack that the ledger decides.
public struct Answer: Sendable, Equatable {
    /// The word in `result`.
    public enum Result: String, Sendable, CaseIterable {
        case added, removed, replaced, updated, unchanged, changed, cleared, deleted
    }

    /// What happened.
    public var result: Result
    /// The message.
    public var message: String
    /// The change's seq, the last one's of several; for `unchanged` the channel's.
    public var seq: UInt64
    /// The reaction asked about, canonical (add, remove, toggle; clear where one was named).
    public var reaction: Reaction?
    /// The reaction that was taken away by a replacement.
    public var previous: Reaction?
    /// The reaction's count on the message afterwards (add, remove, toggle).
    public var count: UInt64?
    /// The user's reactions on the message afterwards, in the order given, with their counts (add, remove, toggle, set).
    public var own: [OwnReaction]?
    /// How many reactions were taken away (clear, delete).
    public var removed: UInt64?
    /// Whether the channel is frozen (freeze).
    public var frozen: Bool?

    /// Makes an answer.
    public init(
        _ result: Result, message: String, seq: UInt64, reaction: Reaction? = nil, previous: Reaction? = nil,
        count: UInt64? = nil, own: [OwnReaction]? = nil, removed: UInt64? = nil, frozen: Bool? = nil
    ) {
        self.result = result
        self.message = message
        self.seq = seq
        self.reaction = reaction
        self.previous = previous
        self.count = count
        self.own = own
        self.removed = removed
        self.frozen = frozen
    }
}

/// One of a user's reactions on a message.
public struct OwnReaction: Sendable, Hashable {
    /// The reaction.
    public var reaction: Reaction
    /// How many of it; above 1 only with policy `multiple`.
    public var count: UInt64

    /// Makes one.
    public init(reaction: Reaction, count: UInt64 = 1) {
        self.reaction = reaction
        self.count = count
    }
}

/// A group's numbers after a change.
public struct GroupCount: Sendable, Hashable {
    /// The reaction.
    public var reaction: Reaction
    /// How many of it there are; 0: the group is gone.
    public var count: UInt64
    /// How many people gave it.
    public var users: UInt64

    /// Makes the numbers of a group.
    public init(reaction: Reaction, count: UInt64, users: UInt64) {
        self.reaction = reaction
        self.count = count
        self.users = users
    }
}

/// One change of a channel's reactions: exactly one seq, and one event (PROTOCOL.md section 4).
public struct Change: Sendable, Equatable {
    /// What changed.
    ///
    /// Numbers are absolute, after the change; `byCount` is the step, for policy `multiple` alone.
    public enum Kind: Sendable, Equatable {
        case added(GroupCount, byCount: UInt64?, data: ReactionData?)
        case removed(GroupCount, byCount: UInt64?)
        case updated(GroupCount, data: ReactionData)
        case replaced(GroupCount, previous: GroupCount, data: ReactionData?)
        /// `reaction` and `user` as the moderator narrowed it; `groups` are those that changed, in their order.
        case cleared(
            groups: [GroupCount], reaction: Reaction?, user: String?, by: String, removed: UInt64, isDeletion: Bool)
    }

    /// The channel's counter after this change.
    public var seq: UInt64
    /// The message.
    public var message: String
    /// The reacting user; `nil` for `cleared`.
    public var user: String?
    /// When, in Unix milliseconds.
    public var at: Int64
    /// The sum of all groups' counts on the message afterwards.
    public var total: UInt64
    /// What changed.
    public var kind: Kind

    /// Makes a change.
    public init(seq: UInt64, message: String, user: String?, at: Int64, total: UInt64, kind: Kind) {
        self.seq = seq
        self.message = message
        self.user = user
        self.at = at
        self.total = total
        self.kind = kind
    }
}

extension Change {
    /// The same change without the name of anyone who reacts, for anonymous namespaces; a moderator's `by` stays.
    public var withoutNames: Change {
        var change = self
        change.user = nil
        if case .cleared(let groups, let reaction, _, let by, let removed, let isDeletion) = kind {
            change.kind = .cleared(
                groups: groups, reaction: reaction, user: nil, by: by, removed: removed, isDeletion: isDeletion)
        }
        return change
    }
}
