/// What a broker is about at a moment: the answer to `GET /v1/status`, an addition to the wire contract.
///
/// In JSON its names are in snake case. Two of them, some time apart, give the rates of what happened between.
public struct BrokerStatus: Sendable, Equatable, Codable {
    /// When this was so, in Unix milliseconds.
    public var time: Int64
    /// The version of the broker.
    public var version: String
    /// When the process was started, in Unix milliseconds.
    public var startedAt: Int64
    /// Whether it takes new connections: it is not about to stop.
    public var serving: Bool
    /// How many event loops it has.
    public var loops: Int
    /// What only grows.
    public var counters: Counters
    /// What is there at the moment.
    public var present: Present
    /// How long things took.
    public var latency: Latency
    /// The store.
    public var store: Store
    /// The log that brokers share; `nil`: this broker is alone.
    public var nats: NATS?
    /// Where most happens.
    public var busiest: Busiest
    /// Those for whom most waits, 10 at most, most first.
    public var slowReaders: [SlowReader]
    /// The last warnings and errors of the log, oldest first.
    public var problems: [Problem]
    /// How often each bound was hit, by the name of its setting; those that never were are left out.
    public var limitHits: [String: UInt64]

    /// Makes one of a broker that has done nothing yet.
    public init(time: Int64, version: String, startedAt: Int64, serving: Bool, loops: Int, store: Store) {
        self.time = time
        self.version = version
        self.startedAt = startedAt
        self.serving = serving
        self.loops = loops
        self.store = store
        counters = Counters()
        present = Present()
        latency = Latency()
        busiest = Busiest()
        slowReaders = []
        problems = []
        limitHits = [:]
    }
}

extension BrokerStatus {
    /// What only grows, from 0 at the start of the process.
    public struct Counters: Sendable, Equatable, Codable {
        /// Changes of channels.
        public var changes: UInt64 = 0
        /// Events, summaries and bursts, each once for each recipient.
        public var deliveries: UInt64 = 0
        /// Requests over WebSocket and HTTP.
        public var requests: UInt64 = 0
        /// Requests that were refused.
        public var refusals: UInt64 = 0
        /// Answers to HTTP requests with a status of 500 or above.
        public var serverErrors: UInt64 = 0
        /// Slow readers that got fresh state in place of events.
        public var lagged: UInt64 = 0
        /// Connections that ended.
        public var ended: UInt64 = 0
        /// Bytes written to sockets.
        public var bytesSent: UInt64 = 0
        /// Bytes read from sockets.
        public var bytesReceived: UInt64 = 0
        /// Groups of changes that the store did not take.
        public var commitFailures: UInt64 = 0
        /// Processor time of the process, in milliseconds.
        public var processorMs: UInt64 = 0
        /// Time in which event loops did something, in microseconds, of all loops together.
        public var busyUs: UInt64 = 0

        /// Makes those of a start.
        public init() {}
    }

    /// What is there at the moment.
    public struct Present: Sendable, Equatable, Codable {
        /// WebSocket connections and event streams.
        public var connections: UInt64 = 0
        /// How many of them there may be.
        public var connectionsLimit: UInt64 = 0
        /// Their subscriptions.
        public var subscriptions: UInt64 = 0
        /// Channels in memory.
        public var channels: UInt64 = 0
        /// Requests whose replies wait for the store.
        public var waitingRequests: UInt64 = 0
        /// Bytes that wait to be written to sockets.
        public var outboundBytes: UInt64 = 0
        /// Connections whose sockets take nothing.
        public var blockedConnections: UInt64 = 0
        /// Memory of the process in RAM, in bytes.
        public var memoryBytes: UInt64 = 0
        /// How much memory it may use, in bytes.
        public var memoryLimitBytes: UInt64 = 0
        /// What says so: `memory_bytes` of the limits, `control_group` or `machine`; `nil` from a broker that does not tell.
        public var memoryLimitBy: String?
        /// Which part of that is used: 1 is all of it.
        public var memoryUsedRatio: Double = 0
        /// File descriptors that are open.
        public var descriptors: UInt64 = 0
        /// How many may be.
        public var descriptorsLimit: UInt64 = 0

        /// Makes those of a broker where nothing is.
        public init() {}
    }

