import Reactions
import Storage

// The namespaces of a settings file.
extension SettingsFile {
    private static let namespaceNames = [
        "policy", "reactions", "max_kinds_per_message", "max_per_user_and_message", "anonymous", "summary_interval_ms",
        "history", "durability", "expire_days", "rate", "webhook", "hooks",
    ]

    mutating func readNamespaces(
        _ entry: SettingsObject.Entry, defaults: Namespace
    ) throws(SettingsError) -> [String: Namespace] {
        var namespaces: [String: Namespace] = [:]
        for (name, entry) in try entry.object(nil, lines: &lines).entries {
            guard (1...200).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
                !name.contains(":"), name == "*" || !name.contains("*")
            else {
                throw SettingsError(
                    line: entry.line,
                    "the namespace \"\(SettingsError.brief(name))\" must be 1 to 200 visible ASCII characters without ':' and '*', or \"*\" alone for all others"
                )
            }
            namespaces[name] = try readNamespace(entry, defaults: defaults)
        }
        return namespaces
    }

    private mutating func readNamespace(
        _ entry: SettingsObject.Entry, defaults: Namespace
    ) throws(SettingsError) -> Namespace {
        let object = try entry.object(SettingsFile.namespaceNames, lines: &lines)
        var namespace = defaults
        if let entry = object["policy"] { namespace.rules.policy = try entry.choice(of: Policy.self) }
        if let entry = object["reactions"] { try readReactions(entry, into: &namespace.rules) }
        if let entry = object["max_kinds_per_message"] {
            namespace.rules.maxKindsPerMessage = try entry.whole(in: 1...10_000)
        }
        if let entry = object["max_per_user_and_message"] {
            namespace.rules.maxPerUserAndMessage = try entry.whole(in: 1...10_000)
        }
        if let entry = object["anonymous"] { namespace.isAnonymous = try entry.flag() }
        if let entry = object["summary_interval_ms"] {
            namespace.summaryIntervalMilliseconds = try entry.whole(in: 1...60_000)
        }
        if let entry = object["history"] {
            let history = try entry.object(["events", "seconds"], lines: &lines)
            if let entry = history["events"] { namespace.historyEvents = try entry.whole(in: 0...1_000_000) }
            if let entry = history["seconds"] { namespace.historySeconds = try entry.whole(in: 0...86_400) }
        }
        if let entry = object["durability"] { namespace.durability = try entry.choice(of: Durability.self) }
        if let entry = object["expire_days"], !entry.isNull { namespace.expiryDays = try entry.whole(in: 1...36_500) }
        if let entry = object["rate"] { try readRates(entry, into: &namespace) }
        namespace.outbound = try readOutbound(object)
        return namespace
    }

    private mutating func readReactions(
        _ entry: SettingsObject.Entry, into rules: inout Rules
    ) throws(SettingsError) {
        let object = try entry.object(["kind", "allowed", "fold_skin_tones"], lines: &lines)
        if let entry = object["kind"] { rules.kind = try entry.choice(of: ReactionKind.self) }
        if let entry = object["fold_skin_tones"] { rules.foldSkinTones = try entry.flag() }
        guard let entry = object["allowed"], !entry.isNull else { return }
        var allowed: [Reaction] = []
        var known: Set<Reaction> = []
        for element in try entry.list() {
            let text = try element.text()
            do throws(Refusal) {
                let reaction = try rules.reaction(from: text)
                if known.insert(reaction).inserted { allowed.append(reaction) }
            } catch {
                throw element.error(
                    "\"\(SettingsError.brief(text))\" is no reaction of the kind \(rules.kind.rawValue)"
                        + SettingsFile.hint(on: text, rules))
            }
        }
        rules.allowed = allowed
    }

    /// What would take a text that is no reaction of its namespace's kind.
    private static func hint(on text: String, _ rules: Rules) -> String {
        var rules = rules
        rules.kind = .any
        guard (try? rules.reaction(from: text)) != nil else { return "" }
        return "; the kind any takes emoji and names"
    }

    private mutating func readRates(
        _ entry: SettingsObject.Entry, into namespace: inout Namespace
    ) throws(SettingsError) {
        guard !entry.isNull else {
            namespace.rates = Rates()
            return
        }
        let object = try entry.object(["user", "connection", "address", "channel"], lines: &lines)
        if let entry = object["user"] { namespace.rates.user = try readRate(entry, usual: .usualForUser) }
        if let entry = object["connection"] {
            namespace.rates.connection = try readRate(entry, usual: .usualForConnection)
        }
        if let entry = object["address"] { namespace.rates.address = try readRate(entry, usual: .usualForAddress) }
        if let entry = object["channel"] { namespace.rates.channel = try readRate(entry, usual: .usualForChannel) }
    }

    private mutating func readRate(_ entry: SettingsObject.Entry, usual: Rate) throws(SettingsError) -> Rate? {
        guard !entry.isNull else { return nil }
        let object = try entry.object(["per_second", "burst"], lines: &lines)
        var rate = usual
        if let entry = object["per_second"] {
            rate.perSecond = try entry.decimal(in: Rate.perSecondRange, "0.001 to 1000000")
        }
        if let entry = object["burst"] { rate.burst = try entry.whole(in: Rate.burstRange) }
        return rate
    }
}
