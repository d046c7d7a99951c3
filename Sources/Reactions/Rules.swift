/// How a user's reactions on one message relate to each other (PROTOCOL.md section 6).
public enum Policy: String, Sendable, CaseIterable {
    /// One reaction a user and message at most; another one replaces it.
    case unique
    /// Each reaction once a user and message.
    case distinct
    /// Any reaction, counted.
    case multiple
    /// Nothing is kept; reactions are only counted into bursts.
    case ephemeral
}

/// What may be a reaction at all in a namespace (PROTOCOL.md section 7).
public enum ReactionKind: String, Sendable, CaseIterable {
    /// Exactly one emoji of Unicode's `emoji-test.txt`.
    case emoji
    /// A name, `[a-z0-9_+-]{1,64}`.
    case named
    /// Either.
    case any
}

/// The settings of a namespace that decide what an operation does.
public struct Rules: Sendable, Equatable {
    /// How a user's reactions on one message relate.
    public var policy: Policy
    /// What is a reaction at all.
    public var kind: ReactionKind
    /// The only reactions that may be used, in the order in which a client shows them; `nil`: all of the kind.
    public var allowed: [Reaction]?
    /// Whether skin tones are taken off, so that 👍🏽 counts as 👍.
    public var foldSkinTones: Bool
    /// How many different reactions one message may have, at least 1.
    public var maxKindsPerMessage: Int
    /// How many different reactions one user may have on one message, at least 1.
    public var maxPerUserAndMessage: Int

    /// Makes rules; the defaults are those of a namespace that says nothing.
    public init(
        policy: Policy = .distinct, kind: ReactionKind = .emoji, allowed: [Reaction]? = nil,
        foldSkinTones: Bool = false, maxKindsPerMessage: Int = 20, maxPerUserAndMessage: Int = 10
    ) {
        self.policy = policy
        self.kind = kind
        self.allowed = allowed
        self.foldSkinTones = foldSkinTones
        self.maxKindsPerMessage = maxKindsPerMessage
        self.maxPerUserAndMessage = maxPerUserAndMessage
    }
}
