/// One number of a report, by its stable name.
struct Metric: Sendable, Hashable {
    /// What a number counts, and so its unit.
    enum Kind: Sendable {
        case milliseconds
        case count
        case perSecond
        case percent
        case bytes
    }

    /// The name in JSON; what stands before the first point is the object that it lies in.
    let name: String
    let kind: Kind

    init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }

    static func == (one: Metric, other: Metric) -> Bool { one.name == other.name }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Metric {
    static let opened = Metric("connections.opened", .count)
    static let failed = Metric("connections.failed", .count)
    /// Connections that were open and then ended before the run did.
    static let dropped = Metric("connections.dropped", .count)
    /// How fast they were opened before the load began.
    static let openedPerSecond = Metric("connections.per_second", .perSecond)

    static let requests = Metric("published.requests", .count)
    static let acked = Metric("published.acked", .count)
    static let requestsPerSecond = Metric("published.per_second", .perSecond)

    static let delivered = Metric("delivered.events", .count)
    static let expected = Metric("delivered.expected", .count)
    static let deliveredPerSecond = Metric("delivered.per_second", .perSecond)
    /// Deliveries whose latency is not told: events of others, of more than a minute ago or of another worker, and whatever readers get that are slow on purpose.
    static let untimed = Metric("delivered.untimed", .count)

    /// What had not come when the drain was over.
    static let lost = Metric("lost", .count)
    /// Of the lost, those that later events have overtaken; the others may just have been late.
    static let overtaken = Metric("overtaken", .count)
    static let duplicates = Metric("duplicates", .count)
    static let reordered = Metric("reordered", .count)
    /// Of the lost, those that the broker left out and said so.
    static let lagged = Metric("lagged", .count)
    /// Events that came after an `unsubscribed`.
    static let afterUnsubscribe = Metric("after_unsubscribe", .count)
    /// Counts that were compared at the end with what the acks add up to.
    static let countsCompared = Metric("counts_compared", .count)
    /// Those that differed.
    static let countsWrong = Metric("counts_wrong", .count)
    /// Numbers in events (`count`, `users`, `total`) that were compared with what they must be.
    static let eventCountsCompared = Metric("event_counts_compared", .count)
    /// Those that differed.
    static let eventCountsWrong = Metric("event_counts_wrong", .count)
    static let errors = Metric("errors", .count)

    /// Connections that were ended on purpose.
    static let left = Metric("connections.left", .count)
    /// Subscriptions that went on where they were.
    static let recovered = Metric("resumed.recovered", .count)
    /// Subscriptions that the broker began anew, and said so.
    static let refused = Metric("resumed.refused", .count)
    /// Events that were missed and came afterwards.
    static let replayed = Metric("resumed.replayed", .count)
    /// Events that were left out for readers that are slow on purpose, and that the broker said so of.
    static let slowLagged = Metric("slow.lagged", .count)
    /// Such readers whose connection the broker has ended.
    static let slowClosed = Metric("slow.closed", .count)
    /// What throttled readers had not come to when the run ended.
    static let slowBehind = Metric("slow.behind", .count)
    /// Half-open connections that the server has ended.
    static let halfOpenEnded = Metric("half_open.ended", .count)

    static let generatorCPU = Metric("generator.cpu_percent", .percent)
    /// The busiest loop's share of one core.
    static let loopCPU = Metric("generator.loop_cpu_percent", .percent)
    /// The longest that a loop was held up, or took to answer a question: so late may have been read what had arrived.
    static let loopDelay = Metric("generator.loop_delay_ms", .milliseconds)
    static let generatorMemory = Metric("generator.rss_bytes", .bytes)
    static let generatorMemoryEach = Metric("generator.bytes_per_connection", .bytes)
    /// 1 where the generator itself was too slow for its numbers to be the broker's.
    static let invalid = Metric("generator.invalid", .count)

    static let serverCPU = Metric("server.cpu_percent", .percent)
    static let serverMemoryBefore = Metric("server.rss_before_bytes", .bytes)
    static let serverMemory = Metric("server.rss_bytes", .bytes)
    static let serverMemoryEach = Metric("server.bytes_per_connection", .bytes)
    /// How much the memory grew while load was on.
    static let serverGrowth = Metric("server.rss_growth_percent", .percent)
    /// The most that waited in the server's queues.
    static let serverQueue = Metric("server.queue_bytes", .bytes)
    static let deliveriesPerCPUSecond = Metric("server.deliveries_per_cpu_second", .perSecond)

    /// From the time when a request was due to the arrival of its event.
    static let latency = "latency_ms"
    /// From the time when a request was really sent to the arrival of its event.
    static let latencyFromSend = "latency_from_send_ms"
    /// From the time when a request was due to the arrival of its ack.
    static let ack = "ack_ms"
    /// From the start of a connection to its `welcome`.
    static let welcome = "welcome_ms"
    /// From the loss of a connection to the `subscribed` of the next one.
    static let reconnect = "reconnect_ms"
    /// How much later than due the requests were sent: the generator's own fault.
    static let lag = "lag_ms"

    /// The percentiles that are reported of each distribution, with the share below each; 1 is the largest value.
    static let percentiles: [(name: String, share: Double)] = [
        ("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999), ("max", 1),
    ]

    /// The metrics of one distribution.
    static func distribution(_ group: String) -> [Metric] {
        percentiles.map { Metric("\(group).\($0.name)", .milliseconds) }
    }
}
