public import Reactions

/// What a client asks a broker for: one text message (PROTOCOL.md section 3).
///
/// ``decode(_:)`` is the broker's side, ``append(to:)`` the client's. Reactions are as they were sent, not yet
/// canonical; names (channels, messages, users, keys) have been checked for their shape.
public struct Request: Sendable, Equatable {
    /// What the reply will carry; `nil`: a success is not answered.
    public var id: RequestID?
    /// What is asked for.
    public var body: Body

    /// Makes a request.
    public init(id: RequestID? = nil, _ body: Body) {
        self.id = id
        self.body = body
    }

    /// The kinds of requests, each with its fields.
    public enum Body: Sendable, Equatable {
        /// Identifies the connection, or renews its token.
        case auth(token: String)
        /// Starts or replaces a subscription.
        case subscribe(Subscribe)
        /// Replaces the watched messages of a subscription; none twice, at most 1,000.
        case watch(channel: String, messages: [String])
        /// Ends a subscription.
        case unsubscribe(channel: String)
        /// Add, remove, toggle, set, clear, delete and freeze: what may change a channel.
        case operation(channel: String, message: String, action: Operation.Action, key: String?)
        /// Who reacted; `limit` is 1...100.
        case reactors(channel: String, message: String, reaction: String?, limit: Int, after: String?)
        /// Summaries of messages.
        case list(channel: String, List)
        /// For clients that cannot send WebSocket pings.
        case ping
    }

    /// The fields of a `subscribe`.
    public struct Subscribe: Sendable, Equatable {
        /// The channel.
        public var channel: String
        /// Each change by itself, or merged counts.
        public var mode: Mode
        /// Only these messages, none twice, at most 1,000; `nil`: the whole channel.
        public var messages: [String]?
        /// Where to resume.
        public var since: Position?
        /// Whether the number of subscribers is wanted too.
        public var occupancy: Bool

        /// Makes the fields; the defaults are those of the contract.
        public init(
            channel: String, mode: Mode = .events, messages: [String]? = nil, since: Position? = nil,
            occupancy: Bool = false
        ) {
            self.channel = channel
            self.mode = mode
            self.messages = messages
            self.since = since
            self.occupancy = occupancy
        }
    }

    /// What a `list` is about.
    public enum List: Sendable, Equatable {
        /// These messages, none twice, at most 1,000.
        case messages([String])
        /// A page of the channel's, newest change first; `limit` is 1...100.
        case page(limit: Int, after: String?)
    }
}

/// The mark by which a client knows the reply to a request.
public enum RequestID: Sendable, Hashable {
    /// A whole number, 0...2^53-1.
    case number(UInt64)
    /// A string of 1...64 UTF-8 bytes.
    case text(String)
}

/// How a subscription is told of changes.
public enum Mode: String, Sendable, CaseIterable {
    /// Each change by itself (PROTOCOL.md section 4).
    case events
    /// Counts, merged (PROTOCOL.md section 5).
    case summary
}

/// A place in the life of a channel's counter.
public struct Position: Sendable, Hashable {
    /// The life of the counter.
    public var epoch: String
    /// The counter, below 2^53.
    public var seq: UInt64

    /// Makes a position.
    public init(epoch: String, seq: UInt64) {
        self.epoch = epoch
        self.seq = seq
    }
}
