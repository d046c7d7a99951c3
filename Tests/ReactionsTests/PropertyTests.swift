import Reactions
import TestSupport
import Testing

/// Long runs of random operations, compared with ``PlainLedger`` answer by answer.
@Suite struct PropertyTests {
    @Test(arguments: Policy.allCases)
    func `Any operations give what the plain model gives`(_ policy: Policy) throws {
        let seed = SeededGenerator().seed
        for variant in 0..<4 as Range<UInt64> {
            var run = Run(policy, seed: seed &+ variant)
            for step in 0..<2_500 {
                let agrees = run.takesStep()
                try #require(agrees, "FANFARE_SEED=\(seed), policy \(policy), variant \(variant), step \(step)")
            }
        }
    }

    @Test func `Replaying the changes gives the summary`() throws {
        let seed = SeededGenerator().seed
        for policy in Policy.allCases {
            var run = Run(policy, seed: seed)
            var counts: [String: [Reaction: UInt64]] = [:]
            var expected: UInt64 = 0
            for _ in 0..<2_000 {
                guard let outcome = run.applyNext() else { continue }
                for change in outcome.changes {
                    expected += 1
                    #expect(change.seq == expected, "seq has no holes")
                    for group in change.groups { counts[change.message, default: [:]][group.reaction] = group.count }
                    #expect(change.total == counts[change.message, default: [:]].values.reduce(0, +))
                }
            }
            #expect(run.ledger.seq == expected)
            for (message, groups) in counts {
                let summary = run.ledger.summary(of: message, for: nil)
                let now = Dictionary(
                    uniqueKeysWithValues: (summary?.groups ?? []).map { ($0.reaction, $0.count) })
                #expect(now == groups.filter { $0.value > 0 }, "FANFARE_SEED=\(seed), \(policy)")
                #expect(summary?.groups.allSatisfy { $0.count > 0 && $0.users > 0 } ?? true)
                #expect(summary?.total ?? 0 == groups.values.reduce(0, +))
            }
        }
    }
}

extension Change {
    /// All groups whose numbers a change tells.
    fileprivate var groups: [GroupCount] {
        switch kind {
        case .added(let group, _, _), .removed(let group, _), .updated(let group, _): [group]
        case .replaced(let group, let previous, _): [group, previous]
        case .cleared(let groups, _, _, _, _, _): groups
        }
    }
}

/// One random run: the ledger, the model, a store's view of it, and sometimes a ledger made anew from that.
private struct Run {
    static let forms = [
        "👍": "👍", "👍\u{FE0F}": "👍", "❤": "❤\u{FE0F}", "❤\u{FE0F}": "❤\u{FE0F}", "🎉": "🎉", "😂": "😂", "party": "party",
        "👍🏽": "👍🏽", "x-1": "x-1", "🇨🇿": "🇨🇿",
    ]
    var ledger = Ledger()
    var twin: Ledger?
    var plain: PlainLedger
    var records: [Place: Record] = [:]
    var rules: Rules
    var random: SeededGenerator
    var now: Int64 = 1_764_470_400_000
    var era = 0

    init(_ policy: Policy, seed: UInt64) {
        random = SeededGenerator(seed: seed)
        var forms = Self.forms
        rules = Rules(policy: policy, kind: .any, maxKindsPerMessage: 4, maxPerUserAndMessage: 3)
        if random.chance(1, of: 2) {
            rules.allowed = ["👍", "❤\u{FE0F}", "🎉", "😂", "party", "🇨🇿"].map { Reaction(canonical: $0) }
        }
        if random.chance(1, of: 2) {
            rules.foldSkinTones = true
            forms["👍🏽"] = "👍"
        }
        plain = PlainLedger(forms: forms)
    }

