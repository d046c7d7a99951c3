/// What a moderator did: one line of the audit, which is committed with what it tells of.
///
/// Nobody who reacts in an anonymous channel is named in it: a `user` there is the empty text.
public struct AuditEntry: Sendable, Hashable {
    /// What was done.
    public enum Action: String, Sendable, CaseIterable {
        case cleared, deleted, frozen, unfrozen, revoked
    }

    /// When, in Unix milliseconds.
    public var at: Int64
    /// What was done.
    public var action: Action
    /// Who did it.
    public var by: String
    /// In which channel; `nil` for what concerns all of them.
    public var channel: String?
    /// On which message, `*` for all of the channel's; `nil` where it concerns none.
    public var message: String?
    /// The one reaction that was cleared; `nil`: all.
    public var reaction: String?
    /// The one user whom it concerns; `nil`: all, the empty text: one who is not named.
    public var user: String?
    /// How many reactions were taken away.
    public var removed: UInt64?
    /// The change's seq, the last one's of several.
    public var seq: UInt64?

    /// Makes an entry.
    public init(
        at: Int64, _ action: Action, by: String, channel: String? = nil, message: String? = nil,
        reaction: String? = nil, user: String? = nil, removed: UInt64? = nil, seq: UInt64? = nil
    ) {
        self.at = at
        self.action = action
        self.by = by
        self.channel = channel
        self.message = message
        self.reaction = reaction
        self.user = user
        self.removed = removed
        self.seq = seq
    }
}

/// The end of all that a user was let in with until a moment.
public struct Revocation: Sendable, Hashable {
    /// The user.
    public var user: String
    /// The moment, in Unix milliseconds: what was issued then or before is worth nothing any more.
    public var at: Int64
    /// Who revoked it.
    public var by: String

    /// Makes a revocation.
    public init(user: String, at: Int64, by: String) {
        self.user = user
        self.at = at
        self.by = by
    }

    /// What the audit says of it.
    var auditEntry: AuditEntry { AuditEntry(at: at, .revoked, by: by, user: user) }
}
