import Wire

/// What happened between two answers of a broker; after one alone, since its start.
struct TopFigures: Sendable {
    /// The newer answer.
    private(set) var status: BrokerStatus
    /// What was counted before; zeros at the start.
    private var counters = BrokerStatus.Counters()
    private var latency = BrokerStatus.Latency()
    /// The time between, in seconds, above 0.
    private(set) var seconds: Double

    /// Makes those of a first answer.
    init(_ status: BrokerStatus) {
        self.status = status
        seconds = TopFigures.seconds(from: status.startedAt, to: status.time)
    }

    /// Goes on with a newer answer; one of a broker that was started again begins anew.
    mutating func take(_ newer: BrokerStatus) {
        guard newer.startedAt == status.startedAt, newer.time > status.time else {
            self = TopFigures(newer)
            return
        }
        (counters, latency) = (status.counters, status.latency)
        seconds = TopFigures.seconds(from: status.time, to: newer.time)
        status = newer
    }

    private static func seconds(from begin: Int64, to end: Int64) -> Double {
        max(0.001, (Double(end) - Double(begin)) / 1000)
    }

    /// How fast a counter has grown, in ones a second.
    func rate(_ counter: KeyPath<BrokerStatus.Counters, UInt64>) -> Double {
        let (now, before) = (status.counters[keyPath: counter], counters[keyPath: counter])
        return now > before ? Double(now - before) / seconds : 0
    }

    /// The time that a share of what happened did not take longer than, in microseconds; `nil` where nothing happened.
    ///
    /// Inside a range it is taken to be spread evenly, as Prometheus does; past all of them it is the last bound.
    func quantile(_ share: Double, of times: KeyPath<BrokerStatus.Latency, [UInt64]>) -> Double? {
        let before = latency[keyPath: times]
        let counts = status.latency[keyPath: times].enumerated().map { index, count in
            let earlier = index < before.count ? before[index] : 0
            return count > earlier ? Double(count - earlier) : 0
        }
        let bounds = status.latency.boundsUs
        let wanted = share * counts.reduce(0, +)
        guard wanted > 0 else { return nil }
        var passed = 0.0
        for (index, count) in counts.enumerated() where count > 0 {
            guard passed + count >= wanted, index < bounds.count else {
                passed += count
                continue
            }
            let lower = index > 0 ? bounds[index - 1] : 0
            return lower + (bounds[index] - lower) * (wanted - passed) / count
        }
        return bounds.last
    }

    /// The share of the event loops' time in which they did something, 0 to 1.
    var busyShare: Double { min(1, rate(\.busyUs) / 1e6 / Double(max(1, status.loops))) }

    /// The share of one processor that the process used; above 1 where it used several.
    var processorShare: Double { rate(\.processorMs) / 1000 }

    /// All that matters as one line of `name=value`.
    var line: String {
        let now = status.present
        var parts = [
            "time=\(status.time)", "over=\(decimal(seconds))s", "connections=\(now.connections)",
            "subscriptions=\(now.subscriptions)", "channels=\(now.channels)", "changes=\(decimal(rate(\.changes)))/s",
            "deliveries=\(decimal(rate(\.deliveries)))/s", "requests=\(decimal(rate(\.requests)))/s",
            "refusals=\(decimal(rate(\.refusals)))/s", "lagged=\(decimal(rate(\.lagged)))/s",
        ]
        for (name, times) in TopFigures.times {
            if let p50 = quantile(0.5, of: times) { parts.append("\(name)_p50=\(decimal(p50 / 1000))ms") }
            if let p99 = quantile(0.99, of: times) { parts.append("\(name)_p99=\(decimal(p99 / 1000))ms") }
        }
        parts += [
            "sent=\(decimal(rate(\.bytesSent)))B/s", "received=\(decimal(rate(\.bytesReceived)))B/s",
            "waiting_requests=\(now.waitingRequests)", "waiting_records=\(status.store.waitingRecords)",
            "outbound=\(now.outboundBytes)B", "blocked=\(now.blockedConnections)", "memory=\(now.memoryBytes)B",
            "memory_limit=\(now.memoryLimitBytes)B", "memory_used=\(decimal(now.memoryUsedRatio * 100))%",
            "cpu=\(decimal(processorShare * 100))%", "loops=\(decimal(busyShare * 100))%",
            "store=\(status.store.healthy ? "ok" : "refuses")",
        ]
        if let nats = status.nats { parts.append("nats=\(nats.connected ? "connected" : "lost")") }
        return parts.joined(separator: " ")
    }

    /// What is timed, by its name.
    static var times: [(name: String, times: KeyPath<BrokerStatus.Latency, [UInt64]>)] {
        [("ack", \.acks), ("delivery", \.deliveries), ("commit", \.commits)]
    }
}

/// A number with one decimal, without an exponent.
func decimal(_ number: Double) -> String {
    let tenths = UInt64(min(max(0, number * 10), 1e18).rounded())
    return "\(tenths / 10).\(tenths % 10)"
}
