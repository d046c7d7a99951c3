import Reactions
import Storage
import Transport

/// What reaches a hub from other loops and from the store, as values in its mailbox.
enum HubMessage: Sendable {
    /// For a channel that lives here.
    case request(ChannelRequest)
    /// From a channel to the connections here.
    case delivery(ChannelDelivery)
    /// Subscriptions of a hub to a channel that lives here have ended.
    case departed(String, hub: Int, [Following])
    /// The store read a channel.
    case loaded(String, Result<ChannelImage, StoreError>)
    /// The store was asked for a channel that was never there.
    case looked(Result<Void, StoreError>)
    /// The store answered for a group.
    case stored(UInt64, Result<Void, StoreError>, at: MonotonicTime)
    /// A hub has someone who asks for what this one has counted.
    case metricsAsked(ConnectionKey, withActivity: Bool)
    /// What a hub has counted, for one who asked here; out of line, for the other messages' sake.
    indirect case metrics(HubMetrics, HubActivity?, for: ConnectionKey)
    /// For the sender of a webhook's queue.
    case webhook(String, WebhookSender.Message)
    /// The store answered for a revocation that was asked for here.
    indirect case revoked(Revocation, Result<Void, StoreError>, for: ConnectionKey)
    /// A user was revoked; those who are here are to go.
    indirect case sendAway(Revocation)
    /// The store has followed the clock.
    case timed(Result<Int64, StoreError>)
    /// The store looked for old channels.
    indirect case aged(Result<AgedChannels, StoreError>)
    /// Channels that would live here have grown old.
    case expire([String], unchangedSince: Int64)
    /// The store let go of some.
    case expired(Result<Int, StoreError>)
    /// The log that brokers share tells of a channel that lives here.
    case heard(String, LogNews)
    /// The log was read for a channel.
    case read(String, Result<LogReading, StoreError>)
    /// The log has answered for a channel's batch.
    case appended(String, UInt64, Result<UInt64, AppendFailure>)
    /// What the log tells may have been missed.
    case mayHaveMissed
}
