/// One request that may change a channel, with nothing in it that depends on who carries it.
///
/// The channel itself is not named: a ledger is one channel's.
public struct Operation: Sendable, Equatable {
    /// What is asked for.
    public enum Action: Sendable, Equatable {
        /// Adds `count` of a reaction (`count` other than 1: policy `multiple` alone).
        case add(reaction: String, count: Int?, data: ReactionData?)
        /// Takes a reaction away; without a count, or with one above what is there, all of it.
        case remove(reaction: String, count: Int?)
        /// Adds where it is absent, removes where it is there.
        case toggle(reaction: String, count: Int?, data: ReactionData?)
        /// Makes the user's reactions on the message exactly these.
        case set(reactions: [String])
        /// Takes away everyone's reactions, narrowed by reaction and by user. Message `*`: in the whole channel.
        case clear(reaction: String?, user: String?)
        /// Deletes the message for good.
        case delete
        /// Freezes the channel, or ends that.
        case freeze(Bool)
    }

    /// What is asked for.
    ///
    /// Reactions are as the client sent them, not yet canonical.
    public var action: Action
    /// The message, `""` for the channel itself.
    public var message: String
    /// Who asks: the reacting user, or the moderator.
    public var user: String
    /// The key that makes a retry safe.
    public var key: String?
    /// The only reactions that the user's token lets them use; `nil`: the token says nothing.
    public var tokenAllowed: [String]?

    /// Makes an operation.
    public init(
        _ action: Action, message: String, user: String, key: String? = nil, tokenAllowed: [String]? = nil
    ) {
        self.action = action
        self.message = message
        self.user = user
        self.key = key
        self.tokenAllowed = tokenAllowed
    }
}

/// The JSON object that a client may attach to a reaction.
public struct ReactionData: Sendable, Hashable {
    /// The object as it was sent (compact or not), at most 1,024 bytes: what is given back.
    public var text: String
    /// A form that is the same for equal JSON values: members sorted, no white space, one spelling for each
    /// number and string.
    ///
    /// This is what is compared.
    public var canonical: String

    /// Makes data from the two forms.
    public init(text: String, canonical: String) {
        self.text = text
        self.canonical = canonical
    }
}
