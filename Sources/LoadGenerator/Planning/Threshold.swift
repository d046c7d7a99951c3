/// A bound that a run must keep: `p99>50ms` says when it is broken.
public struct Threshold: Sendable, Equatable {
    /// How the two sides are compared.
    enum Comparison: String, Sendable, CaseIterable {
        // Those of two characters first: `>=` begins with `>`.
        case atLeast = ">="
        case atMost = "<="
        case equal = "=="
        case unequal = "!="
        case above = ">"
        case below = "<"
    }

    /// The words as they were given.
    public let text: String
    let metric: Metric
    let comparison: Comparison
    /// In the metric's own unit.
    let bound: Double

    /// What is wrong with an expression, for a person.
    public struct Problem: Error, Sendable, Equatable {
        /// One line.
        public let message: String
    }

    /// Reads `NAME OP NUMBER[UNIT]`.
    ///
    /// `NAME` is a name in the JSON report, or `p50`, `p90`, `p95`, `p99`, `p99.9`, `p99.99`, `max` for the scenario's
    /// main latency. `OP` is `>`, `>=`, `<`, `<=`, `==` or `!=`. Times are milliseconds, or say `us`, `ms` or `s`.
    ///
    /// - Parameters:
    ///   - text: The expression.
    ///   - scenario: Whose names can be used.
    /// - Throws: A ``Problem`` that says which part is wrong.
    public init(_ text: String, scenario: Plan.Scenario) throws(Problem) {
        let words = String(text.filter { !$0.isWhitespace })
        let name = words.prefix { !"<>=!".contains($0) }
        let behind = words[name.endIndex...]
        guard let comparison = Comparison.allCases.first(where: { behind.hasPrefix($0.rawValue) }) else {
            throw Problem(message: "\"\(text)\" is no comparison such as p99>50ms or lost>0")
        }
        let isShort = name == "max" || name.hasPrefix("p") && name.dropFirst().first?.isNumber == true
        let full = isShort ? "\(scenario.mainLatency).\(name)" : String(name)
        guard let metric = scenario.metrics.first(where: { $0.name == full }) else {
            let names = scenario.numbers.map(\.name) + scenario.distributions.map { "\($0).p99" }
            throw Problem(
                message: "\"\(name)\" in \"\(text)\" is no metric of \(scenario.rawValue); it has p50 to p99.99, max, "
                    + names.joined(separator: ", "))
        }
        guard let bound = metric.kind.number(behind.dropFirst(comparison.rawValue.count)) else {
            throw Problem(message: "\"\(text)\" compares with \(metric.kind.example)")
        }
        self.text = text
        self.metric = metric
        self.comparison = comparison
        self.bound = bound
    }

    /// Whether a value breaks the bound; one that was never measured does.
    func isBroken(by value: Double?) -> Bool {
        value.map { comparison.holds($0, bound) } ?? true
    }
}

extension Threshold.Comparison {
    /// Whether it is true of two numbers.
    func holds(_ value: Double, _ bound: Double) -> Bool {
        switch self {
        case .atLeast: value >= bound
        case .atMost: value <= bound
        case .equal: value == bound
        case .unequal: value != bound
        case .above: value > bound
        case .below: value < bound
        }
    }
}

extension Metric.Kind {
    /// A number as it stands in an expression, in the unit of the kind.
    fileprivate func number(_ text: Substring) -> Double? {
        let digits = text.prefix { ("0"..."9").contains($0) || $0 == "." }
        guard digits.first?.isNumber == true, digits.last?.isNumber == true, digits.utf8.count <= 18,
            let number = Double(digits)
        else { return nil }
        guard let scale = scale(of: text[digits.endIndex...]) else { return nil }
        return number * scale
    }

    private func scale(of unit: Substring) -> Double? {
        switch (self, unit) {
        case (_, ""): 1
        case (.milliseconds, "ms"): 1
        case (.milliseconds, "us"), (.milliseconds, "µs"): 1e-3
        case (.milliseconds, "s"): 1e3
        case (.percent, "%"): 1
        case (.count, "k"), (.perSecond, "k"), (.perSecond, "k/s"): 1e3
        case (.perSecond, "/s"): 1
        case (.count, "M"), (.perSecond, "M"), (.perSecond, "M/s"): 1e6
        case (.bytes, "KiB"): 1024
        case (.bytes, "MiB"): 1_048_576
        case (.bytes, "GiB"): 1_073_741_824
        default: nil
        }
    }

    fileprivate var example: String {
        switch self {
        case .milliseconds: "a time: 50ms, 800us, 1.5s"
        case .count: "a count: 0, 100, 10k"
        case .perSecond: "a rate: 100, 10k, 1M"
        case .percent: "a share: 50, 50%"
        case .bytes: "a size: 2048, 64MiB"
        }
    }
}
