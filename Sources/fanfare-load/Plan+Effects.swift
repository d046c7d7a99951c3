import CommandOptions
import LoadGenerator

extension Plan {
    /// Refuses options that would change nothing beside the others.
    func checkEffects(_ words: CommandWords) throws(UsageError) {
        for name in ["ca", "insecure"] where words.isGiven(name) && !target.isSecure {
            throw UsageError("--\(name) is for TLS, and the URL begins with ws://, not wss://")
        }
        for name in ["channel", "channels"] where words.isGiven(name) && scenario == .idle && !subscribes {
            throw UsageError("--\(name) needs --subscribe: idle connections are in no channel otherwise")
        }
        if words.isGiven("reactions"), reactions.count > 1, ![.react, .soak].contains(scenario) {
            throw UsageError("--reactions: the scenario \(scenario.rawValue) uses one; react and soak use several")
        }
        try checkPairs(words)
        if words.isGiven("find-limit"), try words.choice("find-limit") as LimitSearch.Subject == .rate {
            if closed != nil { throw UsageError("--find-limit rate and --closed exclude each other: it has no rate") }
            if scenario == .idle { throw UsageError("--find-limit rate is not for idle, which publishes nothing") }
        }
        let throttles = faults.count { if case .throttled = $0 { true } else { false } }
        if throttles > 1 { throw UsageError("--fault throttle may stand once: there is one rate for all") }
    }

    /// Refuses options of which one leaves the other without effect.
    private func checkPairs(_ words: CommandWords) throws(UsageError) {
        let pairs = [
            ("ca", "insecure", "what is trusted anyway is not compared with a file"),
            ("source", "unix", "a Unix socket has no address to come from"),
            ("progress", "quiet", "one shows what the other leaves out"),
            ("progress", "find-limit", "a search shows its steps"),
            ("worker", "find-limit", "workers run once"), ("worker", "server-pid", "workers are elsewhere"),
            ("worker", "metrics", "workers have no time line"), ("worker", "csv", "workers have no time line"),
            ("worker", "progress", "workers have no time line"),
        ]
        for (one, other, reason) in pairs where words.isGiven(one) && words.isGiven(other) {
            throw UsageError("--\(one) and --\(other) exclude each other: \(reason)")
        }
    }
}
