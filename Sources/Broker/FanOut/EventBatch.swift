import Reactions
import Transport
import Wire

/// Events of one channel as WebSocket frames, encoded once and shared by all who receive them.
struct EventBatch: Sendable {
    /// Where one event lies in the bytes.
    struct Mark: Sendable {
        /// The event's seq; 0 for `frozen`, which has none and concerns every subscriber.
        var seq: UInt64
        var message: String
        /// The groups that it changed.
        var reactions: Few<Reaction>
        /// The frame's bytes, header included.
        var frame: Range<Int>
    }

    var bytes: SharedBytes
    var marks: [Mark]

    /// Where the frames of neighbouring events lie.
    func frames(of events: Range<Int>) -> Range<Int> {
        guard let last = events.last else { return 0..<0 }
        return marks[events.lowerBound].frame.lowerBound..<marks[last].frame.upperBound
    }
}

/// The summary of one interval.
struct SummaryBatch: Sendable {
    /// The channel's seq that the numbers are of.
    var seq: UInt64
    var messages: [SummaryDelta]
    /// All of it as one frame.
    var frame: SharedBytes
}

/// What a user has on a message now, for that user's connections.
struct OwnNotice: Sendable {
    var user: String
    var message: String
    var frame: SharedBytes
    /// The connection that made the change, and heard of it by its ack.
    var author: ConnectionKey?
}

/// What was acked on one message of an `ephemeral` channel in one window.
struct Burst: Sendable {
    var message: String
    var reactions: [ReactionCount]
    var windowMilliseconds: Int64
    /// When the window ended, in Unix milliseconds.
    var at: Int64
}

/// What a channel tells one hub in one turn, in order.
struct ChannelDelivery: Sendable {
    enum Item: Sendable {
        /// So many replies to one connection: a range of `replies`. `receivedAt`: when the requests were read that are
        /// acked, in nanoseconds; 0 for replies that are no acks.
        case replies(ConnectionKey, Range<Int>, count: UInt32, receivedAt: UInt64)
        /// A request has succeeded whose author wants no reply.
        case silent(ConnectionKey)
        /// The subscription begins (or begins anew) with this reply, then the missed events; what is of `seq` and before
        /// is told with that.
        case subscribed(ConnectionKey, Range<Int>, Following, missed: [EventBatch], seq: UInt64)
        /// The subscription could not begin; the reply says why.
        case notSubscribed(ConnectionKey, Range<Int>)
        /// Another set of messages is watched from here on.
        case watched(ConnectionKey, Range<Int>, filter: Set<String>)
        /// The subscription ends with this reply.
        case unsubscribed(ConnectionKey, Range<Int>)
        /// A slow reader's subscription goes on from here, with the state as of `seq`: `subscribed`, behind `lagged` in mode
        /// `events`.
        case resynchronized(ConnectionKey, Range<Int>, seq: UInt64)
        /// A request whose reply may be large has been answered, or needed no answer.
        case answered(ConnectionKey)
        /// Events for all subscribers in mode `events`.
        case events(EventBatch)
        /// For all subscribers in mode `summary`.
        case summary(SummaryBatch)
        /// For a user's connections: in mode `summary`, or (`isForAll`) in either.
        case own(OwnNotice, isForAll: Bool)
        /// For all subscribers, with all of it as one frame.
        case burst(Burst, SharedBytes)
        /// A message for subscribers in mode `summary` that is no summary.
        case notice(SharedBytes)
        /// For those who want to know how many are subscribed.
        case occupancy(SharedBytes)
        /// Nobody was told of the changes from this seq on, and they are to be given fresh state.
        case missed(from: UInt64)

        /// Whose requests are answered with it, and how many; each request is counted by exactly one item.
        var answers: (to: ConnectionKey, count: Int32)? {
            switch self {
            case .replies(let key, _, let count, _): (key, Int32(clamping: count))
            case .silent(let key), .subscribed(let key, _, _, _, _), .notSubscribed(let key, _),
                .watched(let key, _, _), .unsubscribed(let key, _), .resynchronized(let key, _, _):
                (key, 1)
            case .answered, .events, .summary, .own, .burst, .notice, .occupancy, .missed: nil
            }
        }
    }

    var channel: String
    /// Whole WebSocket frames.
    var replies: [UInt8] = []
    var items: [Item] = []
    /// When the events were committed, in nanoseconds of the monotonic clock.
    var releasedAt: UInt64 = 0

    /// Adds a reply, the last of `replies`: those in a row to one connection are one item.
    mutating func add(_ reply: Range<Int>, for connection: ConnectionKey, receivedAt: UInt64) {
        if let last = items.indices.last, case .replies(connection, let range, let count, receivedAt) = items[last],
            range.upperBound == reply.lowerBound, count < .max
        {
            let joined = range.lowerBound..<reply.upperBound
            items[last] = .replies(connection, joined, count: count + 1, receivedAt: receivedAt)
        } else {
            items.append(.replies(connection, reply, count: 1, receivedAt: receivedAt))
        }
    }
}

/// What a subscription follows.
struct Following: Sendable, Equatable {
    var user: String
    /// The messages watched; `nil`: all.
    var filter: Set<String>?
    var mode: Mode
    /// Whether it wants to know how many are subscribed.
    var occupancy: Bool

    init(user: String, mode: Mode, filter: Set<String>?, occupancy: Bool) {
        self.user = user
        self.filter = filter
        self.mode = mode
        self.occupancy = occupancy
    }
}

/// How many subscriptions a hub has to a channel.
struct Interest: Sendable, Equatable {
    var events = 0
    var summaries = 0
    /// How many of them want to know how many are subscribed.
    var occupancy = 0

    var isNone: Bool { events == 0 && summaries == 0 }

    mutating func add(_ following: Following, _ count: Int = 1) {
        switch following.mode {
        case .events: events += count
        case .summary: summaries += count
        }
        if following.occupancy { occupancy += count }
    }
}
