extension Histogram {
    /// The counters that are not 0, each with its index, and the largest value.
    var json: JSON {
        .object([
            ("max", .number(Double(max))),
            ("counts", .list(filled.flatMap { [.number(Double($0.index)), .number(Double($0.count))] })),
        ])
    }

    /// Reads what ``json`` has written; `nil` where it is something else.
    init?(_ json: JSON) {
        guard let max = json["max"]?.number, case .list(let numbers) = json["counts"], numbers.count % 2 == 0 else {
            return nil
        }
        self.init()
        for place in stride(from: 0, to: numbers.count, by: 2) {
            guard let index = numbers[place].number.flatMap({ Int(exactly: $0) }),
                let count = numbers[place + 1].number.flatMap({ UInt64(exactly: $0) }), add(count, at: index)
            else { return nil }
        }
        guard let max = UInt64(exactly: max) else { return nil }
        raise(max: max)
    }
}

extension Report {
    /// All that another process needs to add this report to its own.
    var transfer: JSON {
        .object([
            ("values", .object(values.map { ($0.key.name, .number($0.value)) })),
            ("histograms", .object(histograms.map { ($0.key, $0.value.json) })),
            ("errors", .object(errorCodes.map { ($0.key, .number(Double($0.value))) })),
            ("closes", .object(closeCodes.map { ("\($0.key)", .number(Double($0.value))) })),
            ("doubts", .list(doubts.map(JSON.text))), ("interrupted", .bool(isInterrupted)),
            ("notes", .list(notes.map(JSON.text))),
        ])
    }

    /// Adds what another process has sent: counts and rates add up, shares are the largest, distributions merge.
    ///
    /// - Parameters:
    ///   - transfer: What ``transfer`` gave there.
    ///   - name: Which process that is, for doubts.
    /// - Returns: Whether it could be read.
    mutating func add(_ transfer: JSON, from name: String) -> Bool {
        guard case .object(let numbers) = transfer["values"], case .object(let distributions) = transfer["histograms"],
            case .object(let errors) = transfer["errors"], case .object(let closes) = transfer["closes"],
            case .list(let doubts) = transfer["doubts"]
        else { return false }
        let known = Dictionary(plan.scenario.numbers.map { ($0.name, $0) }) { first, _ in first }
        for (name, value) in numbers {
            guard let metric = known[name], let value = value.number else { continue }
            self[metric] = metric.isShared ? max(self[metric] ?? value, value) : (self[metric] ?? 0) + value
        }
        for (group, json) in distributions {
            guard let histogram = Histogram(json) else { return false }
            var merged = histograms[group] ?? Histogram()
            merged.merge(histogram)
            set(group, merged)
        }
        for (code, count) in errors { errorCodes[code, default: 0] &+= count.count }
        for (code, count) in closes {
            if let code = UInt16(code) { closeCodes[code, default: 0] &+= count.count }
        }
        foreignDoubts = (foreignDoubts ?? []) + doubts.compactMap(\.text).map { "\(name): \($0)" }
        if transfer["interrupted"] == .bool(true) { isInterrupted = true }
        if case .list(let said) = transfer["notes"] { notes += said.compactMap(\.text).map { "\(name): \($0)" } }
        return true
    }
}

extension JSON {
    /// The whole number that it is; 0 where it is none.
    fileprivate var count: UInt64 { number.flatMap { UInt64(exactly: $0) } ?? 0 }
}

extension Metric {
    /// Whether several processes see the same thing, or the largest is what counts, so that it does not add up.
    fileprivate var isShared: Bool {
        kind == .percent || name.hasPrefix("server.") || [Metric.invalid, .loopDelay].contains(self)
    }
}
