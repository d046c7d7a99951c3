import CommandOptions
import LoadGenerator

extension Plan {
    /// The plan that the words of the command mean.
    init(_ words: CommandWords) throws(UsageError) {
        let target: Target
        do {
            target = try Target(words.text("URL"))
        } catch let problem as Target.Problem {
            throw UsageError(problem.message)
        } catch let problem as UsageError {
            throw problem
        } catch {
            throw UsageError("\(error)")
        }
        let scenario: Plan.Scenario = words.isGiven("SCENARIO") ? try words.choice("SCENARIO") : .fanout
        self.init(scenario, target: target)
        try take(load: words)
        try take(raw: words)
        try take(connections: words)
        for text in words.texts("fail-if") {
            do {
                thresholds.append(try Threshold(text, scenario: scenario))
            } catch {
                throw UsageError("--fail-if: \(error.message)")
            }
        }
        try checkEffects(words)
    }

    /// Options that mean something in some scenarios only.
    private static let scenarios: [String: [Plan.Scenario]] = [
        "connections": [.idle], "subscribe": [.idle], "messages": [.react, .soak], "zipf": [.react, .soak],
        "mix": [.react, .soak], "churn-rate": [.churn, .soak], "storms": [.storm],
        "away": [.churn, .resume, .soak], "slow-percent": [.slow],
        "subscribers": publishing, "publishers": publishing, "rate": publishing, "schedule": publishing,
        "profile": publishing, "closed": publishing, "drain": publishing,
        "reactions": publishing.filter { $0 != .raw }, "user": Plan.Scenario.allCases.filter { $0 != .raw },
        "mode": [.fanout, .react], "fault": publishing, "raw-publish": [.raw], "raw-subscribe": [.raw],
        "raw-protocol": [.raw], "raw-open": [.raw], "raw-binary": [.raw],
    ]
    private static let publishing = Plan.Scenario.allCases.filter { $0 != .idle }

    private mutating func take(load words: CommandWords) throws(UsageError) {
        for (name, scenarios) in Plan.scenarios where words.isGiven(name) && !scenarios.contains(scenario) {
            throw UsageError("--\(name) is no option of the scenario \(scenario.rawValue)")
        }
        subscribers = try words.whole(scenario == .idle ? "connections" : "subscribers", in: Plan.connections)
        publishers =
            scenario == .raw && !words.isGiven("publishers") ? 1 : try words.whole("publishers", in: Plan.connections)
        subscribes = words.flag("subscribe")
        try take(rates: words)
        drain = try words.duration("drain", in: .zero ... .seconds(60))
        channel = try words.printable("channel", in: 1...190)
        mode = try words.choice("mode")
        channels = try words.whole("channels", in: 1...10_000)
        messages = try words.whole("messages", in: 1...100_000)
        zipf = try words.decimal("zipf", in: 0...5)
        churnRate = try words.decimal("churn-rate", in: 0.01...10_000)
        storms = try words.whole("storms", in: 1...1000)
        away = try words.duration("away", in: .milliseconds(1) ... .seconds(3600))
        slowPercent = try words.decimal("slow-percent", in: 0.01...100)
        if words.isGiven("reactions") { reactions = try words.reactions("reactions") }
        if let text = words.textIfAny("mix") { mix = try Mix(words: text) }
        seed = UInt64(
            words.isGiven("seed")
                ? try words.whole("seed", in: 0...9_007_199_254_740_991) : Int(UInt32.random(in: .min ... .max)))
        for text in words.texts("fault") {
            do {
                faults.append(try Fault(text, duration: parseDuration))
            } catch {
                throw UsageError("--fault: \(error.message)")
            }
        }
    }

    private mutating func take(raw words: CommandWords) throws(UsageError) {
        guard let publish = words.textIfAny("raw-publish") else { return }
        do {
            raw = try RawMessages(
                open: words.texts("raw-open"), subscribe: words.texts("raw-subscribe"), publish: publish,
                subprotocol: words.textIfAny("raw-protocol"), isBinary: words.flag("raw-binary"))
        } catch {
            throw UsageError(error.message)
        }
    }

    private mutating func take(rates words: CommandWords) throws(UsageError) {
        arrivals = try words.choice("schedule")
        if words.isGiven("closed") { closed = try words.whole("closed", in: 1...100_000) }
        for name in ["rate", "profile", "schedule"] where closed != nil && words.isGiven(name) {
            throw UsageError("--closed and --\(name) exclude each other: a closed loop has no rate of its own")
        }
        guard let text = words.textIfAny("profile") else {
            profile = Profile(
                rate: try words.decimal("rate", in: Plan.rates), for: try words.duration("for", in: Plan.durations))
            return
        }
        for name in ["rate", "for"] where words.isGiven(name) {
            throw UsageError("--profile and --\(name) exclude each other: the profile says it")
        }
        do {
            profile = try Profile(text, duration: parseDuration)
        } catch {
            throw UsageError("--profile: \(error.message)")
        }
    }

    private mutating func take(connections words: CommandWords) throws(UsageError) {
        let prefix = try words.printable("user", in: 1...100)
        if let token = words.textIfAny("token") {
            guard !words.isGiven("user") else { throw UsageError("--user and --token exclude each other") }
            identity = .token(token)
        } else {
            identity = .users(prefix: prefix)
        }
        unixPath = words.textIfAny("unix")
        compression = words.flag("compression")
        isInsecure = words.flag("insecure")
        authorities = words.textIfAny("ca")
        allowsRemote = words.flag("allow-remote")
        connectingAtOnce = try words.whole("connecting", in: 1...4096)
        connectTimeout = try words.duration("connect-timeout", in: .milliseconds(100) ... .seconds(120))
        loops = try words.whole("loops", in: 1...64)
        sources = words.texts("source")
        if let url = words.textIfAny("metrics") {
            do {
                metrics = try MetricsAddress(url)
            } catch {
                throw UsageError("--metrics: \(error.message)")
            }
        }
        if words.isGiven("server-pid") { serverProcess = try words.whole("server-pid", in: 1...4_194_304) }
    }
}

extension Plan.Mix {
    /// Reads `ADD:REMOVE:TOGGLE`.
    fileprivate init(words text: String) throws(UsageError) {
        let weights = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard weights.count == 3, let add = weights[0], let remove = weights[1], let toggle = weights[2],
            [add, remove, toggle].allSatisfy({ (0...1000).contains($0) })
        else {
            throw UsageError("--mix is three weights up to 1000, ADD:REMOVE:TOGGLE as in 50:20:30, not \"\(text)\"")
        }
        self.init(add: add, remove: remove, toggle: toggle)
    }
}

extension CommandWords {
    /// Up to ten reactions with commas between them.
    fileprivate func reactions(_ name: String) throws(UsageError) -> [String] {
        let all = try text(name).split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard (1...10).contains(all.count), !all.contains(""), Set(all).count == all.count else {
            throw UsageError("--\(name) is one to ten different reactions, as in 👍,❤️,🎉")
        }
        return all
    }

    /// A name of the wire contract: bytes from 0x21 to 0x7E.
    fileprivate func printable(_ name: String, in lengths: ClosedRange<Int>) throws(UsageError) -> String {
        let text = try text(name)
        guard lengths.contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw UsageError(
                "--\(name) is \(lengths.lowerBound) to \(lengths.upperBound) ASCII characters without spaces, "
                    + "not \"\(text)\"")
        }
        return text
    }
}