    /// How long things took, by ranges that begin where the one before ends.
    public struct Latency: Sendable, Equatable, Codable {
        /// The longest time of each range but the last, which has no end; in microseconds.
        public var boundsUs: [Double] = []
        /// From reading a request that may change a channel to writing its ack.
        public var acks: [UInt64] = []
        /// From the commit of an event to its write, once for each recipient.
        public var deliveries: [UInt64] = []
        /// How long a group of changes took to become durable.
        public var commits: [UInt64] = []

        /// Makes one without ranges.
        public init() {}
    }

    /// What keeps the channels of one broker.
    public struct Store: Sendable, Equatable, Codable {
        /// `sqlite`, `memory`, or `nats` where brokers share a log there.
        public var kind: String
        /// Whether it takes changes and can be read, as `/readyz` tells.
        public var healthy: Bool
        /// Why not, in the words of `/readyz`; `nil` where it is healthy, and from a broker that does not tell.
        public var fault: String?
        /// Records that wait for the broker's own store.
        public var waitingRecords: UInt64

        /// Makes one.
        public init(kind: String, healthy: Bool = true, fault: String? = nil, waitingRecords: UInt64 = 0) {
            self.kind = kind
            self.healthy = healthy
            self.fault = fault
            self.waitingRecords = waitingRecords
        }
    }

    /// The log that brokers share.
    public struct NATS: Sendable, Equatable, Codable {
        /// Whether there is a connection to one of its servers.
        public var connected: Bool

        /// Makes one.
        public init(connected: Bool) {
            self.connected = connected
        }
    }

    /// Where most happened since a broker was last asked, at least a second ago.
    public struct Busiest: Sendable, Equatable, Codable {
        /// Over which time, in milliseconds.
        public var windowMs: Int64 = 0
        /// The channels with most changes, 10 at most; where nothing happened, those with most subscriptions.
        public var channels: [Channel] = []
        /// The messages with most changes in the busiest channels, 10 at most.
        public var messages: [Message] = []

        /// Makes one of an idle broker.
        public init() {}
    }

    /// What happened in a channel.
    public struct Channel: Sendable, Equatable, Codable {
        /// Its name.
        public var channel: String
        /// How often it changed, or how many reactions were acked in one that keeps none.
        public var changes: UInt64
        /// Its subscriptions at this broker.
        public var subscriptions: UInt64

        /// Makes one.
        public init(channel: String, changes: UInt64, subscriptions: UInt64) {
            self.channel = channel
            self.changes = changes
            self.subscriptions = subscriptions
        }
    }

    /// What happened to a message.
    public struct Message: Sendable, Equatable, Codable {
        /// Its channel.
        public var channel: String
        /// Its id; `""` is the channel itself.
        public var message: String
        /// How often it changed, estimated where a channel changed more often than its history is long.
        public var changes: UInt64

        /// Makes one.
        public init(channel: String, message: String, changes: UInt64) {
            self.channel = channel
            self.message = message
            self.changes = changes
        }
    }

    /// A connection for which something waits.
    public struct SlowReader: Sendable, Equatable, Codable {
        /// The connection, as `welcome` names it.
        public var connection: String
        /// Its user; `nil` where it has none, or follows an anonymous channel.
        public var user: String?
        /// Where it comes from.
        public var address: String?
        /// Bytes that wait for it.
        public var waitingBytes: UInt64
        /// For how long it has taken nothing, in milliseconds.
        public var stalledMs: Int64
        /// Its subscriptions.
        public var subscriptions: Int
        /// How many of them have missed something.
        public var behind: Int

        /// Makes one for which nothing waits.
        public init(connection: String) {
            self.connection = connection
            waitingBytes = 0
            stalledMs = 0
            subscriptions = 0
            behind = 0
        }
    }

    /// A line of the log that someone should look at.
    public struct Problem: Sendable, Equatable, Codable {
        /// When it was written, in Unix milliseconds.
        public var at: Int64
        /// `warning` or `error`.
        public var level: String
        /// What it says.
        public var line: String

        /// Makes one.
        public init(at: Int64, level: String, line: String) {
            self.at = at
            self.level = level
            self.line = line
        }
    }
}
