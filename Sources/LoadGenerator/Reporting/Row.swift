/// What happened in one second of a run, or in what is left of one at its end.
public struct Row: Sendable {
    /// Nanoseconds from the beginning of the run to the end of the row.
    let elapsed: UInt64
    /// How long the row stands for, in nanoseconds.
    let length: UInt64
    let connected: Int
    let opened: UInt64
    let published: UInt64
    let acked: UInt64
    let delivered: UInt64
    /// Of the deliveries in it, in milliseconds (``Plan/Scenario/idle``: of the welcomes); `nil` where nothing was timed.
    let median: Double?
    let p99: Double?
    let errors: UInt64
    let closeCodes: [UInt16: UInt64]
    var serverCPU: Double?
    var serverMemory: UInt64?
    var queueBytes: UInt64?

    /// Makes a row of what was counted in it.
    init(_ tally: Tally, _ scenario: Plan.Scenario, connected: Int, elapsed: UInt64, length: UInt64) {
        self.elapsed = elapsed
        self.length = length
        self.connected = connected
        opened = tally.opened
        published = tally.requests
        acked = tally.acked
        delivered = tally.delivered
        let latency = scenario == .idle ? tally.welcome : tally.latency
        median = latency.value(at: 0.5).map { Double($0) / 1000 }
        p99 = latency.value(at: 0.99).map { Double($0) / 1000 }
        errors = tally.errorCount
        closeCodes = tally.closeCodes
    }

    var seconds: Double { Double(elapsed) / 1e9 }

    /// How long it stands for.
    var lengthSeconds: Double { Double(length) / 1e9 }

    /// A count as a rate a second.
    func rate(_ count: UInt64) -> Double { Double(count) / lengthSeconds }

    /// The heads of the columns.
    public static var heading: String {
        Format.right("time", 7) + Format.right("connected", 11) + Format.right("published/s", 13)
            + Format.right("delivered/s", 13) + Format.right("p50 ms", 9) + Format.right("p99 ms", 9)
            + Format.right("errors", 8) + "  server"
    }

    /// The row as a line under the heading.
    public var text: String {
        var cells = Format.right("\(Format.decimal(seconds, places: 1)) s", 7) + Format.right("\(connected)", 11)
        cells += Format.right(Format.decimal(rate(published), places: 0), 13)
        cells += Format.right(Format.decimal(rate(delivered), places: 0), 13)
        cells += Format.right(median.map(Format.short) ?? "-", 9) + Format.right(p99.map(Format.short) ?? "-", 9)
        cells += Format.right("\(errors)", 8)
        if let serverCPU { cells += "  \(Format.value(serverCPU, .percent))" }
        if let serverMemory { cells += "  \(Format.value(Double(serverMemory), .bytes))" }
        if let queueBytes { cells += "  queued \(Format.value(Double(queueBytes), .bytes))" }
        for (code, count) in closeCodes.sorted(by: { $0.key < $1.key }) { cells += "  \(count) closed \(code)" }
        return cells
    }

    /// The row for the report.
    var json: JSON {
        var members: [(name: String, value: JSON)] = [
            ("s", .number((seconds * 10).rounded() / 10)), ("connected", .number(Double(connected))),
            ("opened_per_second", .number(rate(opened).rounded())),
            ("published_per_second", .number(rate(published).rounded())),
            ("delivered_per_second", .number(rate(delivered).rounded())),
            ("p50_ms", median.map(JSON.number) ?? .null), ("p99_ms", p99.map(JSON.number) ?? .null),
            ("errors", .number(Double(errors))), ("length_s", .number((lengthSeconds * 1000).rounded() / 1000)),
            ("opened", .number(Double(opened))), ("published", .number(Double(published))),
            ("acked", .number(Double(acked))), ("delivered", .number(Double(delivered))),
        ]
        if let serverCPU { members.append(("server_cpu_percent", .number(serverCPU.rounded()))) }
        if let serverMemory { members.append(("server_rss_bytes", .number(Double(serverMemory)))) }
        if let queueBytes { members.append(("server_queue_bytes", .number(Double(queueBytes)))) }
        let codes = closeCodes.sorted { $0.key < $1.key }
        if !codes.isEmpty {
            members.append(("close_codes", .object(codes.map { ("\($0.key)", .number(Double($0.value))) })))
        }
        return .object(members)
    }
}
