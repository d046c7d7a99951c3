extension Plan.Scenario {
    /// The distribution that `p99` alone means.
    var mainLatency: String {
        switch self {
        case .fanout, .react, .churn, .resume, .slow, .soak, .raw: Metric.latency
        case .storm: Metric.reconnect
        case .idle: Metric.welcome
        }
    }

    /// The distributions of the scenario, in the order of its report.
    var distributions: [String] {
        let all = [Metric.latency, Metric.latencyFromSend, Metric.ack, Metric.welcome, Metric.reconnect, Metric.lag]
        return switch self {
        case .idle: [Metric.welcome]
        case .raw: [Metric.latency, Metric.latencyFromSend, Metric.welcome, Metric.lag]
        case .fanout, .react, .slow: all.filter { $0 != Metric.reconnect }
        case .churn, .storm, .resume, .soak: all
        }
    }

    /// The single numbers of the scenario, in the order of its report.
    var numbers: [Metric] {
        let connections: [Metric] = [.opened, .failed, .dropped, .left, .openedPerSecond, .halfOpenEnded]
        let generator: [Metric] = [
            .generatorCPU, .loopCPU, .loopDelay, .generatorMemory, .generatorMemoryEach, .invalid,
        ]
        let server: [Metric] = [.serverCPU, .serverMemoryBefore, .serverMemory, .serverGrowth, .serverQueue]
        guard publishes else { return connections + [.errors] + generator + server + [.serverMemoryEach] }
        let traffic: [Metric] = [
            .requests, .acked, .requestsPerSecond, .delivered, .expected, .deliveredPerSecond, .untimed,
        ]
        let correctness: [Metric] = [
            .lost, .overtaken, .lagged, .duplicates, .reordered, .afterUnsubscribe, .countsCompared, .countsWrong,
            .eventCountsCompared, .eventCountsWrong, .errors,
        ]
        if self == .raw {
            let meaningless: Set<Metric> = [
                .acked, .lagged, .afterUnsubscribe, .countsCompared, .countsWrong, .eventCountsCompared,
                .eventCountsWrong,
            ]
            return (connections + traffic + correctness + generator + server + [.deliveriesPerCPUSecond]).filter {
                !meaningless.contains($0)
            }
        }
        let slow: [Metric] = [.slowLagged, .slowClosed, .slowBehind]
        let own: [Metric] =
            switch self {
            case .resume, .soak: [.recovered, .refused, .replayed]
            case .fanout, .react, .idle, .churn, .storm, .slow, .raw: []
            }
        return connections + traffic + correctness + own + slow + generator + server + [.deliveriesPerCPUSecond]
    }

    /// All metrics of the scenario.
    var metrics: [Metric] {
        numbers + distributions.flatMap(Metric.distribution)
    }
}