    /// One operation on all of them; whether they agree in everything afterwards.
    mutating func takesStep() -> Bool {
        let (operation, time) = next()
        let foreseen = foresee(operation, at: time)
        let outcome = Result { () throws(Refusal) in try ledger.apply(operation, rules: rules, at: time) }
        let expected = Result { () throws(Refusal) in try plain.apply(operation, rules: rules, at: time) }
        if twin != nil {
            let logged = operation.forLog(by: rules)
            let again = Result { () throws(Refusal) in try twin?.apply(logged, rules: rules, at: time) }
            guard same(outcome.map { Optional($0) }, again) else { return false }
        }
        if let foreseen, !same(foreseen, outcome.map { Optional($0) }) { return false }
        switch (outcome, expected) {
        case (.success(let outcome), .success(let (answer, isDuplicate))):
            for record in outcome.records { keep(record) }
            guard outcome.answer == answer, outcome.isDuplicate == isDuplicate else { return false }
            guard outcome.changes == (isDuplicate ? [] : plain.changes) else { return false }
        case (.failure(let refusal), .failure(let other)):
            guard refusal.isSameKind(as: other) else { return false }
        default: return false
        }
        if random.chance(1, of: 50) { restart() }
        return !random.chance(1, of: 3) || agrees()
    }

    /// What can be said of an operation ahead of its time; `nil`: nothing.
    private func foresee(_ operation: Operation, at time: Int64) -> Result<Outcome?, Refusal>? {
        do throws(Refusal) {
            if let plan = try ledger.recall(operation, rules: rules, at: time) {
                var ledger = ledger
                return .success(ledger.commit(plan))
            }
            try rules.checkReactions(of: operation)
            return nil
        } catch {
            return .failure(error)
        }
    }

    /// Keeps a record as a store does.
    private mutating func keep(_ record: Record) {
        guard case .swept(let message, let reaction, let seq) = record else {
            records[Place(record)] = record
            return
        }
        records = records.filter { _, kept in
            guard case .entry(message, _, reaction, .some(let entry)) = kept else { return true }
            return entry.given > seq
        }
    }

    /// One operation on the ledger alone.
    mutating func applyNext() -> Outcome? {
        let (operation, time) = next()
        return try? ledger.apply(operation, rules: rules, at: time)
    }

    private mutating func restart() {
        let image = ChannelImage(seq: ledger.seq, records: records.values.shuffled(using: &random))
        twin = Ledger(random.chance(1, of: 2) ? image : ledger.image)
        ledger.forgetKeys(before: now - 600_000)
    }

    private func same<Value: Equatable>(_ one: Result<Value, Refusal>, _ other: Result<Value, Refusal>) -> Bool {
        switch (one, other) {
        case (.success(let one), .success(let other)): one == other
        case (.failure(let one), .failure(let other)): one == other
        default: false
        }
    }
}

// MARK: Comparing all reads

extension Run {
    private mutating func agrees() -> Bool {
        for ledger in [ledger, twin].compactMap({ $0 }) {
            guard ledger.seq == plain.seq, ledger.isFrozen == plain.isFrozen else { return false }
            let user = random.pick(Self.users)
            let message = random.pick(messages)
            guard ledger.summary(of: message, for: user) == plain.summary(message, for: user),
                ledger.own(of: user, on: message) == plain.own(user, message),
                ledger.total(of: message) == plain.total(message),
                ledger.isDeleted(message) == plain.deleted.contains(message),
                ledger.summaries(of: messages + messages, for: nil)
                    == messages.compactMap({ plain.summary($0, for: nil) })
            else { return false }
            let limit = Int(random.below(4)) + 1
            guard list(ledger, limit, for: user) == plain.newest(for: user) else { return false }
            let reaction = random.chance(1, of: 2) ? nil : random.pick(Self.canonical)
            let rows = plain.reactors(message, reaction)
            guard ledger.reactorCount(on: message, with: reaction.map { Reaction(canonical: $0) }) == rows.count,
                reactors(ledger, message, reaction, limit) == rows.map(\.reactor)
            else { return false }
            let numbers = ledger.groups(Set(Self.canonical.map { Reaction(canonical: $0) }), on: message)
            guard Set(numbers) == Set(Self.canonical.map { plain.numbers(message, $0) }),
                numbers.drop(while: { $0.users == 0 }).map(\.reaction)
                    == plain.summary(message, for: nil)?.groups.map(\.reaction) ?? []
            else { return false }
        }
        return true
    }

