extension Limit {
    /// The steps as comma-separated values (RFC 4180) under a line of names, in the order in which they were run.
    public var csv: String {
        func optional(_ value: Double?) -> String { value.map { Format.decimal($0, places: 3) } ?? "" }
        var lines = ["\(subject.rawValue),held,p50_ms,p99_ms,server_cpu_percent,generator_limit,reason"]
        for step in steps {
            let cells = [
                Format.decimal(step.amount, places: 0), step.reason == nil ? "yes" : "no",
                optional(step.latency("p50")),
                optional(step.latency("p99")), optional(step.report?[.serverCPU]),
                step.isGeneratorsLimit ? "yes" : "no",
                "\"\((step.reason ?? "").replacing("\"", with: "\"\""))\"",
            ]
            lines.append(cells.joined(separator: ","))
        }
        if isInterrupted { lines.append(",,,,,,interrupted") }
        return lines.joined(separator: "\r\n") + "\r\n"
    }

    /// The search as a JUnit file: one test case, which fails where nothing held.
    public var junit: String {
        let outcome =
            isInterrupted
            ? "><error message=\"\(Report.escaped(verdict))\"/></testcase>"
            : held == nil ? "><failure message=\"\(Report.escaped(verdict))\"/></testcase>" : "/>"
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuite name="fanfare-load limit of \(subject.rawValue)" tests="1" \
            failures="\(held == nil && !isInterrupted ? 1 : 0)" errors="\(isInterrupted ? 1 : 0)">
              <testcase classname="fanfare-load" name="something holds"\(outcome)
            <system-out>\(Report.escaped(verdict))</system-out>
            </testsuite>

            """
    }

    /// The search as one HTML page that needs nothing else: the verdict, latency over what was raised, and all steps.
    public var html: String {
        let rows = steps.sorted { $0.amount < $1.amount }.map { step in
            "<tr><td>\(LimitSearch.show(step.amount, subject))</td>"
                + "<td>\(Limit.cell(step.latency("p50")))</td><td>\(Limit.cell(step.latency("p99")))</td>"
                + "<td class=\"words\">\(Report.escaped(step.reason ?? "holds"))</td></tr>"
        }
        return Report.page(
            title: "fanfare-load: limit of \(plan.scenario.rawValue) \(plan.target.url)",
            """
            <h1>\(plan.scenario.rawValue) <small>\(Report.escaped(plan.target.url))</small></h1>
            <p>\(Report.escaped(plan.summary))</p>
            <div class="verdict\(isFound && !isGeneratorsLimit ? "" : " bad")">\(Report.escaped(verdict))</div>
            \(latencyOverAmount.html)
            <h2>Steps</h2><div class="scroll"><table><tr><th>\(subject.rawValue)</th><th>p50 ms</th>\
            <th>p99 ms</th><th class="words">how it went</th></tr>\(rows.joined())</table></div>

            """)
    }

    private static func cell(_ value: Double?) -> String { value.map(Format.short) ?? "–" }

    private var latencyOverAmount: Chart {
        let sorted = steps.sorted { $0.amount < $1.amount }
        func line(_ percentile: String, _ style: String) -> Chart.Line {
            Chart.Line(
                name: percentile, style: style,
                points: sorted.compactMap { step in step.latency(percentile).map { (step.amount, $0) } })
        }
        return Chart(
            title: "Latency over \(subject == .rate ? "the rate" : "the connections")",
            xName: subject == .rate ? "requests a second" : "connections", yName: "milliseconds",
            yScale: .logarithmic, xScale: .logarithmic,
            lines: [line("p99", "b"), line("p50", "a")].filter { !$0.points.isEmpty })
    }
}
