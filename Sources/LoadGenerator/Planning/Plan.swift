/// What a run does, in full.
public struct Plan: Sendable {
    /// The kinds of load.
    public enum Scenario: String, Sendable, CaseIterable {
        /// Subscribers that receive what publishers publish, at a fixed rate.
        case fanout
        /// Connections that do nothing.
        case idle
    }

    /// Who the connections are.
    public enum Identity: Sendable, Equatable {
        /// Each one a user of its own by `?user=`: the prefix, then `-sub-1`, `-pub-1`, … (development mode).
        case users(prefix: String)
        /// All the same user, by a token.
        case token(String)
    }

    /// How long a run may be.
    public static let durations: ClosedRange<Duration> = .milliseconds(100) ... .seconds(3600)
    /// How many connections of one kind a run may have; one address lends about 28,000 ports to one other.
    public static let connections = 0...60_000
    /// How many requests a second may be due.
    public static let rates = 0.01...200_000.0

    /// What is done.
    public var scenario: Scenario
    /// To whom.
    public var target: Target
    /// A Unix socket that is connected to instead of the target's host and port.
    public var unixPath: String?
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
    /// The reaction that is added and removed.
    public var reaction = "👍"
    /// How many requests a second are due, all publishers together.
    public var rate = 100.0
    /// Whether the requests are due at random (a Poisson process) instead of at equal distances.
    public var isPoisson = false
    /// How long requests are published, or connections held.
    public var duration = Duration.seconds(10)
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
    /// Whether the target may be another machine.
    public var allowsRemote = false
    /// What breaks the run.
    public var thresholds: [Threshold] = []

    /// Makes a plan with the defaults of the command.
    public init(_ scenario: Scenario, target: Target) {
        self.scenario = scenario
        self.target = target
    }

    /// How many connections the plan opens.
    public var connectionCount: Int {
        scenario == .fanout ? subscribers + publishers : subscribers
    }

    /// The name of a channel by its number, from 0.
    func channelName(_ number: Int) -> String {
        channels == 1 ? channel : "\(channel)-\(number + 1)"
    }

    /// One line that says what the plan does.
    public var summary: String {
        let spread = channels == 1 ? channel : "\(channels) channels"
        let time = "\(Format.decimal(duration / .seconds(1), places: 1)) s"
        switch scenario {
        case .fanout:
            return "\(subscribers) subscribers, \(publishers) publishers, \(spread), "
                + "\(Format.short(rate))/s \(isPoisson ? "(Poisson)" : "(constant)") for \(time)"
        case .idle:
            return "\(subscribers) connections\(subscribes ? " subscribed to \(spread)" : ""), held for \(time)"
        }
    }
}
