import Storage
import Wire

/// What a broker does, apart from where it listens and what it stores.
public struct BrokerSettings: Sendable {
    /// Bounds, each with its default.
    public struct Limits: Sendable, Equatable {
        /// The most connections of one process: WebSockets and event streams.
        public var connections = 100_000
        /// The most connections from one address; `Int.max`: any number.
        public var connectionsPerAddress = 1000
        /// The most connections that are neither, or not yet: plain HTTP, and handshakes.
        public var httpConnections = 10_000
        /// Above which part of the memory that the process may use nobody else comes in, in percent; 100: never.
        public var memoryPercent = 90
        /// How much memory the process may use, in bytes; `Int.max`: as much as the system says.
        public var memoryBytes = Int.max
        /// The most channels in memory, of all hubs together.
        public var channels = 1_000_000
        /// The largest head of a request, in bytes.
        public var headerBytes = 16_384
        /// The largest message of a client, frame, and body of a request, in bytes.
        public var messageBytes = 65_536
        /// The most frames that a message may be split into.
        public var fragmentsPerMessage = 1024
        /// The most pings and pongs of one connection in a second.
        public var controlFramesPerSecond = 100
        /// How often a connection may send what is not JSON within a minute before it is closed.
        public var malformedMessages = 10
        /// The most subscriptions of one connection.
        public var subscriptions = 256
        /// The most requests of one connection that channels have not answered; the next ones wait in its socket.
        public var unansweredRequests = 1024
        /// The most requests that one channel holds until its store has answered; beyond it they are refused.
        public var waitingRequests = 65_536
        /// The most bytes of requests that one channel holds until the log that brokers share has taken them.
        public var waitingBytes = 33_554_432
        /// The most bytes that wait for one connection.
        public var outboundBytes = 1_048_576
        /// How long a connection may take to its first request's head, and a request's body to arrive, in milliseconds.
        public var handshakeMilliseconds = 10_000
        /// How long an HTTP connection may rest between two requests, in milliseconds.
        public var idleMilliseconds = 10_000
        /// How long a connection may go without saying who it is, in milliseconds.
        public var identifyMilliseconds = 10_000
        /// The least milliseconds between two pings to a silent connection.
        public var heartbeatMilliseconds = 25_000
        /// How long a peer may stay silent beyond that, in milliseconds, before it is dropped.
        public var silenceMilliseconds = 10_000
        /// How long a reader may take nothing while something waits for it, in milliseconds.
        public var stallMilliseconds = 30_000
        /// How long it may take nothing of the last bytes of a connection that is closing, in milliseconds.
        public var drainMilliseconds = 10_000
        /// How long the peer's end is awaited when all is written, in milliseconds.
        public var closeMilliseconds = 2_000

        /// The defaults.
        public init() {}
    }

    /// The namespaces by name; `*` stands for all that are not named.
    public var namespaces: [String: Namespace] {
        didSet {
            hasHooks = BrokerSettings.haveHooks(namespaces)
            names = NamespaceNames(namespaces)
        }
    }
    /// Whether any namespace has a hook: what is asked first, for every request.
    private(set) var hasHooks: Bool
    private var names: NamespaceNames
    /// Who is asked whether someone may connect.
    public var connectHook: Hook?
    /// The bounds.
    public var limits: Limits
    /// Who is who.
    public var authenticator: Authenticator
    /// How it stops.
    public var drain: DrainSettings

    /// Makes settings.
    public init(
        namespaces: [String: Namespace], authenticator: Authenticator, limits: Limits = Limits(),
        connectHook: Hook? = nil, drain: DrainSettings = DrainSettings()
    ) {
        self.namespaces = namespaces
        hasHooks = BrokerSettings.haveHooks(namespaces)
        names = NamespaceNames(namespaces)
        self.connectHook = connectHook
        self.authenticator = authenticator
        self.limits = limits
        self.drain = drain
    }

    /// Whether some changes are told before they are committed.
    public var expectsLoss: Bool { namespaces.values.contains { $0.durability == .memory } }

    private static func haveHooks(_ namespaces: [String: Namespace]) -> Bool {
        namespaces.values.contains { $0.outbound?.subscribeHook != nil || $0.outbound?.reactHook != nil }
    }

    /// The settings of a channel's namespace: what stands before the first `:`, or the whole name.
    public func namespace(of channel: String) -> Namespace? {
        namespaces[BrokerSettings.namespaceName(of: channel)] ?? namespaces["*"]
    }

    /// Whether nobody who reacts is named in a channel; where it has no namespace, too.
    func isAnonymous(_ channel: String) -> Bool {
        let index =
            namespaces.index(forKey: BrokerSettings.namespaceName(of: channel)) ?? namespaces.index(forKey: "*")
        return index.map { namespaces.values[$0].isAnonymous } ?? true
    }

    /// Whether there is a namespace for a channel.
    func hasNamespace(of channel: String) -> Bool {
        names.haveNamespace(of: channel)
            ?? (namespaces.index(forKey: BrokerSettings.namespaceName(of: channel)) != nil)
    }

    /// The name under which the settings have the channel's namespace; `*` where they do not name it.
    func namespaceEntry(of channel: String) -> String {
        let name = BrokerSettings.namespaceName(of: channel)
        return namespaces[name] == nil ? "*" : name
    }

    private static func namespaceName(of channel: String) -> String {
        channel.utf8.firstIndex(of: UInt8(ascii: ":")).map { String(channel[..<$0]) } ?? channel
    }
}

/// Settings in one place for all who read them; what is asked for with every request is done here, without a copy.
final class SettingsInForce: Sendable {
    let settings: BrokerSettings

    init(_ settings: BrokerSettings) { self.settings = settings }

    /// Says what is to be done about a request that came in a session; `now` is in Unix milliseconds.
    func judge(_ request: Result<Request, BadRequest>, in session: inout Session, now: Int64) -> Session.Step {
        switch request {
        case .success(let request): session.receive(request, settings: settings, now: now)
        case .failure(let bad): session.receive(bad, settings: settings, now: now)
        }
    }

    func isAnonymous(_ channel: String) -> Bool { settings.isAnonymous(channel) }
}
