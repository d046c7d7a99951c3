public import Reactions

/// The fields of a `welcome`.
public struct Welcome: Sendable, Equatable {
    /// The connection's name, for logs.
    public var connection: String
    /// Who is identified; `nil`: nobody yet.
    public var user: String?
    /// The broker's time, in Unix milliseconds.
    public var time: Int64
    /// How long a connection may be silent before the broker pings it, in milliseconds.
    public var heartbeatMilliseconds: Int64
    /// The size of the largest message that the broker takes, in bytes.
    public var maxMessageBytes: Int
    /// How many channels one connection may be subscribed to.
    public var maxSubscriptions: Int

    /// Makes the fields.
    public init(
        connection: String, user: String?, time: Int64, heartbeatMilliseconds: Int64, maxMessageBytes: Int,
        maxSubscriptions: Int
    ) {
        self.connection = connection
        self.user = user
        self.time = time
        self.heartbeatMilliseconds = heartbeatMilliseconds
        self.maxMessageBytes = maxMessageBytes
        self.maxSubscriptions = maxSubscriptions
    }
}

/// The fields of a `subscribed`.
public struct Subscribed: Sendable, Equatable {
    /// The request's id.
    public var id: RequestID?
    /// The channel.
    public var channel: String
    /// The life of the channel's counter.
    public var epoch: String
    /// What follows starts after this.
    public var seq: UInt64
    /// How the subscription is told of changes.
    public var mode: Mode
    /// How a user's reactions on one message relate.
    public var policy: Policy
    /// The namespace's summary interval, in milliseconds.
    public var intervalMilliseconds: Int64
    /// The only reactions that may be used; `nil`: any that the namespace accepts.
    public var allowed: [Reaction]?
    /// How many different reactions one message may have.
    public var maxKinds: Int
    /// How many different reactions one user may have on one message.
    public var maxPerUser: Int
    /// Whether the channel is frozen.
    public var isFrozen: Bool
    /// Whether what was missed follows, rather than the state.
    public var isRecovered: Bool
    /// The state as of `seq`; `nil` where recovered.
    public var messages: [Summary]?
    /// A cursor for `list` where there is more than in `messages`.
    public var more: String?
    /// Whether the policy is `multiple`: `own_counts` goes with `own`.
    public var isCounted: Bool

    /// Makes the fields.
    public init(
        id: RequestID?, channel: String, epoch: String, seq: UInt64, mode: Mode, policy: Policy,
        intervalMilliseconds: Int64, allowed: [Reaction]?, maxKinds: Int, maxPerUser: Int, isFrozen: Bool,
        isRecovered: Bool, messages: [Summary]?, more: String?, isCounted: Bool
    ) {
        self.id = id
        self.channel = channel
        self.epoch = epoch
        self.seq = seq
        self.mode = mode
        self.policy = policy
        self.intervalMilliseconds = intervalMilliseconds
        self.allowed = allowed
        self.maxKinds = maxKinds
        self.maxPerUser = maxPerUser
        self.isFrozen = isFrozen
        self.isRecovered = isRecovered
        self.messages = messages
        self.more = more
        self.isCounted = isCounted
    }
}

/// What changed on one message since the last `summary`.
public struct SummaryDelta: Sendable, Equatable {
    /// The message.
    public var message: String
    /// The sum of all groups' counts.
    public var total: UInt64
    /// The groups that changed; 0: gone.
    public var groups: [GroupCount]
    /// Whether the message was deleted.
    public var isDeleted: Bool

    /// Makes a delta.
    public init(message: String, total: UInt64, groups: [GroupCount], isDeleted: Bool = false) {
        self.message = message
        self.total = total
        self.groups = groups
        self.isDeleted = isDeleted
    }
}

/// How many of a reaction were counted in a window.
public struct ReactionCount: Sendable, Hashable {
    /// The reaction.
    public var reaction: Reaction
    /// How many.
    public var count: UInt64

    /// Makes a count.
    public init(reaction: Reaction, count: UInt64) {
        self.reaction = reaction
        self.count = count
    }
}
