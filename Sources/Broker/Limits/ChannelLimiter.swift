/// Who asks, as far as limits tell people apart.
struct Asker: Sendable {
    var user: String
    /// The connection, or that of an HTTP request.
    var connection: SharedBuckets.Holder
    /// `nil` where the connection comes from no address.
    var address: ClientAddress?
}

/// Says whether a channel may carry out a request now, by its own bucket and those of the user, connection and address.
struct ChannelLimiter: Sendable {
    private let shared: SharedBuckets
    private var namespace: String
    private var rates: Rates
    private var bucket = TokenBucket()

    /// Makes a limiter; `entry` is the name under which the settings have the namespace.
    init(_ shared: SharedBuckets, entry: String, _ namespace: Namespace) {
        self.shared = shared
        self.namespace = entry
        rates = namespace.rates
    }

    /// Whether there is any limit.
    var isLimiting: Bool { !rates.isEmpty }

    /// Goes on with other rates; what was taken stays taken.
    mutating func adopt(entry: String, _ namespace: Namespace) {
        self.namespace = entry
        rates = namespace.rates
    }

    /// Takes a token of each bucket, or none and answers how long to wait until all have one, in milliseconds.
    ///
    /// The time is in milliseconds of the channel's clock.
    mutating func take(for asker: Asker, at clock: Int64) -> Int64? {
        guard !rates.isEmpty else { return nil }
        let clock = clock * 1_000_000
        let channelWait = rates.channel.flatMap { bucket.wait(at: clock, $0) }
        if let channelWait { return longest(of: asker, at: clock, atLeast: channelWait) }
        // Taken one after the other, since each has its own lock; given back where a later one is short.
        for index in 0..<Self.sharedCount {
            guard let (key, rate) = sharedBucket(index, asker), let wait = shared.take(key, at: clock, rate) else {
                continue
            }
            for earlier in 0..<index {
                if let (key, rate) = sharedBucket(earlier, asker) { shared.giveBack(key, rate) }
            }
            return longest(of: asker, at: clock, atLeast: wait)
        }
        if let rate = rates.channel { bucket.take(at: clock, rate) }
        return nil
    }

    private static let sharedCount = 3

    /// One of the buckets that channels share, and its rate; `nil` where there is no such limit.
    private func sharedBucket(_ index: Int, _ asker: Asker) -> (SharedBuckets.Key, Rate)? {
        switch index {
        case 0:
            rates.user.map { (.init(namespace: namespace, holder: .user(asker.user)), $0) }
        case 1:
            rates.connection.map { (.init(namespace: namespace, holder: asker.connection), $0) }
        default:
            asker.address.flatMap { address in
                rates.address.map { (.init(namespace: namespace, holder: .address(address)), $0) }
            }
        }
    }

    /// The longest wait of all buckets that are short.
    private func longest(of asker: Asker, at clock: Int64, atLeast least: Int64) -> Int64 {
        (0..<Self.sharedCount).reduce(least) { longest, index in
            guard let (key, rate) = sharedBucket(index, asker) else { return longest }
            return max(longest, shared.wait(key, at: clock, rate) ?? 0)
        }
    }
}
