/// What a run does, in full.
public struct Plan: Sendable {
    /// The kinds of load.
    public enum Scenario: String, Sendable, CaseIterable {
        /// Subscribers that receive what publishers publish.
        case fanout
        /// As people do it: popular channels, messages and emoji; adds, removals and toggles mixed.
        case react
        /// Connections that do nothing.
        case idle
        /// Subscribers that leave and come back, all the time.
        case churn
        /// All subscribers lose their connections at once, and come back at once.
        case storm
        /// Subscribers whose connections break, and which resume where they were.
        case resume
        /// Some subscribers stop to read.
        case slow
        /// All of it for a long time: `react` with some churn and some resuming.
        case soak
        /// Any WebSocket server, spoken to in texts that the plan gives.
        case raw

        /// Whether requests are published.
        var publishes: Bool { self != .idle }
        /// Whether publishers mix channels, messages, reactions and actions.
        var isMixed: Bool { self == .react || self == .soak }
    }

    /// How subscribers are told of changes.
    public enum Mode: String, Sendable, CaseIterable {
        /// Each change by itself.
        case events
        /// Counts, merged; what each subscriber knows in the end is compared with the acks.
        case summary
    }

    /// How requests are spread in time.
    public enum Arrivals: String, Sendable, CaseIterable {
        /// At equal distances.
        case constant
        /// As those of many independent people: the distances are exponentially distributed.
        case poisson
    }

    /// Who the connections are.
    public enum Identity: Sendable, Equatable {
        /// Each one a user of its own by `?user=`: the prefix, then `-sub-1`, `-pub-1`, … (development mode).
        case users(prefix: String)
        /// All the same user, by a token.
        case token(String)
    }

    /// How often the actions of ``Scenario/react`` come, as weights.
    public struct Mix: Sendable, Equatable {
        /// The weight of `add`.
        public var add = 50
        /// The weight of `remove`.
        public var remove = 20
        /// The weight of `toggle`.
        public var toggle = 30

        /// Makes a mix.
        public init(add: Int = 50, remove: Int = 20, toggle: Int = 30) {
            self.add = add
            self.remove = remove
            self.toggle = toggle
        }
    }

    /// How long a run may be.
    public static let durations: ClosedRange<Duration> = .milliseconds(100) ... .seconds(86_400)
    /// How many connections of one kind a run may have.
    public static let connections = 0...1_000_000
    /// How many requests a second may be due.
    public static let rates = 0.01...200_000.0

    /// What is done.
    public var scenario: Scenario
    /// To whom.
    public var target: Target
    /// A Unix socket that is connected to instead of the target's host and port.
    public var unixPath: String?
    /// The addresses of this machine that connections come from, in turn; empty: the system chooses.
    public var sources: [String] = []
    /// Who the connections are.
    public var identity = Identity.users(prefix: "load")
    /// How many connections subscribe (``Scenario/idle``: how many there are).
    public var subscribers = 100
    /// How many connections publish.
    public var publishers = 10
    /// The channel; with several, `-1`, `-2`, … are added.
    public var channel = "chat:load"
    /// How many channels the subscribers and publishers are spread over.
    public var channels = 1
    /// Whether ``Scenario/idle`` connections subscribe.
    public var subscribes = false
    /// How subscribers are told of changes.
    public var mode = Mode.events
    /// What is added and removed; the mixed scenarios use all, the first most often.
    public var reactions = ["👍"]
    /// How many messages a channel has in the mixed scenarios.
    public var messages = 100
    /// The exponent by which popularity falls in the mixed scenarios; 0: all are equally popular.
    public var zipf = 1.0
    /// How often the actions come in the mixed scenarios.
    public var mix = Mix()
    /// How many requests a second are due over time, all publishers together.
    public var profile = Profile(rate: 100, for: .seconds(10))
    /// How the requests are spread in time.
    public var arrivals = Arrivals.constant
    /// How many requests are always under way instead of the profile's rate (a closed loop); `nil`: an open loop.
    public var closed: Int?
    /// How many subscribers leave and come back a second (``Scenario/churn``, ``Scenario/soak``).
    public var churnRate = 10.0
    /// How many storms there are (``Scenario/storm``).
    public var storms = 1
    /// How long a subscriber is away before it resumes (``Scenario/resume``, ``Scenario/soak``).
    public var away = Duration.milliseconds(500)
    /// How many of 100 subscribers stop to read (``Scenario/slow``).
    public var slowPercent = 10.0
    /// What is said in ``Scenario/raw``.
    public var raw: RawMessages?
    /// What goes wrong on purpose.
    public var faults: [Fault] = []
    /// How long the last events may take to arrive.
    public var drain = Duration.seconds(5)
    /// How long a connection may take until it can be used.
    public var connectTimeout = Duration.seconds(10)
    /// How many connections may be on their way at once.
    public var connectingAtOnce = 256
    /// How many loops (threads) receive.
    public var loops = 1
    /// Where all that is random begins.
    public var seed: UInt64 = 1
    /// Whether TLS trusts any certificate.
    public var isInsecure = false
    /// A file of certificates that TLS trusts instead of the system's.
    public var authorities: String?
    /// The broker's process on this machine, to read its memory and processor time.
    public var serverProcess: Int?
    /// Whether the connections offer to compress messages.
    public var compression = false
    /// Where the broker's metrics are, to read its queues each second.
    public var metrics: MetricsAddress?
    /// Whether the target may be another machine.
    public var allowsRemote = false
    /// What breaks the run.
    public var thresholds: [Threshold] = []

    /// Makes a plan with the defaults of the command.
    public init(_ scenario: Scenario, target: Target) {
        self.scenario = scenario
        self.target = target
        if scenario.isMixed { reactions = Plan.commonReactions }
    }

    /// What the mixed scenarios use unless told otherwise, the most common first.
    public static let commonReactions = ["👍", "❤️", "😂", "🎉", "😮", "😢", "🔥", "👏"]
}
