import Transport
import Wire

/// The screen of `fanfare top`.
struct TopBoard: Sendable {
    /// One line of a table.
    private typealias Line = (name: String, values: [String])

    private(set) var figures: TopFigures
    private let clock: WallClock
    /// Why the last question had no answer; `nil`: it had one.
    var failure: String?

    init(_ figures: TopFigures, clock: WallClock) {
        self.figures = figures
        self.clock = clock
    }

    /// Goes on with an answer.
    mutating func take(_ status: BrokerStatus) {
        figures.take(status)
        failure = nil
    }

    /// The rows: what is there, how fast it goes, where most happens, who is slow, what went wrong.
    ///
    /// - Returns: At most as many rows as there are lines.
    func rows(width: Int, height: Int) -> [Row] {
        guard width > 0, height > 0 else { return [] }
        let status = figures.status
        var rows = [stateRow(width), Row()]
        for (name, value) in facts { rows.append(row([(0, name, .faint), (13, value, .plain)], width)) }
        let tables = [
            table("busiest channels", ["changes/s", "subscriptions"], channels, width),
            table("busiest messages", ["changes/s"], messages, width),
            table("slow readers", ["waiting", "for"], slowReaders, width),
            status.problems.suffix(5).reversed().map { problem in
                let time = clock.time(ofDay: problem.at)
                let style: Row.Style = problem.level == "error" ? .bad : .plain
                return row([(0, time, .faint), (10, "\(problem.level): \(problem.line)", style)], width)
            },
        ]
        for table in tables where !table.isEmpty { rows += [Row()] + table }
        return Array(rows.prefix(height))
    }

    private func row(_ pieces: [(Int, String, Row.Style)], _ width: Int) -> Row {
        var row = Row()
        for (column, text, style) in pieces { row.put(text, at: column, before: width, style) }
        return row
    }

    private func stateRow(_ width: Int) -> Row {
        let status = figures.status
        var row = Row()
        row.put("●", at: 0, before: width, failure == nil && status.store.healthy ? .good : .bad)
        row.put("fanfare \(status.version)", at: 2, before: width, .strong)
        let state = failure ?? (status.serving ? "up \(TopBoard.length(status.time - status.startedAt))" : "stopping")
        row.put(state, at: row.end + 2, before: width, failure == nil ? .plain : .bad)
        let keys = "q quits"
        if width - keys.count >= row.end + 2 { row.put(keys, at: width - keys.count, before: width, .faint) }
        return row
    }

    private var facts: [(String, String)] {
        let (status, now) = (figures.status, figures.status.present)
        func rate(_ counter: KeyPath<BrokerStatus.Counters, UInt64>) -> String { decimal(figures.rate(counter)) }
        let times = TopFigures.times.map { name, times in
            let values = [0.5, 0.99].map { share in
                figures.quantile(share, of: times).map { decimal($0 / 1000) + " ms" } ?? "–"
            }
            return "\(name) \(values.joined(separator: " / "))"
        }
        let nats = status.nats.map { $0.connected ? " · NATS connected" : " · NATS lost" } ?? ""
        return [
            (
                "connections",
                "\(now.connections) of \(now.connectionsLimit) · \(counted(now.subscriptions, "subscription")) · \(counted(now.channels, "channel"))"
            ),
            (
                "a second",
                "\(rate(\.changes)) changes · \(rate(\.deliveries)) deliveries · \(rate(\.requests)) requests · \(rate(\.refusals)) refused"
            ),
            ("p50 / p99", times.joined(separator: " · ")),
            (
                "bytes",
                "\(TopBoard.bytes(figures.rate(\.bytesSent)))/s sent · \(TopBoard.bytes(figures.rate(\.bytesReceived)))/s received"
            ),
            (
                "waiting",
                "\(counted(now.waitingRequests, "request")) · \(counted(status.store.waitingRecords, "record")) · \(TopBoard.bytes(Double(now.outboundBytes))) to be sent · \(now.blockedConnections) blocked · \(rate(\.lagged)) lagged a second"
            ),
            ("store", store + nats),
            (
                "process",
                "\(memory) · cpu \(decimal(figures.processorShare * 100)) % · loops busy \(decimal(figures.busyShare * 100)) % · \(now.descriptors) of \(now.descriptorsLimit) descriptors"
            ),
        ]
    }

