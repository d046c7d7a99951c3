public import Reactions
public import Storage

/// The settings of the channels whose names start with one word.
public struct Namespace: Sendable, Equatable {
    /// What may be done and what it does.
    public var rules: Rules
    /// Whether nobody who reacts is ever named.
    public var isAnonymous: Bool
    /// The least time between two summaries, in milliseconds.
    public var summaryIntervalMilliseconds: Int
    /// How many of the newest events are held for subscribers who resume.
    public var historyEvents: Int
    /// For how long an event is held, in seconds.
    public var historySeconds: Int
    /// What must have happened before a change is told.
    public var durability: Durability
    /// After how many days in which nothing has changed a channel is let go, 1–36,500; `nil`: never.
    public var expiryDays: Int?
    /// How fast changes may be asked for.
    public var rates: Rates
    /// What other servers are told and asked; `nil`: nothing.
    public var outbound: OutboundSettings?

    /// Makes settings; the defaults are those of a namespace that says nothing, save that there are no rate limits.
    public init(
        rules: Rules = Rules(), isAnonymous: Bool = false, summaryIntervalMilliseconds: Int = 100,
        historyEvents: Int = 1000, historySeconds: Int = 300, durability: Durability = .committed,
        expiryDays: Int? = nil, rates: Rates = Rates(), outbound: OutboundSettings? = nil
    ) {
        self.rules = rules
        self.isAnonymous = isAnonymous
        self.summaryIntervalMilliseconds = summaryIntervalMilliseconds
        self.historyEvents = historyEvents
        self.historySeconds = historySeconds
        self.durability = durability
        self.expiryDays = expiryDays
        self.rates = rates
        self.outbound = outbound
    }

    /// What a namespace has outside of development mode where the settings say nothing.
    public static let usual = Namespace(rates: .usual)

    /// The namespaces that development mode offers.
    public static let development: [String: Namespace] = [
        "chat": Namespace(),
        "tap": Namespace(rules: Rules(policy: .unique)),
        "clap": Namespace(rules: Rules(policy: .multiple)),
        "burst": Namespace(rules: Rules(policy: .ephemeral)),
        "anon": Namespace(isAnonymous: true),
        "any": Namespace(rules: Rules(kind: .any)),
    ]
}
