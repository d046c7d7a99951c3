import Reactions
import Wire

/// Who asks a channel for something, and how the reply finds its way back.
struct Origin: Sendable {
    var connection: ConnectionKey
    var user: String
    var id: RequestID?
    /// Whether a success is told too: only a request with an id gets a reply on a WebSocket, any request over HTTP.
    var wantsReply: Bool
    /// Whether the reply may be large: such requests are taken a few at a time, and their end is told.
    var isBulky = false
    /// From where the connection comes; `nil` where that has no address.
    var address: ClientAddress?
    /// The number, on the connection's hub, of what speaks HTTP; 0 for all others.
    var exchange: UInt64 = 0
    /// When the request was read, in nanoseconds of the monotonic clock; 0 where nobody asked.
    var receivedAt: UInt64 = 0

    /// Who asks, as far as limits tell people apart.
    var asker: Asker {
        let holder: SharedBuckets.Holder =
            exchange == 0 ? .connection(connection) : .exchange(hub: connection.hub, number: exchange)
        return Asker(user: user, connection: holder, address: address)
    }
}

/// Something that a session asks of a channel, as a value that may cross loops.
struct ChannelRequest: Sendable {
    enum Body: Sendable {
        case operation(Operation)
        case subscribe(Request.Subscribe)
        /// Which messages to watch from now on, and which of them were not watched before.
        case watch([String], newly: [String])
        case unsubscribe
        /// The connection's rights no longer allow its subscription.
        case revoke
        case reactors(message: String, reaction: String?, limit: Int, after: String?)
        case list(Request.List)
        /// A refusal by the session, sent through the channel so that it keeps its place among the replies.
        case refused(ErrorCode, String)
        /// The same for a `subscribe`, which the session counts until it is answered.
        case refusedSubscription(ErrorCode, String)
        /// A slow reader that can be written to again and missed what came: events from this seq on, or (`nil`) summaries.
        case resynchronize(from: UInt64?, filter: [String]?)

        /// Whether the reply may be large.
        var isBulky: Bool {
            switch self {
            case .subscribe, .watch, .reactors, .list: true
            default: false
            }
        }

        /// Whether it is taken however much waits: the broker would be wrong about who listens otherwise.
        var isNeverRefused: Bool {
            switch self {
            case .unsubscribe, .revoke, .resynchronize: true
            default: false
            }
        }

        /// Whether it waits until the store can be read again, because nobody would ask for it a second time.
        var waitsForStore: Bool {
            if case .resynchronize = self { true } else { false }
        }
    }

    var channel: String
    var origin: Origin
    var body: Body
}