    /// What keeps the channels, and how it is: `sqlite takes changes`.
    private var store: String {
        let store = figures.status.store
        if store.healthy { return store.kind + " takes changes" }
        return store.fault.map { "\(store.kind): \($0)" } ?? store.kind + " REFUSES changes"
    }

    /// The process's memory, and how much of what bounds it is used: `30.1 MiB, 6.0 % of 512.0 MiB (memory_bytes)`.
    private var memory: String {
        let now = figures.status.present
        let own = TopBoard.bytes(Double(now.memoryBytes))
        guard now.memoryLimitBytes > 0 else { return own }
        let limit = TopBoard.bytes(Double(now.memoryLimitBytes))
        let bound = now.memoryLimitBy.map { " (\($0))" } ?? ""
        return "\(own), \(decimal(now.memoryUsedRatio * 100)) % of \(limit)\(bound)"
    }

    private var channels: [Line] {
        let busiest = figures.status.busiest
        return busiest.channels.map { ($0.channel, [perSecond($0.changes), String($0.subscriptions)]) }
    }

    private var messages: [Line] {
        figures.status.busiest.messages.map { message in
            let name = message.message.isEmpty ? "(the channel)" : message.message
            return ("\(message.channel)  \(name)", [perSecond(message.changes)])
        }
    }

    private var slowReaders: [Line] {
        figures.status.slowReaders.map { reader in
            let name = [reader.connection, reader.user, reader.address].compactMap(\.self).joined(separator: "  ")
            return (name, [TopBoard.bytes(Double(reader.waitingBytes)), TopBoard.length(reader.stalledMs)])
        }
    }

    private func perSecond(_ changes: UInt64) -> String {
        decimal(Double(changes) * 1000 / Double(max(1, figures.status.busiest.windowMs)))
    }

    /// A title with the names of its columns, and its lines; nothing where there is none.
    private func table(
        _ title: String, _ columns: [String], _ lines: [Line], _ width: Int
    ) -> [Row] {
        guard !lines.isEmpty else { return [] }
        let cell = 15
        let first = max(10, min(60, width - cell * columns.count))
        func line(_ name: String, _ values: [String], _ style: Row.Style) -> Row {
            var row = Row()
            row.put(name, at: 0, before: first - 1, style)
            for (index, value) in values.enumerated() {
                let end = first + (index + 1) * cell
                row.put(value, at: max(0, end - cellWidth(value)), before: width, style)
            }
            return row
        }
        return [line(title, columns, .faint)] + lines.map { line($0.name, $0.values, .plain) }
    }
}

extension TopBoard {
    /// A number of bytes as a person reads it: `1.2 MiB`.
    static func bytes(_ bytes: Double) -> String {
        var (number, unit) = (bytes, "B")
        for larger in ["KiB", "MiB", "GiB"] where number >= 1024 { (number, unit) = (number / 1024, larger) }
        return unit == "B" ? "\(Int(number.rounded())) B" : "\(decimal(number)) \(unit)"
    }

    /// A length of time in milliseconds as a person reads it: `3h 12m`.
    static func length(_ milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds) / 1000
        switch seconds {
        case ..<60: return "\(seconds)s"
        case ..<3_600: return "\(seconds / 60)m \(seconds % 60)s"
        case ..<86_400: return "\(seconds / 3_600)h \(seconds % 3_600 / 60)m"
        default: return "\(seconds / 86_400)d \(seconds % 86_400 / 3_600)h"
        }
    }
}
