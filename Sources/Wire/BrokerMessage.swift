public import Reactions

/// All that a broker says: one text message (PROTOCOL.md sections 2 to 9).
///
/// ``append(to:)`` is the broker's side, ``decode(_:)`` the client's. `isCounted` is whether the channel's policy is
/// `multiple`, where `own_counts` goes with `own`. Times are Unix milliseconds. What is large and rare is out of line.
public enum BrokerMessage: Sendable, Equatable {
    /// The first message of a connection.
    indirect case welcome(Welcome)
    /// The reply to a request that may change a channel. A freeze's names neither message nor seq.
    case ack(id: RequestID?, channel: String, Answer, isDuplicate: Bool, isCounted: Bool)
    /// The reply to `auth`; `expires` is when the token runs out.
    case authenticated(id: RequestID?, user: String, expires: Int64?)
    /// The reply to `subscribe`, and what follows `lagged`.
    indirect case subscribed(Subscribed)
    /// The reply to `watch`, with those newly watched.
    case watched(id: RequestID?, channel: String, seq: UInt64, messages: [Summary], isCounted: Bool)
    /// The reply to `unsubscribe`, or, with a reason, that the broker ended the subscription.
    case unsubscribed(id: RequestID?, channel: String, reason: String?)
    /// One change; without a user where nobody may be named.
    case event(channel: String, Change)
    /// Groups that changed, as of `seq`.
    case summary(channel: String, seq: UInt64, messages: [SummaryDelta])
    /// What the user has on a message now, in the order given.
    case own(channel: String, message: String, own: [OwnReaction], seq: UInt64, isCounted: Bool)
    /// How many are subscribed.
    case occupancy(channel: String, connections: UInt64, users: UInt64)
    /// What was acked in a window that ended `at`, in an `ephemeral` channel.
    case burst(channel: String, message: String, reactions: [ReactionCount], windowMilliseconds: Int64, at: Int64)
    /// A moderator froze the channel or ended that.
    case frozen(channel: String, isFrozen: Bool, by: String)
    /// Events from and to these seqs were left out for a slow reader.
    case lagged(channel: String, from: UInt64, to: UInt64)
    /// A page of who reacted, newest first; `total` counts all entries.
    indirect case reactors(
        id: RequestID?, channel: String, message: String, total: UInt64, reactors: [Reactor], after: String?)
    /// A page of summaries, or those asked for.
    indirect case list(
        id: RequestID?, channel: String, epoch: String, seq: UInt64, messages: [Summary], after: String?,
        isCounted: Bool)
    /// The reply to `ping`.
    case pong(id: RequestID?, time: Int64)
    /// A request was refused.
    case error(id: RequestID?, code: ErrorCode, message: String, retryAfterMilliseconds: Int64?)
    /// The broker is about to close with this code; no time to come back after: coming back is no use.
    case goodbye(code: UInt16, reason: String, retryAfterMilliseconds: Int64?)
    /// A message of a type that this version does not know, to be ignored.
    case unknown(type: String)
}
