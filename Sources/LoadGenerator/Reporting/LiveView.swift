/// What a terminal shows while a run goes on: a few lines that are written anew each second.
public struct LiveView: Sendable {
    private let plan: Plan
    private let width: Int
    private let hasColor: Bool
    private var rows: [Row] = []
    private var lines = 0

    /// Makes a view that has shown nothing yet.
    ///
    /// - Parameters:
    ///   - plan: What is run.
    ///   - width: How many columns the terminal has.
    ///   - hasColor: Whether colours are wanted (`NO_COLOR` is not set).
    public init(_ plan: Plan, width: Int, hasColor: Bool) {
        self.plan = plan
        self.width = max(40, min(width, 200))
        self.hasColor = hasColor
    }

    /// The text that puts the next second in the place of the last one.
    public mutating func show(_ row: Row) -> String {
        rows.append(row)
        if rows.count > width { rows.removeFirst(rows.count - width) }
        let text = page(row)
        // Back to the first line, and clear what follows.
        let back = lines == 0 ? "" : "\u{1B}[\(lines)F\u{1B}[J"
        lines = text.count
        return back + text.map { $0 + "\n" }.joined()
    }

    private func page(_ row: Row) -> [String] {
        var server: [String] = []
        if let cpu = row.serverCPU { server.append(Format.value(cpu, .percent)) }
        if let memory = row.serverMemory { server.append(Format.value(Double(memory), .bytes)) }
        if let queue = row.queueBytes { server.append("queued \(Format.value(Double(queue), .bytes))") }
        let latency =
            "p50 \(row.median.map { Format.value($0, .milliseconds) } ?? "-")   "
            + "p99 \(row.p99.map { Format.value($0, .milliseconds) } ?? "-")"
        let errors = row.errors == 0 ? "errors 0" : paint("errors \(row.errors)", "31")
        return [
            cut("\(plan.scenario.rawValue)  \(plan.target.url)  \(Format.decimal(row.seconds, places: 0)) s"),
            cut(
                "connected \(row.connected)   published \(Format.value(row.rate(row.published), .perSecond))   "
                    + "delivered \(Format.value(row.rate(row.delivered), .perSecond))"),
            "\(latency)   \(errors)" + (server.isEmpty ? "" : "   server " + server.joined(separator: " ")),
            plot("delivered", "34") { $0.rate($0.delivered) },
            plot("p99 ms", "33") { $0.p99 ?? 0 },
        ]
    }

    /// The last seconds of a number as bars of eight heights, beside its largest value.
    private func plot(_ name: String, _ color: String, _ value: (Row) -> Double) -> String {
        let room = width - 24
        let values = rows.suffix(room).map(value)
        let most = values.max() ?? 0
        let blocks = Array("▁▂▃▄▅▆▇█")
        let bars = values.map { value in
            most > 0 ? blocks[min(7, max(0, Int(value / most * 8)))] : blocks[0]
        }
        return Format.left(name, 10) + paint(String(bars), color) + " max \(Format.short(most))"
    }

    private func paint(_ text: String, _ color: String) -> String {
        hasColor ? "\u{1B}[\(color)m\(text)\u{1B}[0m" : text
    }

    private func cut(_ text: String) -> String { String(text.prefix(width)) }
}
