/// What a run found.
public struct Report: Sendable {
    /// What was run.
    var plan: Plan
    private(set) var values: [Metric: Double] = [:]
    /// The distributions behind the percentiles, in microseconds.
    private(set) var histograms: [String: Histogram] = [:]
    /// How often each error happened, by the broker's code or a word of our own.
    var errorCodes: [String: UInt64] = [:]
    /// How often the server ended a connection with each close code.
    var closeCodes: [UInt16: UInt64] = [:]
    /// A second each.
    var rows: [Row] = []
    /// What else a reader should know.
    var notes: [String] = []
    /// Doubts of other processes whose numbers are in these; `nil`: the numbers are this process's own.
    var foreignDoubts: [String]?
    /// Other processes whose numbers should be in these and are not, each with the reason.
    var missingParts: [String] = []
    /// Whether somebody ended the run before its time.
    public internal(set) var isInterrupted = false
    /// Why the numbers may not be the broker's; empty where they are.
    private(set) var doubts: [String] = []
    /// Why the run was not all right; empty where it was.
    private(set) var failures: [String] = []

    init(_ plan: Plan) {
        self.plan = plan
    }

    /// Whether the run went on to its end, nothing was lost, nothing went wrong and no threshold broke.
    public var isOK: Bool { failures.isEmpty && !isInterrupted }

    /// Whether the numbers are the broker's, and not the generator's limits.
    public var isValid: Bool { doubts.isEmpty }

    subscript(_ metric: Metric) -> Double? {
        get { values[metric] }
        set { values[metric] = newValue }
    }

    /// Sets the percentiles of a distribution of microseconds; none where nothing was recorded.
    mutating func set(_ group: String, _ histogram: Histogram) {
        histograms[group] = histogram
        for (metric, percentile) in zip(Metric.distribution(group), Metric.percentiles) {
            let value =
                percentile.share == 1
                ? (histogram.count > 0 ? histogram.max : nil) : histogram.value(at: percentile.share)
            values[metric] = value.map { Double($0) / 1000 }
        }
    }

    /// Draws the conclusions, once all values are set.
    mutating func judge() {
        errorCodes = errorCodes.filter { $0.value > 0 }
        values[.errors] = Double(errorCodes.values.reduce(0, +))
        doubt()
        values[.invalid] = doubts.isEmpty ? 0 : 1
        let faults: [Metric] = [
            .failed, .dropped, .lost, .duplicates, .reordered, .afterUnsubscribe, .countsWrong, .eventCountsWrong,
            .errors,
        ]
        failures = missingParts.map { "incomplete: without \($0)" }
        failures += faults.compactMap { metric in
            guard let value = values[metric], value > 0 else { return nil }
            let word = String(metric.name.map { $0 == "." || $0 == "_" ? " " : $0 })
            return "\(word): \(Format.decimal(value, places: 0))"
        }
        for threshold in brokenThresholds {
            let value = values[threshold.metric].map { Format.value($0, threshold.metric.kind) } ?? "not measured"
            failures.append("threshold \(threshold.text) broke: \(value)")
        }
    }

    /// The thresholds that do not hold.
    var brokenThresholds: [Threshold] {
        plan.thresholds.filter { $0.isBroken(by: values[$0.metric]) }
    }

    /// Asks whether the generator was fast enough for its own numbers.
    private mutating func doubt() {
        // Each process has judged its own numbers; what they add up to tells nothing new.
        if let foreignDoubts {
            doubts = foreignDoubts
            return
        }
        doubts = []
        if let busy = values[.loopCPU], busy > 90 {
            doubts.append("a loop of the generator was \(Format.value(busy, .percent)) busy (more than 90 %)")
        }
        let name = "p99"
        let latency = values[Metric("\(Metric.latency).\(name)", .milliseconds)]
        let welcome = values[Metric("\(Metric.welcome).\(name)", .milliseconds)]
        // A moment without the processor is no doubt; to be late for longer than that shows in what is measured.
        let measured = plan.scenario == .idle ? welcome : latency
        if let delay = values[.loopDelay], delay > max(500, (measured ?? 0) / 4) {
            doubts.append(
                "a loop of the generator was \(Format.value(delay, .milliseconds)) behind (more than 500 ms, and than a quarter "
                    + "of \(plan.scenario == .idle ? "welcome" : "latency") p99): it read late what had arrived")
        }
        // Below a millisecond it is the grain of the schedule, not a generator that cannot keep up.
        if let lag = values[Metric("\(Metric.lag).\(name)", .milliseconds)], let latency, lag > max(1, latency / 4) {
            doubts.append(
                "the generator sent late: lag p99 \(Format.value(lag, .milliseconds)) is more than a quarter of "
                    + "latency p99 \(Format.value(latency, .milliseconds))")
        }
    }
}

