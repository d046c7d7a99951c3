public import Reactions
public import Wire

/// What someone who follows a channel is told.
public enum ChannelUpdate: Sendable, Equatable {
    /// How the client stands with its broker; while it is not connected, what is shown may be old.
    case connection(ConnectionState)
    /// The state of the channel; it takes the place of all that was known.
    case snapshot(ChannelSnapshot)
    /// One change (mode `events`).
    case event(Change)
    /// Groups that changed, with their counts as of a seq (mode `summary`).
    case summary(seq: UInt64, [SummaryDelta])
    /// What the client's user has on a message now, as of a seq.
    case own(message: String, [OwnReaction], seq: UInt64)
    /// How many are subscribed on all nodes.
    case occupancy(connections: UInt64, users: UInt64)
    /// What was counted on a message of an ephemeral channel in one window.
    case burst(Burst)
    /// Whether the channel takes reactions was changed.
    case frozen(Bool, by: String)
    /// The subscription is over, and the sequence with it: the broker refused it or did not answer in time, or
    /// the client does not come back.
    case ended(ClientError)
}

/// A channel's state at one moment.
public struct ChannelSnapshot: Sendable, Equatable {
    /// Why a snapshot comes.
    public enum Reason: Sendable, Hashable {
        /// The subscription begins, or what was missed while away is not held by the broker any more.
        case subscribed
        /// The connection was too slow for the events, so the broker skipped some.
        case lagged
        /// The reader of the sequence was too slow, so what waited for it was merged.
        case coalesced
    }

    /// The counts.
    public var view: ChannelView
    /// The life of the channel's counter.
    public var epoch: String
    /// The reactions that may be used; `nil`: all that the namespace accepts.
    public var allowed: [Reactions.Reaction]?
    /// Why it comes.
    public var reason: Reason

    /// Makes a snapshot.
    public init(view: ChannelView, epoch: String, allowed: [Reactions.Reaction]?, reason: Reason) {
        self.view = view
        self.epoch = epoch
        self.allowed = allowed
        self.reason = reason
    }
}

/// One window of an ephemeral channel (PROTOCOL.md section 6).
public struct Burst: Sendable, Equatable {
    /// The message.
    public var message: String
    /// How often each reaction was used in the window.
    public var counts: [ReactionCount]
    /// The length of the window in milliseconds.
    public var windowMilliseconds: Int64
    /// When the window ended, in Unix milliseconds.
    public var at: Int64

    /// Makes a burst.
    public init(message: String, counts: [ReactionCount], windowMilliseconds: Int64, at: Int64) {
        self.message = message
        self.counts = counts
        self.windowMilliseconds = windowMilliseconds
        self.at = at
    }
}
