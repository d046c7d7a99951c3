private import Glibc

extension Report {
    /// The report as one HTML page that needs nothing else: verdict, numbers, percentile curve, time line, histogram.
    public var html: String {
        Report.page(
            title: "fanfare-load: \(plan.scenario.rawValue) \(plan.target.url)",
            """
            <h1>\(plan.scenario.rawValue) <small>\(Report.escaped(plan.target.url))</small></h1>
            <p>\(Report.escaped(plan.summary))</p>
            \(verdict)\(noteList)\(tiles)
            \(percentileCurve.html)\(ratesOverTime.html)\(latencyOverTime.html)\(serverOverTime)\(histogram.html)
            \(distributionTable)\(numberTable)\(errorTable)

            """)
    }

    /// A page of its own around what stands in it.
    static func page(title: String, _ content: String) -> String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(Report.escaped(title))</title>
        <style>\(Report.style)</style></head>
        <body><main>
        \(content)</main></body></html>

        """
    }

    private static let style = """
        :root{color-scheme:light dark;--ink:#1c2330;--paper:#fff;--line:#d9dee7;--soft:#5c6779;--a:#2563c9;--b:#c2571a;--c:#1b8a5a;--d:#8a3fb0}
        @media(prefers-color-scheme:dark){:root{--ink:#e6eaf2;--paper:#141923;--line:#2c3546;--soft:#9aa6ba;--a:#7fb0ff;--b:#ff9f5c;--c:#5fd39c;--d:#d19bf0}}
        body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.45 system-ui,sans-serif}
        main{max-width:760px;margin:0 auto;padding:1rem}
        h1{font-size:1.5rem;margin:.2rem 0}h1 small{font-size:.9rem;color:var(--soft);font-weight:400;overflow-wrap:anywhere}
        h2{font-size:1.05rem;margin:1.6rem 0 .4rem}
        .verdict{padding:.6rem .8rem;border-radius:.5rem;border:2px solid var(--c)}.verdict.bad{border-color:var(--b)}
        .verdict ul{margin:.3rem 0 0;padding-left:1.2rem}
        .tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:.6rem;margin:1rem 0}
        .tiles div{border:1px solid var(--line);border-radius:.5rem;padding:.5rem .7rem}
        .tiles b{display:block;font-size:1.25rem}.tiles span{color:var(--soft);font-size:.85rem}
        svg{width:100%;max-width:620px;height:auto;display:block}svg text{fill:var(--soft);font-size:12px}
        .grid{stroke:var(--line);stroke-width:1}polyline{fill:none;stroke-width:2;stroke-linejoin:round}
        polyline.a{stroke:var(--a)}polyline.b{stroke:var(--b)}polyline.c{stroke:var(--c)}polyline.d{stroke:var(--d)}rect.a{fill:var(--a)}
        .legend span{margin-right:1rem;font-size:.9rem}.legend span::before{content:"";display:inline-block;width:.8em;height:.8em;border-radius:.2em;margin-right:.35em;background:currentColor}
        .legend .a{color:var(--a)}.legend .b{color:var(--b)}.legend .c{color:var(--c)}.legend .d{color:var(--d)}
        .scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
        th,td{text-align:right;padding:.25rem .5rem;border-bottom:1px solid var(--line);white-space:nowrap}
        th:first-child,td:first-child{text-align:left}th{white-space:normal;vertical-align:bottom}
        .names td:first-child{white-space:normal;overflow-wrap:anywhere}th.words,td.words{text-align:left;white-space:normal;min-width:8rem}
        @media(max-width:30rem){.many{font-size:.85rem}.many th,.many td{padding:.25rem .2rem}}
        """

    private var verdict: String {
        let words =
            doubts.map { "Invalid: \($0)" } + failures.map { "Failed: \($0)" }
            + (isInterrupted ? ["Interrupted: what was measured until then"] : [])
        guard !words.isEmpty else {
            return "<div class=\"verdict\"><strong>All right.</strong> Nothing was lost, and nothing went wrong.</div>"
        }
        let items = words.map { "<li>\(Report.escaped($0))</li>" }.joined()
        let verdict = !failures.isEmpty ? "Not all right" : isInterrupted ? "Ended before its time" : "All right, but"
        return "<div class=\"verdict bad\"><strong>\(verdict)</strong><ul>\(items)</ul></div>"
    }

    private var noteList: String {
        notes.isEmpty ? "" : "<ul>" + notes.map { "<li>\(Report.escaped($0))</li>" }.joined() + "</ul>"
    }

    /// The numbers that people look for first.
    private var tiles: String {
        let main = plan.scenario.mainLatency
        let metrics: [(Metric, String)] = [
            (Metric("\(main).p50", .milliseconds), "median"), (Metric("\(main).p99", .milliseconds), "p99"),
            (Metric("\(main).max", .milliseconds), "slowest"), (.requestsPerSecond, "published"),
            (.deliveredPerSecond, "delivered"), (.lost, "lost"), (.opened, "connections opened"),
            (.serverCPU, "server CPU"),
            (.serverMemory, "server memory"),
        ]
        let tiles = metrics.compactMap { metric, name in
            values[metric].map { "<div><b>\(Format.value($0, metric.kind))</b><span>\(name)</span></div>" }
        }
        return "<div class=\"tiles\">\(tiles.joined())</div>"
    }

    // MARK: Plots

    /// Latency over the share of what was faster, which is stretched towards 100 %.
    private var percentileCurve: Chart {
        let shares = (0...60).map { 1 - pow(10, -Double($0) / 12) } + [0.9999, 0.99999]
        let marks = [
            (0.0, "0 %"), (0.9, "90 %"), (0.99, "99 %"), (0.999, "99.9 %"), (0.9999, "99.99 %"), (0.99999, "99.999"),
        ]
        let lines = zip([plan.scenario.mainLatency, Metric.latencyFromSend, Metric.ack], ["a", "b", "c"]).compactMap {
            group, style -> Chart.Line? in
            guard let histogram = histograms[group], histogram.count > 0 else { return nil }
            // Where fewer than one value lies beyond, the curve ends.
            let known = shares.filter { (1 - $0) * Double(histogram.count) >= 0.5 }
            return Chart.Line(
                name: Report.name(group), style: style,
                points: known.map { (-log10(1 - $0), Double(histogram.value(at: $0) ?? 0) / 1000) })
        }
        return Chart(
            title: "Latency by percentile", xName: "share that was at least as fast", yName: "milliseconds",
            lines: lines,
            xMarks: marks.map { (-log10(1 - $0.0), $0.1) }.filter { mark in
                mark.0 <= (lines.flatMap(\.points).map(\.x).max() ?? 0) + 0.01
            })
    }

    private var ratesOverTime: Chart {
        Chart(
            title: "Rates over time", xName: "seconds", yName: "a second",
            lines: [
                line("delivered", "a") { $0.rate($0.delivered) }, line("published", "b") { $0.rate($0.published) },
                line("connected (number)", "c") { Double($0.connected) },
            ].filter { !$0.points.isEmpty })
    }

    private var latencyOverTime: Chart {
        Chart(
            title: "Latency over time", xName: "seconds", yName: "milliseconds",
            lines: [line("p99", "b", \.p99), line("median", "a", \.median)].filter { !$0.points.isEmpty })
    }

    /// The server's processor and memory, where its process was given.
    private var serverOverTime: String {
        var charts: [Chart] = []
        let cpu = line("processor", "a", \.serverCPU)
        if !cpu.points.isEmpty {
            charts.append(Chart(title: "Server's processor", xName: "seconds", yName: "% of a core", lines: [cpu]))
        }
        let memory = line("memory", "a") { $0.serverMemory.map { Double($0) / 1_048_576 } }
        let queue = line("queued", "b") { $0.queueBytes.map { Double($0) / 1_048_576 } }
        let lines = [memory, queue].filter { !$0.points.isEmpty }
        if !lines.isEmpty {
            charts.append(Chart(title: "Server's memory", xName: "seconds", yName: "MiB", lines: lines))
        }
        return charts.map(\.html).joined()
    }

    /// How many deliveries took how long.
    private var histogram: Chart {
        let bars = (histograms[plan.scenario.mainLatency] ?? Histogram()).bars(perDecade: 10)
        return Chart(
            title: "Histogram of \(Report.name(plan.scenario.mainLatency))", xName: "milliseconds", yName: "how many",
            xScale: .logarithmic, bars: bars.map { (Double($0.from) / 1000, Double($0.to) / 1000, Double($0.count)) })
    }

    private func line(_ name: String, _ style: String, _ value: (Row) -> Double?) -> Chart.Line {
        Chart.Line(name: name, style: style, points: rows.compactMap { row in value(row).map { (row.seconds, $0) } })
    }

    // MARK: Tables

    /// A row for each percentile and a column for each distribution, which a phone has room for.
    private var distributionTable: String {
        let heads = plan.scenario.distributions.map { "<th>\(Report.name($0))</th>" }.joined()
        let rows = Metric.percentiles.map { percentile in
            "<tr><td>\(percentile.name)</td>"
                + plan.scenario.distributions.map { group in
                    let value = values[Metric("\(group).\(percentile.name)", .milliseconds)]
                    return "<td>\(value.map(Format.short) ?? "–")</td>"
                }.joined() + "</tr>"
        }
        return
            "<h2>Milliseconds</h2><div class=\"scroll\"><table class=\"many\"><tr><th></th>\(heads)</tr>\(rows.joined())</table></div>"
    }

    private var numberTable: String {
        let rows = plan.scenario.numbers.filter { $0 != .invalid }.compactMap { metric in
            values[metric].map { "<tr><td>\(metric.name)</td><td>\(Format.value($0, metric.kind))</td></tr>" }
        }
        return "<h2>Numbers</h2><div class=\"scroll\"><table class=\"names\">\(rows.joined())</table></div>"
    }

    private var errorTable: String {
        let rows =
            errorCodes.sorted { $0.key < $1.key }.map { ("\($0.key)", $0.value) }
            + closeCodes.sorted { $0.key < $1.key }.map { ("closed by the server: \($0.key)", $0.value) }
        guard !rows.isEmpty else { return "" }
        let cells = rows.map { "<tr><td>\(Report.escaped($0.0))</td><td>\($0.1)</td></tr>" }.joined()
        return "<h2>Errors and closes</h2><div class=\"scroll\"><table>\(cells)</table></div>"
    }

    private static func name(_ group: String) -> String {
        String((group.hasSuffix("_ms") ? group.dropLast(3) : group[...]).map { $0 == "_" ? " " : $0 })
    }
}
