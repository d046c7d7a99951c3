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
    private var rare: Rare?

    /// What few replies have: a reply is copied several times on its way, and should be small.
    private final class Rare: Sendable {
        let followUp: BrokerMessage?
        let effect: Effect
        let broadcast: BrokerMessage?
        let burst: (message: String, reaction: Reaction)?

        init(
            followUp: BrokerMessage?, effect: Effect, broadcast: BrokerMessage?,
            burst: (message: String, reaction: Reaction)?
        ) {
            self.followUp = followUp
            self.effect = effect
            self.broadcast = broadcast
            self.burst = burst
        }
    }

    /// A second message to the same connection.
    var followUp: BrokerMessage? {
        get { rare?.followUp }
        set { rare = Rare(followUp: newValue, effect: effect, broadcast: broadcast, burst: burst) }
    }

    var effect: Effect {
        get { rare?.effect ?? .none }
        set { rare = Rare(followUp: followUp, effect: newValue, broadcast: broadcast, burst: burst) }
    }

    /// A message to all subscribers that is no change.
    var broadcast: BrokerMessage? {
        get { rare?.broadcast }
        set { rare = Rare(followUp: followUp, effect: effect, broadcast: newValue, burst: burst) }
    }

    /// A reaction to count in the next burst.
    var burst: (message: String, reaction: Reaction)? {
        get { rare?.burst }
        set { rare = Rare(followUp: followUp, effect: effect, broadcast: broadcast, burst: newValue) }
    }

    /// Whether a subscription begins with it.
    var beginsSubscription: Bool {
        if case .subscribe = rare?.effect { true } else { false }
    }

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
