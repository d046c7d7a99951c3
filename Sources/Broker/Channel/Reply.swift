import Reactions
import Wire

/// What a channel answers to one request, and what others hear of it.
struct Reply: Sendable {
    /// What the reply does to the asking connection's subscription, at its place in the order.
    enum Effect: Sendable {
        case none
        /// It begins (anew). `resume`: what the subscriber has seen, where it asked to go on from there.
        case subscribe(Following, resume: UInt64?)
        case refuseSubscription
        case watch(Set<String>)
        case unsubscribe
        case resynchronize
    }

    var connection: ConnectionKey
    /// The user who asked.
    var author: String
    /// `nil`: a request without an id, which succeeded.
    var message: BrokerMessage?
    /// A second message to the same connection.
    var followUp: BrokerMessage?
    var effect = Effect.none
    /// Whether the asking connection counts what is not answered yet.
    var isBulky: Bool
    /// When the request was read, in nanoseconds of the monotonic clock; 0 where nobody asked.
    let receivedAt: UInt64
    /// What became of a request that may change the channel.
    var result: ReactionResult?
    /// The changes made, one event each.
    var changes: [Change] = []
    /// What users have on messages after these changes.
    var owns: [OwnChange] = []
    /// A message to all subscribers that is no change.
    var broadcast: BrokerMessage?
    /// A reaction to count in the next burst.
    var burst: (message: String, reaction: Reaction)?

    init(_ origin: Origin, _ message: BrokerMessage?) {
        connection = origin.connection
        author = origin.user
        isBulky = origin.isBulky
        receivedAt = origin.receivedAt
        self.message = message
    }
}

/// What a user has on a message after a change.
struct OwnChange: Sendable {
    var user: String
    var message: String
    var own: [OwnReaction]
    var seq: UInt64
}
