import Transport

extension Plan {
    /// How long requests are published, or connections held.
    public var duration: Duration { profile.length }

    /// How many connections the plan opens.
    public var connectionCount: Int {
        subscribers + (scenario.publishes ? publishers : 0) + faults.reduce(0) { $0 + $1.extraConnections }
    }

    /// The name of a channel by its number, from 0.
    func channelName(_ number: Int) -> String {
        channels == 1 ? channel : "\(channel)-\(number + 1)"
    }

    /// One line that says what the plan does.
    public var summary: String {
        let spread = channels == 1 ? channel : "\(channels) channels"
        let time = "\(Format.decimal(duration / .seconds(1), places: 1)) s"
        guard scenario.publishes else {
            return
                "\(counted(subscribers, "connection"))\(subscribes ? " subscribed to \(spread)" : ""), held for \(time)"
        }
        return
            "\(counted(subscribers, "subscriber")), \(counted(publishers, "publisher")), \(spread), \(load) for \(time)"
            + (turbulence.map { "; \($0)" } ?? "")
            + faults.map { "; \($0.summary)" }.joined()
    }

    private var load: String {
        if let closed { return "\(counted(closed, "request")) always under way (closed loop)" }
        let kind = arrivals == .poisson ? "Poisson" : "constant"
        guard profile.stages.count == 1, case .stretch(let from, let to, _) = profile.stages[0], from == to else {
            return "\(profile.text) (\(kind))"
        }
        return "\(Format.short(from))/s (\(kind))"
    }

    /// What happens to the subscribers meanwhile.
    private var turbulence: String? {
        switch scenario {
        case .fanout, .react, .idle, .raw: nil
        case .churn: "\(Format.short(churnRate)) a second leave and come back"
        case .storm: storms == 1 ? "all reconnect at once" : "all reconnect at once, \(storms) times"
        case .resume: "each is away once for \(Format.short(away / .milliseconds(1))) ms and resumes"
        case .slow: "\(Format.short(slowPercent)) % stop to read"
        case .soak: "\(Format.short(churnRate)) a second leave and come back or resume"
        }
    }
}
