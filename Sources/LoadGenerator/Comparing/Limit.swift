/// What a search has found: the knee.
public struct Limit: Sendable {
    let subject: LimitSearch.Subject
    let plan: Plan
    /// In the order in which they were run.
    var steps: [LimitSearch.Step] = []
    /// The most that held; `nil` where nothing did.
    var held: Double?
    /// The least that did not; `nil` where all held.
    var broke: Double?
    /// Whether somebody ended the search before its time.
    public internal(set) var isInterrupted = false

    init(subject: LimitSearch.Subject, plan: Plan) {
        self.subject = subject
        self.plan = plan
    }

    /// Whether something held, and the search went on to its end.
    public var isFound: Bool { held != nil && !isInterrupted }

    /// The limit as a sentence or two for a person; ends with a line break.
    public var text: String { verdict + "\n" }

    /// The limit as a sentence or two, without a line break.
    var verdict: String {
        let held = held.map { LimitSearch.show($0, subject) }
        let broke = broke.map { LimitSearch.show($0, subject) }
        if isInterrupted {
            return "interrupted: the limit was not found; by then "
                + (held.map { "\($0) held" } ?? "nothing had held")
                + (broke.map { ", and \($0) did not (\(whose)\(reason ?? "unknown"))" } ?? ", and nothing had broken")
        }
        guard let held else { return "no limit found: not even \(broke ?? "the first") held (\(reason ?? "unknown"))" }
        guard let broke else { return "limit: more than \(held); nothing broke" }
        return "limit: \(held) held; \(broke) did not (\(whose)\(reason ?? "unknown"))"
    }

    private var whose: String {
        isGeneratorsLimit ? "it may be the generator's limit, which was busy or late: " : ""
    }

    /// The search as one JSON object on one line, without a line break.
    public var json: String {
        JSON.object([
            ("tool", .text("fanfare-load")), ("search", .number(1)), ("raises", .text(subject.rawValue)),
            ("interrupted", .bool(isInterrupted)),
            ("held", held.map(JSON.number) ?? .null), ("broke", broke.map(JSON.number) ?? .null),
            ("reason", reason.map(JSON.text) ?? .null), ("generator_limit", .bool(isGeneratorsLimit)),
            ("steps", .list(steps.map(\.json))),
        ]).description
    }

    private var breaking: LimitSearch.Step? { steps.last { $0.amount == broke } }
    var reason: String? { breaking?.reason }
    var isGeneratorsLimit: Bool { breaking?.isGeneratorsLimit ?? false }
}

extension LimitSearch.Step {
    /// A percentile of the scenario's main latency, in milliseconds; `nil` where the run did not take place or timed nothing.
    func latency(_ percentile: String) -> Double? {
        report.flatMap { $0[Metric("\($0.plan.scenario.mainLatency).\(percentile)", .milliseconds)] }
    }

    var json: JSON {
        .object([
            ("amount", .number(amount)), ("held", .bool(reason == nil)), ("reason", reason.map(JSON.text) ?? .null),
            ("p50_ms", latency("p50").map(JSON.number) ?? .null), ("p99_ms", latency("p99").map(JSON.number) ?? .null),
            ("server_cpu_percent", report?[.serverCPU].map(JSON.number) ?? .null),
        ])
    }
}
