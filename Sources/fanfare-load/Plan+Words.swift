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
        try take(connections: words)
        for text in words.texts("fail-if") {
            do {
                thresholds.append(try Threshold(text, scenario: scenario))
            } catch {
                throw UsageError("--fail-if: \(error.message)")
            }
        }
    }

    private mutating func take(load words: CommandWords) throws(UsageError) {
        let foreign: [Plan.Scenario: [String]] = [
            .fanout: ["connections", "subscribe"], .idle: ["subscribers", "publishers", "rate", "poisson", "drain"],
        ]
        for name in foreign[scenario] ?? [] where words.isGiven(name) {
            throw UsageError("--\(name) is no option of the scenario \(scenario.rawValue)")
        }
        subscribers = try words.whole(scenario == .idle ? "connections" : "subscribers", in: Plan.connections)
        publishers = try words.whole("publishers", in: Plan.connections)
        subscribes = words.flag("subscribe")
        rate = try words.decimal("rate", in: Plan.rates)
        isPoisson = words.flag("poisson")
        duration = try words.duration("for", in: Plan.durations)
        drain = try words.duration("drain", in: .zero ... .seconds(60))
        channel = try words.printable("channel", in: 1...190)
        channels = try words.whole("channels", in: 1...10_000)
        reaction = try words.text("reaction")
        seed = UInt64(
            words.isGiven("seed")
                ? try words.whole("seed", in: 0...9_007_199_254_740_991) : Int(UInt32.random(in: .min ... .max)))
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
        if words.isGiven("server-pid") { serverProcess = try words.whole("server-pid", in: 1...4_194_304) }
    }
}

extension CommandWords {
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
