private import Glibc

/// Looks for the most that a server can take: runs a plan again and again, with more each time, until a bound breaks.
public struct LimitSearch: Sendable {
    /// What is raised.
    public enum Subject: String, Sendable, CaseIterable {
        /// Requests a second.
        case rate
        /// Connections that subscribe or idle.
        case connections
    }

    /// One run of a search.
    public struct Step: Sendable {
        /// How much it was: requests a second, or connections.
        public let amount: Double
        /// What was found; `nil` where the run could not take place.
        public let report: Report?
        /// Why it was too much; `nil` where all bounds held.
        public let reason: String?
        /// Whether it was the generator that could not do more.
        public let isGeneratorsLimit: Bool

        /// The step as a line for a person.
        public func line(_ subject: Subject) -> String {
            let main = report.flatMap { report in
                report[Metric("\(report.plan.scenario.mainLatency).p99", .milliseconds)]
            }
            return Format.right(LimitSearch.show(amount, subject), 20)
                + Format.right("p99 " + (main.map { Format.value($0, .milliseconds) } ?? "-"), 16)
                + Format.right(report?[.serverCPU].map { "server \(Format.value($0, .percent))" } ?? "", 14)
                + "  \(reason ?? "holds")"
        }
    }

    /// The bound on the main latency where a plan has no thresholds of its own, in milliseconds.
    static let usualBound = "p99>100ms"
    private static let maxSteps = 24
    /// How near the least that broke may be to the most that held.
    private static let precision = 1.1

    private var plan: Plan
    private let subject: Subject

    /// Prepares a search.
    ///
    /// - Parameters:
    ///   - plan: What each run does; its rate or number of subscribers is where the search begins.
    ///   - subject: What is raised.
    public init(_ plan: Plan, raising subject: Subject) {
        self.plan = plan
        self.subject = subject
        if plan.thresholds.isEmpty, let usual = try? Threshold(LimitSearch.usualBound, scenario: plan.scenario) {
            self.plan.thresholds = [usual]
        }
    }

    /// Runs it; blocks the calling thread for at most 24 runs of the plan.
    ///
    /// - Parameters:
    ///   - interruption: Somebody's wish to end early.
    ///   - show: Is given each step as it ends.
    /// - Returns: What was found.
    /// - Throws: A ``LoadError`` where not even the first run could take place.
    public func run(interruption: Interruption?, show: (Step) -> Void) throws(LoadError) -> Limit {
        var limit = Limit(subject: subject, plan: plan)
        var bracket = Bracket(start: start)
        while limit.steps.count < LimitSearch.maxSteps, let amount = bracket.next(LimitSearch.precision, bounds) {
            let step = try run(amount, isFirst: limit.steps.isEmpty, interruption)
            if interruption?.isRequested == true {
                limit.isInterrupted = true
                break
            }
            limit.steps.append(step)
            show(step)
            bracket.take(amount, held: step.reason == nil)
        }
        limit.held = bracket.held
        limit.broke = bracket.broke
        return limit
    }

    private func run(_ amount: Double, isFirst: Bool, _ interruption: Interruption?) throws(LoadError) -> Step {
        do {
            let report = try plan(for: amount).run(interruption: interruption)
            // What holds although the generator was slow holds all the more: its lag is in the latency.
            return Step(
                amount: amount, report: report, reason: report.failures.first,
                isGeneratorsLimit: !report.isOK && !report.isValid)
        } catch {
            guard !isFirst else { throw error }
            let isOurs =
                switch error {
                case .descriptors, .ports, .system: true;
                default: false
                }
            return Step(amount: amount, report: nil, reason: "\(error)", isGeneratorsLimit: isOurs)
        }
    }

    private var start: Double {
        subject == .rate ? max(plan.profile.peak, 1) : Double(max(plan.subscribers, 1))
    }

    private var bounds: ClosedRange<Double> {
        subject == .rate ? 1...Plan.rates.upperBound : 1...Double(Plan.connections.upperBound)
    }

    private func plan(for amount: Double) -> Plan {
        var plan = plan
        switch subject {
        case .rate: plan.profile = plan.profile.scaled(by: amount / start)
        case .connections: plan.subscribers = Int(amount)
        }
        return plan
    }

    static func show(_ amount: Double, _ subject: Subject) -> String {
        subject == .rate ? Format.value(amount, .perSecond) : "\(Format.decimal(amount, places: 0)) connections"
    }
}

/// Between which two amounts the limit lies.
struct Bracket: Sendable {
    private let start: Double
    private(set) var held: Double?
    private(set) var broke: Double?

    init(start: Double) {
        self.start = start
    }

    /// What to try next; `nil` where the two are near enough, or a bound is reached.
    func next(_ precision: Double, _ bounds: ClosedRange<Double>) -> Double? {
        func within(_ amount: Double) -> Double { min(max(amount.rounded(), bounds.lowerBound), bounds.upperBound) }
        switch (held, broke) {
        case (nil, nil): return within(start)
        case (let held?, nil): return held >= bounds.upperBound ? nil : within(held * 2)
        case (nil, let broke?): return broke <= bounds.lowerBound ? nil : within(broke / 2)
        case (let held?, let broke?):
            let middle = (held * broke).squareRoot().rounded()
            return broke / held <= precision || middle <= held || middle >= broke ? nil : middle
        }
    }

    /// Takes in how a run went.
    mutating func take(_ amount: Double, held: Bool) {
        if held { self.held = max(amount, self.held ?? 0) } else { broke = min(amount, broke ?? .infinity) }
    }
}
