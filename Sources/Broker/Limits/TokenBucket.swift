/// How fast something may happen: in the long run, and at once.
public struct Rate: Sendable, Hashable {
    /// How many a second in the long run.
    public var perSecond: Double
    /// How many at once, after a rest.
    public var burst: Int

    /// Makes a rate, its parts brought into their ranges: 0.001 to 1,000,000 a second, 1 to 1,000,000 at once.
    public init(perSecond: Double, burst: Int) {
        self.perSecond = min(max(perSecond, Rate.perSecondRange.lowerBound), Rate.perSecondRange.upperBound)
        self.burst = min(max(burst, Rate.burstRange.lowerBound), Rate.burstRange.upperBound)
    }

    static let perSecondRange = 0.001...1_000_000.0
    static let burstRange = 1...1_000_000

    /// What a user may do where the settings say nothing.
    public static let usualForUser = Rate(perSecond: 10, burst: 30)
    /// What may come by one connection where the settings limit it and leave out a number.
    public static let usualForConnection = Rate(perSecond: 20, burst: 60)
    /// What may come from one address where the settings limit it and leave out a number.
    public static let usualForAddress = Rate(perSecond: 100, burst: 300)
    /// What a channel takes where the settings say nothing.
    public static let usualForChannel = Rate(perSecond: 100_000, burst: 100_000)

    /// How long one token takes to come back, in nanoseconds, rounded up so that no window lets through too many.
    fileprivate var interval: Int64 { Int64((1_000_000_000 / perSecond).rounded(.up)) }

    /// How long an empty bucket takes to be full, in nanoseconds: below 2^60 in the ranges above.
    fileprivate var depth: Int64 { interval * Int64(burst) }
}

/// How fast a namespace lets things happen; what is `nil` has no limit.
public struct Rates: Sendable, Hashable {
    /// What one user may ask for, in all channels of the namespace together.
    public var user: Rate?
    /// What may come by one connection.
    public var connection: Rate?
    /// What may come from one address.
    public var address: Rate?
    /// What one channel takes.
    public var channel: Rate?

    /// Makes rates; without arguments there is no limit.
    public init(user: Rate? = nil, connection: Rate? = nil, address: Rate? = nil, channel: Rate? = nil) {
        self.user = user
        self.connection = connection
        self.address = address
        self.channel = channel
    }

    /// What there is where the settings say nothing.
    public static let usual = Rates(user: .usualForUser, channel: .usualForChannel)

    /// Whether nothing has a limit.
    var isEmpty: Bool { self == Rates() }
}

/// A bucket of tokens, as the one time from which it is full (the generic cell rate algorithm of ITU-T I.371).
struct TokenBucket: Sendable, Equatable {
    /// In nanoseconds of a clock that is never set; a new bucket is full.
    private(set) var fullAt: Int64 = .min

    /// How long to wait for a token, in milliseconds rounded up; `nil`: one is there.
    ///
    /// A bucket that has waited longer than it can, since the rate has changed, is taken for an empty one.
    func wait(at clock: Int64, _ rate: Rate) -> Int64? {
        let missing = due(at: clock, rate) - clock - (rate.depth - rate.interval)
        return missing > 0 ? (missing + 999_999) / 1_000_000 : nil
    }

    /// Takes a token, where ``wait(at:_:)`` has found one.
    mutating func take(at clock: Int64, _ rate: Rate) {
        fullAt = due(at: clock, rate) + rate.interval
    }

    /// Undoes a ``take(at:_:)`` that has just been made; others may have taken since.
    mutating func giveBack(_ rate: Rate) {
        fullAt -= rate.interval
    }

    private func due(at clock: Int64, _ rate: Rate) -> Int64 {
        min(max(fullAt, clock), clock + rate.depth)
    }
}
