/// Two reports side by side: what changed from the first to the second.
public struct Comparison: Sendable {
    /// What is wrong with a report or a bound, for a person.
    public struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
        /// One line.
        public let message: String

        /// The line.
        public var description: String { message }
    }

    /// One number of both reports.
    struct Line: Sendable {
        let metric: Metric
        let before: Double?
        let after: Double?

        /// How much more the second is, in percent; `nil` where that cannot be told.
        var growth: Double? {
            guard let before, let after else { return nil }
            if before == after { return 0 }
            return before == 0 ? nil : (after / before - 1) * 100
        }
    }

    let scenario: Plan.Scenario
    let lines: [Line]
    private let bounds: [RelativeThreshold]
    private let remarks: [String]

    /// Compares two JSON reports.
    ///
    /// - Parameters:
    ///   - before: The first report, as `--json` writes it.
    ///   - after: The second one.
    ///   - bounds: What must not happen, such as `p99>+10%`.
    /// - Throws: A ``Problem`` where a text is no report, the scenarios differ, or a bound cannot be read.
    public init(_ before: String, _ after: String, bounds: [String]) throws(Problem) {
        let first = try Comparison.report(before, "first")
        let second = try Comparison.report(after, "second")
        guard first.scenario == second.scenario else {
            throw Problem(
                message: "the reports are of two scenarios, \(first.scenario.rawValue) and \(second.scenario.rawValue)")
        }
        scenario = first.scenario
        self.bounds = try bounds.map { text throws(Problem) in try RelativeThreshold(text, first.scenario) }
        lines = first.scenario.metrics.compactMap { metric in
            let line = Line(
                metric: metric, before: Comparison.value(of: metric, first.json),
                after: Comparison.value(of: metric, second.json))
            return line.before == nil && line.after == nil ? nil : line
        }
        var remarks: [String] = []
        for (report, name) in [(first.json, "first"), (second.json, "second")] {
            if report["valid"] == .bool(false) {
                remarks.append("the \(name) report is invalid: its generator was the limit")
            }
            if report["interrupted"] == .bool(true) { remarks.append("the \(name) run was interrupted") }
        }
        if first.json["settings", "profile"] != second.json["settings", "profile"]
            || first.json["settings", "connections"] != second.json["settings", "connections"]
        {
            remarks.append("the two runs did not do the same: their settings differ")
        }
        self.remarks = remarks
    }

    /// The bounds that do not hold, each as a line for a person; empty where all is well.
    public var failures: [String] {
        bounds.compactMap { bound in
            let line = lines.first { $0.metric == bound.metric }
            guard let verdict = bound.broken(from: line?.before, to: line?.after) else { return nil }
            return "\(bound.text) broke: \(verdict)"
        }
    }

    /// The comparison as a table for a person; ends with a line break.
    public var text: String {
        var rows = [
            Format.left(scenario.rawValue, 32) + Format.right("first", 14) + Format.right("second", 14)
                + Format.right("change", 10)
        ]
        for line in lines where line.metric != .invalid {
            rows.append(
                Format.left(line.metric.name, 32) + Format.right(show(line.before, line.metric), 14)
                    + Format.right(show(line.after, line.metric), 14)
                    + Format.right(line.growth.map(Comparison.signed) ?? "-", 10))
        }
        rows.append("")
        rows += remarks.map { "NOTE: \($0)" }
        rows += failures.map { "FAILED: \($0)" }
        if failures.isEmpty { rows.append("ok") }
        return rows.joined(separator: "\n") + "\n"
    }

    private func show(_ value: Double?, _ metric: Metric) -> String {
        value.map { Format.value($0, metric.kind) } ?? "-"
    }

    static func signed(_ percent: Double) -> String {
        let text = Format.decimal(percent, places: percent.magnitude < 10 ? 1 : 0)
        return (percent > 0 ? "+" : "") + text + " %"
    }

    private static func report(_ text: String, _ which: String) throws(Problem) -> (json: JSON, scenario: Plan.Scenario)
    {
        let json: JSON
        do {
            json = try JSON(reading: text)
        } catch {
            throw Problem(message: "the \(which) report is \(error.message)")
        }
        guard json["tool"]?.text == "fanfare-load", json["report"]?.number == 1,
            let scenario = json["scenario"]?.text.flatMap(Plan.Scenario.init(rawValue:))
        else { throw Problem(message: "the \(which) file is no report of fanfare-load --json") }
        return (json, scenario)
    }

    private static func value(of metric: Metric, _ report: JSON) -> Double? {
        let parts = metric.name.split(separator: ".", maxSplits: 1).map(String.init)
        return parts.count == 2 ? report[parts[0], parts[1]]?.number : report[metric.name]?.number
    }
}
