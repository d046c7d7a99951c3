extension Report {
    /// The report as a table for a person; ends with a line break.
    public var text: String {
        var lines = ["\(plan.scenario.rawValue)  \(plan.target.url)", plan.summary, ""]
        lines += numberRows
        lines += distributionRows
        if !errorCodes.isEmpty {
            lines += ["", "errors"]
            for (code, count) in errorCodes.sorted(by: { $0.key < $1.key }) {
                lines.append("  \(Format.left(code, 32)) \(count)")
            }
        }
        if !closeCodes.isEmpty {
            let codes = closeCodes.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            lines += ["", "closed by the server  " + codes.joined(separator: "   ")]
        }
        lines.append("")
        lines += notes.map { "NOTE: \($0)" }
        if isInterrupted { lines.append("interrupted: what was measured until then") }
        lines += doubts.map { "INVALID: \($0)" }
        lines += failures.map { "FAILED: \($0)" }
        if isOK, isValid { lines.append("ok") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// One row for each object of the report, and one for those that lie in none.
    private var numberRows: [String] {
        var rows: [(title: String, cells: [String])] = []
        for metric in plan.scenario.numbers where metric != .invalid {
            guard let value = values[metric] else { continue }
            let parts = metric.name.split(separator: ".", maxSplits: 1).map(String.init)
            let title = parts.count == 2 ? parts[0] : "correctness"
            let label = words(parts.last ?? "", metric.kind)
            if rows.last?.title != title { rows.append((title, [])) }
            rows[rows.count - 1].cells.append("\(label) \(Format.value(value, metric.kind))")
        }
        return rows.map { Format.left($0.title, 14) + $0.cells.joined(separator: "   ") }
    }

    private var distributionRows: [String] {
        let groups = plan.scenario.distributions.map { group in
            (title: words(group, .milliseconds), values: Metric.distribution(group).map { values[$0] })
        }
        let heads = Metric.percentiles.map { Format.right($0.name, 9) }
        let rows = groups.map { group in
            "  " + Format.left(group.title, 20)
                + group.values.map { Format.right($0.map(Format.short) ?? "-", 9) }.joined()
        }
        return ["", Format.left("milliseconds", 22) + heads.joined()] + rows
    }

    /// `rss_before_bytes` as words, without its unit.
    private func words(_ name: String, _ kind: Metric.Kind) -> String {
        var name = name[...]
        let suffix =
            switch kind {
            case .milliseconds: "_ms"
            case .percent: "_percent"
            case .bytes: "_bytes"
            case .perSecond: "per_second"
            case .count: ""
            }
        if !suffix.isEmpty, name.hasSuffix(suffix), name != suffix { name = name.dropLast(suffix.count) }
        return name == "per_second" ? "rate" : String(name.map { $0 == "_" ? " " : $0 })
    }
}
