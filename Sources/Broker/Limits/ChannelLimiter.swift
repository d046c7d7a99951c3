/// Says whether a channel may carry out a request now, by its own bucket and the user's.
struct ChannelLimiter: Sendable {
    private let users: UserBuckets
    private var namespace: String
    private var userRate: Rate?
    private var channelRate: Rate?
    private var bucket = TokenBucket()

    /// Makes a limiter; `entry` is the name under which the settings have the namespace.
    init(_ users: UserBuckets, entry: String, _ namespace: Namespace) {
        self.users = users
        self.namespace = entry
        userRate = namespace.userRate
        channelRate = namespace.channelRate
    }

    /// Goes on with other rates; what was taken stays taken.
    mutating func adopt(entry: String, _ namespace: Namespace) {
        self.namespace = entry
        userRate = namespace.userRate
        channelRate = namespace.channelRate
    }

    /// Takes a token of each bucket, or none and answers how long to wait, in milliseconds.
    ///
    /// The time is in milliseconds of the channel's clock.
    mutating func take(for user: String, at clock: Int64) -> Int64? {
        guard userRate != nil || channelRate != nil else { return nil }
        let clock = clock * 1_000_000
        if let channelRate, let wait = bucket.wait(at: clock, channelRate) { return wait }
        if let userRate, let wait = users.take(.init(namespace: namespace, user: user), at: clock, userRate) {
            return wait
        }
        if let channelRate { bucket.take(at: clock, channelRate) }
        return nil
    }
}
