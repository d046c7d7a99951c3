import Reactions
import Testing

/// PROTOCOL.md section 8: who refuses first, and what limits mean.
@Suite struct RefusalTests {
    @Test func `Where several apply, the first in the order of section 8`() throws {
        // A request against which everything speaks, and the same with one fault after another mended.
        var desk = Desk()
        desk.rules.allowed = ["a", "b", "c"]
        desk.rules.maxPerUserAndMessage = 1
        try desk.add("a", "ada")
        try desk.add("a", "ada", key: "used")
        try desk.apply(.delete, "mod", on: "gone")
        try desk.apply(.freeze(true), "mod")
        func refusal(_ reaction: String, _ message: String, count: Int? = nil, key: String? = nil) -> Refusal? {
            do {
                try desk.add(reaction, "ada", on: message, count: count, key: key)
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal("no!", "gone", count: 1, key: "used") == .badRequest("count is for policy multiple alone"))
        #expect(refusal("no!", "gone", key: "used") == .keyReused)
        #expect(refusal("no!", "gone", key: "new") == .invalidReaction)
        #expect(refusal("d", "gone", key: "new") == .reactionNotAllowed)
        #expect(refusal("b", "gone", key: "new") == .frozen)
        try desk.apply(.freeze(false), "mod")
        #expect(refusal("b", "gone", key: "new") == .messageDeleted)
        #expect(refusal("b", "m", key: "new") == .tooManyReactions("at most 1 reaction a user and message"))
        #expect(refusal("a", "m", key: "new") == nil)
    }

    @Test func `A duplicate is answered whatever would refuse it now`() throws {
        var desk = Desk()
        let first = try desk.add("a", "ada", key: "k")
        try desk.apply(.freeze(true), "mod")
        desk.rules.allowed = []
        #expect(try desk.add("a", "ada", key: "k") == Outcome(answer: first.answer, isDuplicate: true))
    }

    @Test func `On a refusal nothing changes`() throws {
        var desk = Desk()
        desk.rules.maxKindsPerMessage = 1
        try desk.add("a", "ada", key: "k")
        let before = desk.ledger.image
        #expect(throws: Refusal.invalidReaction) { try desk.add("no!", "ada", key: "l") }
        #expect(throws: Refusal.keyReused) { try desk.add("b", "ada", key: "k") }
        #expect(throws: Refusal.self) { try desk.add("b", "ada", key: "l") }
        #expect(desk.ledger.image == before)
    }

    @Test func `The token's list narrows the namespace's`() throws {
        var desk = Desk()
        desk.rules.allowed = ["👍", "❤\u{FE0F}"]
        func add(_ reaction: String, _ tokenAllowed: [String]?) throws(Refusal) {
            try desk.apply(.add(reaction: reaction, count: nil, data: nil), "ada", tokenAllowed: tokenAllowed)
        }
        try add("❤", ["❤"])
        #expect(throws: Refusal.reactionNotAllowed) { try add("👍", ["❤"]) }
        #expect(throws: Refusal.reactionNotAllowed) { try add("🎉", ["🎉"]) }
        #expect(throws: Refusal.reactionNotAllowed) { try add("👍", []) }
        try add("👍", nil)
    }

    @Test func `Removing and clearing are never refused because a reaction is no longer allowed`() throws {
        var desk = Desk()
        for user in ["ada", "bob", "cy"] { try desk.add("a", user) }
        desk.rules.allowed = ["b"]
        #expect(throws: Refusal.reactionNotAllowed) { try desk.add("a", "ada") }
        #expect(throws: Refusal.reactionNotAllowed) { try desk.toggle("a", "dan") }
        #expect(throws: Refusal.reactionNotAllowed) { try desk.set(["a"], "ada") }
        #expect(try desk.apply(.remove(reaction: "a", count: nil), "ada", tokenAllowed: []).answer.result == .removed)
        #expect(try desk.toggle("a", "bob").answer.result == .removed)
        #expect(try desk.clear("a").answer.result == .cleared)
    }

    @Test func `What came in as another kind, or with its skin tone, can still be removed`() throws {
        var desk = Desk(kind: .any)
        for reaction in ["party", "👍🏽"] {
            try desk.add(reaction, "ada")
            try desk.add(reaction, "bob")
        }
        desk.rules.kind = .emoji
        desk.rules.foldSkinTones = true
        #expect(try desk.remove("party", "ada").answer.reaction == "party")
        #expect(try desk.remove("👍🏽", "ada").answer.result == .removed)
        #expect(try desk.clear("party").answer.result == .cleared)
        #expect(try desk.clear("👍🏽").answer.result == .cleared)
        #expect(throws: Refusal.invalidReaction) { try desk.remove("party", "ada") }
        #expect(try desk.remove("👍🏽", "ada").answer.reaction == "👍")
    }

    @Test func `Joining a kind that is there is never stopped by the message's limit`() throws {
        var desk = Desk()
        desk.rules.maxKindsPerMessage = 2
        try desk.add("a", "ada")
        try desk.add("b", "ada")
        #expect(throws: Refusal.self) { try desk.add("c", "bob") }
        try desk.add("a", "bob")
        desk.rules.maxKindsPerMessage = 1
        try desk.add("b", "bob")
    }

    @Test func `A user's limit does not stop what is there already`() throws {
        var desk = Desk(.multiple)
        desk.rules.maxPerUserAndMessage = 2
        try desk.add("a", "ada")
        try desk.add("b", "ada")
        #expect(throws: Refusal.self) { try desk.add("c", "ada") }
        try desk.add("b", "ada", count: 100)
        try desk.add("c", "bob")
        try desk.add("c", "ada", on: "n")
    }

    @Test func `Limits are judged on what would be there after: a replacement of a kind's last user frees it`() throws {
        var desk = Desk(.unique)
        desk.rules.maxKindsPerMessage = 2
        desk.rules.maxPerUserAndMessage = 1
        try desk.add("a", "ada")
        try desk.add("b", "bob")
        #expect(try desk.add("c", "ada").answer.result == .replaced)
        try desk.add("c", "cy")
        #expect(throws: Refusal.self) { try desk.add("d", "cy") }
    }

    @Test func `Limits of a set are judged on the final state`() throws {
        var desk = Desk()
        desk.rules.maxKindsPerMessage = 3
        desk.rules.maxPerUserAndMessage = 2
        try desk.set(["a", "b"], "ada")
        #expect(try desk.set(["c", "d"], "ada").answer.own == ["c", "d"])
        try desk.add("c", "bob")
        #expect(try desk.set(["e", "f"], "ada").answer.own == ["e", "f"])
        #expect(throws: Refusal.self) { try desk.set(["g", "h"], "bob") }
        #expect(throws: Refusal.self) { try desk.set(["c", "e", "f"], "ada") }
        desk.rules.maxPerUserAndMessage = 1
        #expect(try desk.set(["e", "f"], "ada").answer.result == .unchanged)
        #expect(try desk.set(["e"], "ada").answer.result == .changed)
    }

    @Test func `Judging alone changes nothing, and tells whether committing would`() throws {
        var desk = Desk()
        let operation = Operation(.add(reaction: "a", count: nil, data: nil), message: "m", user: "ada", key: "k")
        let plan = try desk.ledger.judge(operation, rules: desk.rules, at: 1)
        #expect(desk.ledger.image == ChannelImage())
        #expect(plan.changesSomething && !plan.isDuplicate)
        let outcome = desk.ledger.commit(plan)
        #expect(outcome.answer.result == .added)
        let again = try desk.ledger.judge(operation, rules: desk.rules, at: 2)
        #expect(!again.changesSomething && again.isDuplicate)
        let other = Operation(.remove(reaction: "b", count: nil), message: "m", user: "ada")
        #expect(try !desk.ledger.judge(other, rules: desk.rules, at: 2).changesSomething)
    }
}
