import Wire

extension HubMetrics {
    /// All of it in Prometheus' text format, version 0.0.4.
    var text: String {
        var text = MetricsText()
        text.counters(
            "fanfare_reactions_total", "Requests that may change a channel, by result.", label: "result",
            ReactionResult.allCases.map { ("\($0)", results[$0]) })
        text.counters(
            "fanfare_requests_total", "Requests, by type.", label: "type",
            RequestKind.allCases.map { ("\($0)", requests[$0]) })
        text.counters(
            "fanfare_errors_total", "Requests refused by hubs and channels, by code.", label: "code",
            ErrorCode.allCases.map { ($0.rawValue, errors[$0] ?? 0) })
        text.single("counter", "fanfare_events_total", "Changes of channels.", events)
        text.single(
            "counter", "fanfare_deliveries_total", "Events, summaries and bursts, counted for each recipient.",
            deliveries)
        text.single(
            "counter", "fanfare_lagged_total", "Slow readers that got fresh state in place of events.", lagged)
        text.single(
            "counter", "fanfare_bytes_sent_total", "Bytes written to sockets, before encryption.", bytesSent)
        text.single("gauge", "fanfare_connections", "WebSocket connections and event streams.", connections)
        text.single("gauge", "fanfare_subscriptions", "Subscriptions of these.", subscriptions)
        text.single("gauge", "fanfare_channels", "Channels in memory.", channels)
        text.counters(
            "fanfare_closed_total", "Connections that ended, by close code.", label: "code",
            HubMetrics.closeCodes.map { (String($0), closed[$0] ?? 0) } + [("other", closed[0] ?? 0)])
        text.histogram("fanfare_commit_seconds", "How long a group took to become durable.", commitSeconds)
        text.histogram("fanfare_commit_records", "Records in a group.", commitRecords)
        writeOutbound(to: &text)
        return text.lines
    }
}

/// Writes metrics line by line.
struct MetricsText {
    private(set) var lines = ""

    private mutating func begin(_ type: String, _ name: String, _ help: String) {
        lines += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    mutating func single(_ type: String, _ name: String, _ help: String, _ value: UInt64) {
        begin(type, name, help)
        lines += "\(name) \(value)\n"
    }

    /// Values with labels of their own, `name="value"` and so on.
    mutating func family(_ type: String, _ name: String, _ help: String, _ values: [(labels: String, UInt64)]) {
        begin(type, name, help)
        for (labels, value) in values { lines += "\(name){\(labels)} \(value)\n" }
    }

    mutating func counters(_ name: String, _ help: String, label: String, _ values: [(String, UInt64)]) {
        begin("counter", name, help)
        for (word, value) in values { lines += "\(name){\(label)=\"\(word)\"} \(value)\n" }
    }

    mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
        begin("histogram", name, help)
        var sum: UInt64 = 0
        for (index, count) in histogram.counts.enumerated() {
            sum += count
            let bound = index < histogram.bounds.count ? "\(histogram.bounds[index])" : "+Inf"
            lines += "\(name)_bucket{le=\"\(bound)\"} \(sum)\n"
        }
        lines += "\(name)_sum \(histogram.sum)\n\(name)_count \(sum)\n"
    }
}
