extension Report {
    /// The report as one JSON object on one line, without a line break.
    ///
    /// Names are stable. A distribution's value that was never measured is `null`; a number that the run does not have,
    /// such as the server's without `--server-pid`, is absent.
    public var json: String {
        var members: [(name: String, value: JSON)] = [
            ("tool", .text("fanfare-load")), ("report", .number(1)), ("scenario", .text(plan.scenario.rawValue)),
            ("target", .text(plan.target.url)), ("ok", .bool(isOK)), ("valid", .bool(isValid)),
            ("interrupted", .bool(isInterrupted)), ("incomplete", .bool(!missingParts.isEmpty)),
            ("settings", settings),
        ]
        for metric in plan.scenario.numbers {
            guard let value = values[metric] else { continue }
            insert(.number(value), metric, into: &members)
        }
        for metric in plan.scenario.distributions.flatMap(Metric.distribution) {
            insert(values[metric].map(JSON.number) ?? .null, metric, into: &members)
        }
        let codes = errorCodes.sorted { $0.key < $1.key }
        members.append(("errors_by_code", .object(codes.map { ($0.key, .number(Double($0.value))) })))
        let closes = closeCodes.sorted { $0.key < $1.key }
        members.append(("close_codes", .object(closes.map { ("\($0.key)", .number(Double($0.value))) })))
        members.append(
            (
                "thresholds",
                .list(
                    plan.thresholds.map { threshold in
                        .object([
                            ("expression", .text(threshold.text)),
                            ("broke", .bool(threshold.isBroken(by: values[threshold.metric]))),
                        ])
                    })
            ))
        members.append(("failures", .list(failures.map(JSON.text))))
        members.append(("doubts", .list(doubts.map(JSON.text))))
        members.append(("notes", .list(notes.map(JSON.text))))
        members.append(("timeline", .list(rows.map(\.json))))
        return JSON.object(members).description
    }

    private var settings: JSON {
        var members: [(name: String, value: JSON)] = [("connections", .number(Double(plan.connectionCount)))]
        if plan.scenario.publishes {
            members += [
                ("subscribers", .number(Double(plan.subscribers))), ("publishers", .number(Double(plan.publishers))),
                ("profile", .text(plan.profile.text)), ("arrivals", .text(plan.arrivals.rawValue)),
                ("closed", plan.closed.map { .number(Double($0)) } ?? .null),
            ]
        } else {
            members.append(("subscribes", .bool(plan.subscribes)))
        }
        members += [
            ("channel", .text(plan.channel)), ("channels", .number(Double(plan.channels))),
            ("duration_s", .number(plan.duration / .seconds(1))), ("loops", .number(Double(plan.loops))),
            ("seed", .number(Double(plan.seed))), ("faults", .list(plan.faults.map { .text($0.summary) })),
        ]
        return .object(members)
    }

    /// Puts a value into the object that the metric's name says.
    private func insert(_ value: JSON, _ metric: Metric, into members: inout [(name: String, value: JSON)]) {
        let parts = metric.name.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
            members.append((metric.name, value))
            return
        }
        if let index = members.firstIndex(where: { $0.name == parts[0] }),
            case .object(var inner) = members[index].value
        {
            inner.append((parts[1], value))
            members[index].value = .object(inner)
        } else {
            members.append((parts[0], .object([(parts[1], value)])))
        }
    }
}