extension Report {
    /// Takes in what a run that publishes has counted.
    mutating func take(_ total: Tally, _ outcome: Broadcast.Outcome, from start: Moment, to end: Moment) {
        let seconds = Double(max(1, end.time - min(end.time, start.time))) / 1e9
        let counts: [(Metric, UInt64)] = [
            (.left, total.left), (.requests, total.requests), (.acked, total.acked), (.delivered, total.delivered),
            (.expected, outcome.balance.expected), (.untimed, total.untimed), (.lost, outcome.balance.missing),
            (.overtaken, outcome.balance.overtaken), (.duplicates, total.duplicates), (.reordered, total.reordered),
            (.lagged, total.lagged), (.afterUnsubscribe, total.afterUnsubscribe),
            (.countsCompared, outcome.counts.compared), (.countsWrong, outcome.counts.wrong),
            (.eventCountsCompared, total.eventCountsCompared), (.eventCountsWrong, total.eventCountsWrong),
            (.slowBehind, outcome.balance.behind),
            (.recovered, total.recovered), (.refused, total.refused), (.replayed, total.replayed),
            (.slowLagged, total.slowLagged), (.slowClosed, total.slowClosed), (.halfOpenEnded, total.halfOpenEnded),
        ]
        for (metric, count) in counts where plan.has(metric) { self[metric] = Double(count) }
        self[.loopDelay] = max(self[.loopDelay] ?? 0, Double(outcome.loopDelay) / 1e6)
        self[.requestsPerSecond] = Double(total.requests) / seconds
        self[.deliveredPerSecond] = Double(end.delivered - start.delivered) / seconds
        if outcome.unanswered > 0 { errorCodes["unanswered request"] = outcome.unanswered }
        if outcome.counts.awaited > 0 { errorCodes["unanswered list"] = UInt64(outcome.counts.awaited) }
        set(Metric.latency, total.latency)
        set(Metric.latencyFromSend, total.latencyFromSend)
        set(Metric.ack, total.ack)
        set(Metric.reconnect, total.reconnect)
        set(Metric.lag, total.lag)
        noteWithoutEffect()
    }

    /// Says what was to happen on purpose and did not, so that nobody takes the run for a proof of it.
    private mutating func noteWithoutEffect() {
        func happened(_ metrics: Metric...) -> Bool { metrics.contains { values[$0] ?? 0 > 0 } }
        let resets = plan.faults.contains { if case .resets = $0 { true } else { false } }
        if resets || [.churn, .storm, .resume, .soak].contains(plan.scenario), !happened(.left) {
            notes.append("nobody left and came back: the run was over before it was anybody's turn")
        }
        if plan.scenario == .slow, !happened(.slowLagged, .slowClosed) {
            notes.append(
                "slow: no reader that stopped was noticed: the sockets' buffers held all that was sent to it; "
                    + "a higher --rate, or a longer --for, stalls it")
        }
        if plan.throttles, !happened(.slowLagged, .slowClosed, .slowBehind) {
            notes.append("throttle: the throttled readers kept up: they were sent less than they may read")
        }
    }
}

extension Plan {
    /// Whether some readers read only so fast, on purpose.
    var throttles: Bool { faults.contains { if case .throttled = $0 { true } else { false } } }

    /// Whether a number means something in the scenario, with these faults.
    fileprivate func has(_ metric: Metric) -> Bool {
        switch metric {
        case .expected, .untimed, .reordered, .overtaken, .eventCountsCompared, .eventCountsWrong:
            mode == .events && scenario.numbers.contains(metric)
        case .slowLagged, .slowClosed: scenario == .slow || throttles
        case .slowBehind: throttles
        case .halfOpenEnded: faults.contains { $0.extraConnections > 0 }
        case .left: ![.fanout, .react, .raw].contains(scenario) || !faults.isEmpty
        default: scenario.numbers.contains(metric)
        }
    }
}
