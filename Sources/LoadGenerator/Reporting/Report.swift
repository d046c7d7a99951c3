/// What a run found.
public struct Report: Sendable {
    let plan: Plan
    private(set) var values: [Metric: Double] = [:]
    /// How often each error happened, by the broker's code or a word of our own.
    var errorCodes: [String: UInt64] = [:]
    /// Why the numbers may not be the broker's; empty where they are.
    private(set) var doubts: [String] = []
    /// Why the run was not all right; empty where it was.
    private(set) var failures: [String] = []

    init(_ plan: Plan) {
        self.plan = plan
    }

    /// Whether nothing was lost, nothing went wrong and no threshold broke.
    public var isOK: Bool { failures.isEmpty }

    subscript(_ metric: Metric) -> Double? {
        get { values[metric] }
        set { values[metric] = newValue }
    }

    /// Sets the percentiles of a distribution of microseconds; none where nothing was recorded.
    mutating func set(_ group: String, _ histogram: Histogram) {
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
        failures = [Metric.failed, .dropped, .lost, .duplicates, .reordered, .errors].compactMap { metric in
            guard let value = values[metric], value > 0 else { return nil }
            let word = metric.name.split(separator: ".").joined(separator: " ")
            return "\(word): \(Format.decimal(value, places: 0))"
        }
        for threshold in plan.thresholds where threshold.isBroken(by: values[threshold.metric]) {
            let value = values[threshold.metric].map { Format.value($0, threshold.metric.kind) } ?? "not measured"
            failures.append("threshold \(threshold.text) broke: \(value)")
        }
    }

    /// Asks whether the generator was fast enough for its own numbers.
    private mutating func doubt() {
        doubts = []
        if let busy = values[.loopCPU], busy > 90 {
            doubts.append("a loop of the generator was \(Format.value(busy, .percent)) busy (more than 90 %)")
        }
        let name = "p99"
        if let lag = values[Metric("\(Metric.lag).\(name)", .milliseconds)],
            let latency = values[Metric("\(Metric.latency).\(name)", .milliseconds)], lag > latency / 4
        {
            doubts.append(
                "the generator sent late: lag p99 \(Format.value(lag, .milliseconds)) is more than a quarter of "
                    + "latency p99 \(Format.value(latency, .milliseconds))")
        }
    }
}