    private func list(_ ledger: Ledger, _ limit: Int, for user: String?) -> [Summary] {
        var all: [Summary] = []
        var cursor: UInt64?
        repeat {
            let page = ledger.newest(limit, before: cursor, for: user)
            all += page.elements
            cursor = page.next
        } while cursor != nil
        return all
    }

    private func reactors(_ ledger: Ledger, _ message: String, _ reaction: String?, _ limit: Int) -> [Reactor] {
        var all: [Reactor] = []
        var cursor: UInt64?
        repeat {
            let reaction = reaction.map { Reaction(canonical: $0) }
            let page = ledger.reactors(on: message, with: reaction, limit: limit, before: cursor)
            all += page.elements
            cursor = page.next
        } while cursor != nil
        return all
    }
}

extension PlainLedger.Row {
    fileprivate var reactor: Reactor {
        Reactor(user: user, reaction: Reaction(canonical: reaction), count: count, at: at, data: data)
    }
}

// MARK: Making operations

extension Run {
    static let users = [
        "ada", "bob", "cy", "dan", "eve", "fay", "someone-with-a-name-that-is-longer-than-is-kept-in-place",
    ]
    static let canonical = Array(Set(forms.values)).sorted()
    static let raw = forms.keys.sorted() + ["nonsense!", "👍👍", ""]

    /// Deleted messages stay deleted, so from time to time there are new ones.
    var messages: [String] { [""] + (0..<4).map { "m\(era).\($0)" } }

    mutating func next() -> (Operation, Int64) {
        if random.chance(1, of: 300) { era += 1 }
        now += random.chance(1, of: 40) ? Int64(random.below(700_000)) : Int64(random.below(50))
        let moderates = random.chance(1, of: 12)
        var operation = Operation(
            moderates ? moderation() : reaction(), message: random.pick(messages), user: random.pick(Self.users))
        if case .clear(_, let user) = operation.action, user != nil, random.chance(1, of: 2) { operation.message = "*" }
        if case .clear = operation.action, random.chance(1, of: 20) { operation.message = "*" }
        if case .freeze = operation.action { return (operation, now) }
        if random.chance(1, of: 4) { operation.key = "key-\(random.below(12))" }
        if random.chance(1, of: 12) { operation.tokenAllowed = ["👍", "❤", "party"] }
        return (operation, now)
    }

    private mutating func reaction() -> Operation.Action {
        let reaction = random.pick(Self.raw)
        switch random.below(10) {
        case 0..<4: return .add(reaction: reaction, count: count(), data: data())
        case 4..<6: return .remove(reaction: reaction, count: count())
        case 6..<8: return .toggle(reaction: reaction, count: random.chance(1, of: 30) ? 2 : nil, data: data())
        default:
            let count = rules.policy == .unique ? random.below(3) : random.below(5)
            return .set(reactions: (0..<count).map { _ in random.pick(Self.raw) })
        }
    }

    private mutating func moderation() -> Operation.Action {
        switch random.below(10) {
        case 0..<7:
            return .clear(
                reaction: random.chance(1, of: 2) ? random.pick(Self.raw) : nil,
                user: random.chance(2, of: 3) ? random.pick(Self.users) : nil)
        case 7: return random.chance(1, of: 3) ? .delete : .freeze(false)
        default: return .freeze(random.chance(1, of: 3))
        }
    }

    private mutating func count() -> Int? {
        let isCounted = rules.policy == .multiple
        guard random.chance(isCounted ? 20 : 1, of: 40) else { return nil }
        return random.chance(1, of: 20) ? random.pick([0, -1, 1_001, .max, .min]) : Int(random.below(6)) + 1
    }

    private mutating func data() -> ReactionData? {
        guard random.chance(1, of: 3) else { return nil }
        let number = random.below(3)
        return random.chance(1, of: 2)
            ? ReactionData(text: "{\"n\":\(number)}", canonical: "{\"n\":\(number)}")
            : ReactionData(text: "{ \"n\": \(number) }", canonical: "{\"n\":\(number)}")
    }
}

extension Refusal {
    /// Whether it is the same but for the words.
    fileprivate func isSameKind(as other: Refusal) -> Bool {
        switch (self, other) {
        case (.badRequest, .badRequest), (.tooManyReactions, .tooManyReactions): true
        default: self == other
        }
    }
}
