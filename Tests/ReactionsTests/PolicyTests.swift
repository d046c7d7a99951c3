import Reactions
import Testing

/// The table of PROTOCOL.md section 6, row by row.
@Suite struct PolicyTests {
    @Test func `unique: one reaction at most; another one replaces it in one change`() throws {
        var desk = Desk(.unique)
        try desk.add("👍", "bob")
        #expect(try desk.add("👍", "ada").answer.result == .added)
        #expect(try desk.add("👍", "ada").answer.result == .unchanged)
        let outcome = try desk.add("tada", "ada")
        #expect(
            outcome.answer
                == Answer(
                    .replaced, message: "m", seq: 3, reaction: "tada", previous: "👍", count: 1, own: ["tada"]))
        #expect(
            outcome.changes == [
                Change(
                    seq: 3, message: "m", user: "ada", at: 1_003, total: 2,
                    kind: .replaced(group("tada", 1), previous: group("👍", 1), data: nil))
            ])
    }

    @Test func `unique toggle: same one removed, another replaced, none added`() throws {
        var desk = Desk(.unique)
        #expect(try desk.toggle("a", "ada").answer.result == .added)
        #expect(try desk.toggle("b", "ada").answer.result == .replaced)
        let last = try desk.toggle("b", "ada")
        #expect(last.answer == Answer(.removed, message: "m", seq: 3, reaction: "b", count: 0, own: []))
        #expect(desk.ledger.summary(of: "m", for: nil) == nil)
    }

    @Test func `distinct: each reaction once`() throws {
        var desk = Desk(.distinct)
        #expect(try desk.add("a", "ada").answer.result == .added)
        #expect(try desk.add("b", "ada").answer.own == ["a", "b"])
        let again = try desk.add("a", "ada")
        #expect(
            again
                == Outcome(answer: Answer(.unchanged, message: "m", seq: 2, reaction: "a", count: 1, own: ["a", "b"])))
        #expect(try desk.toggle("a", "ada").answer.result == .removed)
        #expect(try desk.toggle("a", "ada").answer.own == ["b", "a"])
    }

    @Test func `multiple: adds count, and events tell the step`() throws {
        var desk = Desk(.multiple)
        try desk.add("a", "ada", count: 5)
        let outcome = try desk.add("a", "ada", count: 1_000)
        let own = [OwnReaction(reaction: "a", count: 1_005)]
        #expect(outcome.answer == Answer(.added, message: "m", seq: 2, reaction: "a", count: 1_005, own: own))
        #expect(outcome.changes.first?.kind == .added(group("a", 1_005, users: 1), byCount: 1_000, data: nil))
        let some = try desk.remove("a", "ada", count: 5)
        #expect(some.changes.first?.kind == .removed(group("a", 1_000, users: 1), byCount: 5))
        let rest = try desk.remove("a", "ada", count: 1_000)
        #expect(rest.changes.first?.kind == .removed(group("a", 0), byCount: 1_000))
        #expect(try desk.remove("a", "ada").answer.result == .unchanged)
    }

    @Test func `multiple: remove without count, or with more than there is, takes all`() throws {
        var desk = Desk(.multiple)
        try desk.add("a", "ada", count: 7)
        #expect(try desk.remove("a", "ada").changes.first?.kind == .removed(group("a", 0), byCount: 7))
        try desk.add("a", "ada", count: 7)
        #expect(try desk.remove("a", "ada", count: 8).changes.first?.kind == .removed(group("a", 0), byCount: 7))
    }

    @Test func `multiple: another add moves its user to the front and keeps the order of own`() throws {
        var desk = Desk(.multiple)
        try desk.add("a", "ada")
        try desk.add("b", "ada")
        try desk.add("a", "bob")
        #expect(try desk.add("a", "ada").answer.own?.map(\.reaction) == ["a", "b"])
        #expect(desk.ledger.summary(of: "m", for: nil)?.groups.first?.latest == ["ada", "bob"])
    }

    @Test func `multiple: newer data wins, no data keeps the old`() throws {
        var desk = Desk(.multiple)
        let one = ReactionData(text: "{\"n\":1}", canonical: "{\"n\":1}")
        let two = ReactionData(text: "{\"n\":2}", canonical: "{\"n\":2}")
        try desk.add("a", "ada", data: one)
        #expect(try desk.add("a", "ada").changes.first?.kind == .added(group("a", 2, users: 1), byCount: 1, data: one))
        #expect(try desk.add("a", "ada", data: two).answer.result == .added)
        #expect(desk.ledger.reactors(on: "m", with: nil, limit: 1, before: nil).elements.first?.data == two)
    }

    @Test func `multiple: sums do not trap at the end of the numbers`() throws {
        let entry = Record.Entry(count: .max, given: 1, touched: 1, at: 1)
        let image = ChannelImage(
            seq: 1, records: [.entry(message: "m", user: "ada", reaction: "a", entry)])
        var desk = Desk(.multiple)
        desk.ledger = Ledger(image)
        try desk.add("a", "ada", count: 1_000)
        try desk.add("a", "bob", count: 1_000)
        try desk.clear()
        #expect(desk.ledger.summary(of: "m", for: nil) == nil)
    }

    @Test func `ephemeral: acked as added, nothing is kept`() throws {
        var desk = Desk(.ephemeral)
        let outcome = try desk.add("👍", "ada")
        #expect(outcome == Outcome(answer: Answer(.added, message: "m", seq: 0, reaction: "👍", count: 0, own: [])))
        #expect(try desk.remove("👍", "ada").answer.result == .unchanged)
        #expect(desk.ledger.image == ChannelImage())
    }

    @Test func `ephemeral: a key makes one of two`() throws {
        var desk = Desk(.ephemeral)
        let first = try desk.add("👍", "ada", key: "k")
        #expect(first.records.map(Place.init) == [.key(user: "ada", key: "k")])
        #expect(try desk.add("👍", "ada", key: "k") == Outcome(answer: first.answer, isDuplicate: true))
    }

    @Test(arguments: Policy.allCases)
    func `What the policy has no meaning for is bad_request`(_ policy: Policy) {
        let isListed = policy == .unique || policy == .distinct
        let actions: [(Operation.Action, isRefused: Bool)] = [
            (.add(reaction: "a", count: 1, data: nil), policy != .multiple),
            (.remove(reaction: "a", count: 1), policy != .multiple),
            (.toggle(reaction: "a", count: nil, data: nil), !isListed),
            (.toggle(reaction: "a", count: 1, data: nil), true),
            (.set(reactions: []), !isListed),
            (.set(reactions: ["a", "a"]), !isListed),
            (.set(reactions: ["a", "b"]), policy != .distinct),
            (.add(reaction: "a", count: 0, data: nil), true),
            (.add(reaction: "a", count: 1_001, data: nil), true),
        ]
        for (action, isRefused) in actions {
            var desk = Desk(policy)
            var isBadRequest = false
            do {
                try desk.apply(action, "ada")
            } catch {
                isBadRequest = error.isBadRequest
            }
            #expect(isBadRequest == isRefused, "\(action)")
        }
    }

    @Test func `A user who has several from an earlier policy has one after a replacement`() throws {
        var desk = Desk(.distinct)
        for reaction in ["a", "b", "c"] { try desk.add(reaction, "ada") }
        desk.rules.policy = .unique
        let outcome = try desk.add("d", "ada")
        #expect(outcome.answer.own == ["d"])
        #expect(outcome.answer.previous == "c")
        #expect(outcome.changes.map(\.seq) == [4, 5, 6])
    }
}

extension Refusal {
    fileprivate var isBadRequest: Bool {
        if case .badRequest = self { true } else { false }
    }
}
