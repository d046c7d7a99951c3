import Reactions
import Testing

/// PROTOCOL.md section 3: what each request does.
@Suite struct RequestTests {
    let one = ReactionData(text: "{\"n\":1}", canonical: "{\"n\":1}")
    let spaced = ReactionData(text: "{ \"n\": 1 }", canonical: "{\"n\":1}")
    let two = ReactionData(text: "{\"n\":2}", canonical: "{\"n\":2}")

    @Test func `seq goes up by one with each change and only then`() throws {
        var desk = Desk()
        #expect(try desk.add("a", "ada").answer.seq == 1)
        #expect(try desk.add("a", "ada").answer.seq == 1)
        #expect(try desk.remove("b", "ada").answer.seq == 1)
        #expect(try desk.add("a", "bob", on: "n").answer.seq == 2)
        #expect(try desk.remove("a", "ada").answer.seq == 3)
        #expect(desk.ledger.seq == 3)
    }

    @Test func `count is that reaction's on that message after the change`() throws {
        var desk = Desk()
        try desk.add("a", "ada")
        try desk.add("b", "ada")
        try desk.add("a", "ada", on: "n")
        #expect(try desk.add("a", "bob").answer.count == 2)
        #expect(try desk.remove("a", "ada").answer.count == 1)
        #expect(try desk.remove("zzz", "ada").answer.count == 0)
    }

    @Test func `An event's numbers are those after the change`() throws {
        var desk = Desk()
        try desk.add("a", "ada")
        try desk.add("b", "ada")
        let added = try desk.add("a", "bob", data: one)
        #expect(
            added.changes == [
                Change(
                    seq: 3, message: "m", user: "bob", at: 1_002, total: 3,
                    kind: .added(group("a", 2), byCount: nil, data: one))
            ])
        let removed = try desk.remove("b", "ada")
        #expect(
            removed.changes == [
                Change(
                    seq: 4, message: "m", user: "ada", at: 1_003, total: 2, kind: .removed(group("b", 0), byCount: nil))
            ])
    }

    @Test func `Other data gives updated, the same values and no data do not`() throws {
        var desk = Desk()
        try desk.add("a", "ada", data: one)
        #expect(try desk.add("a", "ada").answer.result == .unchanged)
        #expect(try desk.add("a", "ada", data: spaced).answer.result == .unchanged)
        let outcome = try desk.add("a", "ada", data: two)
        #expect(outcome.answer.result == .updated)
        #expect(outcome.changes.first?.kind == .updated(group("a", 1), data: two))
        #expect(try desk.add("a", "ada").answer.result == .unchanged)
        let reactor = desk.ledger.reactors(on: "m", with: nil, limit: 1, before: nil).elements
        #expect(reactor == [Reactor(user: "ada", reaction: "a", count: 1, at: 1_002 + 1, data: two)])
    }

    @Test func `Data can be added later, and goes with the reaction`() throws {
        var desk = Desk()
        try desk.add("a", "ada")
        #expect(try desk.add("a", "ada", data: one).answer.result == .updated)
        #expect(try desk.toggle("a", "ada", data: two).answer.result == .removed)
        try desk.add("a", "ada")
        #expect(desk.ledger.reactors(on: "m", with: nil, limit: 1, before: nil).elements.first?.data == nil)
    }

    @Test func `An update moves its user to the front but not last`() throws {
        var desk = Desk()
        try desk.add("a", "ada")
        try desk.add("a", "bob")
        try desk.add("a", "ada", data: one)
        let summary = desk.ledger.summary(of: "m", for: "ada")?.groups.first
        #expect(
            summary
                == Summary.Group(
                    reaction: "a", count: 2, users: 2, first: 1_000, last: 1_001, latest: ["ada", "bob"]))
    }

    @Test func `set: those kept first in their old order, then the new; each removal, then each addition, a change`()
        throws
    {
        var desk = Desk()
        for reaction in ["a", "b", "c"] { try desk.add(reaction, "ada") }
        let outcome = try desk.set(["e", "c", "d", "a", "e"], "ada")
        #expect(outcome.answer == Answer(.changed, message: "m", seq: 6, own: ["a", "c", "e", "d"]))
        #expect(outcome.changes.map(\.seq) == [4, 5, 6])
        #expect(
            outcome.changes.map(\.kind) == [
                .removed(group("b", 0), byCount: nil), .added(group("e", 1), byCount: nil, data: nil),
                .added(group("d", 1), byCount: nil, data: nil),
            ])
        #expect(
            try desk.set(["d", "e", "a", "c"], "ada")
                == Outcome(answer: Answer(.unchanged, message: "m", seq: 6, own: ["a", "c", "e", "d"])))
    }

    @Test func `set with policy unique: one replaced`() throws {
        var desk = Desk(.unique)
        #expect(try desk.set(["a"], "ada").changes.first?.kind == .added(group("a", 1), byCount: nil, data: nil))
        #expect(
            try desk.set(["b", "b"], "ada").changes.map(\.kind)
                == [.replaced(group("b", 1), previous: group("a", 0), data: nil)])
        #expect(try desk.set([], "ada").changes.map(\.kind) == [.removed(group("b", 0), byCount: nil)])
        #expect(try desk.set([], "ada").answer == Answer(.unchanged, message: "m", seq: 3, own: []))
    }

    @Test func `set is all or nothing`() throws {
        var desk = Desk()
        desk.rules.maxPerUserAndMessage = 2
        try desk.add("a", "ada")
        let before = desk.ledger.image
        #expect(throws: Refusal.invalidReaction) { try desk.set(["b", "no!"], "ada") }
        #expect(throws: (any Error).self) { try desk.set(["b", "c", "d"], "ada") }
        #expect(desk.ledger.image == before)
    }

    @Test func `clear, not narrowed: the message is bare afterwards; one change`() throws {
        var desk = Desk()
        try desk.add("a", "ada")
        try desk.add("b", "ada")
        try desk.add("a", "bob")
        let outcome = try desk.clear()
        #expect(outcome.answer == Answer(.cleared, message: "m", seq: 4, removed: 3))
        let kind = Change.Kind.cleared(
            groups: [group("a", 0), group("b", 0)], reaction: nil, user: nil, by: "mod", removed: 3, isDeletion: false)
        #expect(outcome.changes == [Change(seq: 4, message: "m", user: nil, at: 1_003, total: 0, kind: kind)])
        #expect(desk.ledger.summary(of: "m", for: nil) == nil)
        #expect(try desk.clear() == Outcome(answer: Answer(.unchanged, message: "m", seq: 4, removed: 0)))
    }

    @Test func `clear narrowed by reaction and by user`() throws {
        var desk = Desk(.multiple)
        try desk.add("a", "ada", count: 5)
        try desk.add("b", "ada")
        try desk.add("a", "bob")
        let both = try desk.clear("a", of: "ada")
        #expect(both.answer == Answer(.cleared, message: "m", seq: 4, reaction: "a", removed: 5))
        #expect(
            both.changes.first?.kind
                == .cleared(
                    groups: [group("a", 1)], reaction: "a", user: "ada", by: "mod", removed: 5, isDeletion: false))
        #expect(try desk.clear(of: "nobody").answer.result == .unchanged)
        #expect(try desk.clear("zzz").answer.result == .unchanged)
        #expect(try desk.clear("b").answer.removed == 1)
        #expect(try desk.clear(of: "bob").answer.removed == 1)
        #expect(desk.ledger.summary(of: "m", for: nil) == nil)
    }

    @Test func `clear of message * with user: in the whole channel, one change a message`() throws {
        var desk = Desk()
        for message in ["x", "y", "z"] {
            try desk.add("a", "ada", on: message)
            try desk.add("b", "ada", on: message)
        }
        try desk.add("a", "bob", on: "x")
        let outcome = try desk.clear(of: "ada", on: "*")
        #expect(outcome.answer == Answer(.cleared, message: "*", seq: 10, removed: 6))
        #expect(outcome.changes.map(\.message) == ["y", "z", "x"])
        #expect(outcome.changes.map(\.seq) == [8, 9, 10])
        #expect(outcome.changes.map(\.total) == [0, 0, 1])
        #expect(try desk.clear(of: "ada", on: "*").answer.result == .unchanged)
        #expect(throws: Refusal.self) { try desk.clear(on: "*") }
    }

    @Test func `delete: one cleared event, also where it was bare; again is unchanged`() throws {
        var desk = Desk()
        try desk.add("a", "ada")
        let outcome = try desk.apply(.delete, "mod")
        #expect(outcome.answer == Answer(.deleted, message: "m", seq: 2, removed: 1))
        let kind = Change.Kind.cleared(
            groups: [group("a", 0)], reaction: nil, user: nil, by: "mod", removed: 1, isDeletion: true)
        #expect(outcome.changes == [Change(seq: 2, message: "m", user: nil, at: 1_001, total: 0, kind: kind)])
        #expect(try desk.apply(.delete, "mod") == Outcome(answer: Answer(.unchanged, message: "m", seq: 2, removed: 0)))
        let bare = try desk.apply(.delete, "mod", on: "bare")
        #expect(bare.answer == Answer(.deleted, message: "bare", seq: 3, removed: 0))
        #expect(bare.changes.count == 1)
    }

    @Test func `On a deleted message add, toggle and set are message_deleted, remove and clear unchanged`() throws {
        var desk = Desk()
        try desk.add("a", "ada")
        try desk.apply(.delete, "mod")
        #expect(throws: Refusal.messageDeleted) { try desk.add("a", "ada") }
        #expect(throws: Refusal.messageDeleted) { try desk.toggle("a", "ada") }
        #expect(throws: Refusal.messageDeleted) { try desk.set([], "ada") }
        #expect(try desk.remove("a", "ada").answer.result == .unchanged)
        #expect(try desk.clear().answer.result == .unchanged)
        let summary = Summary(message: "m", total: 0, groups: [], own: nil, isDeleted: true)
        #expect(desk.ledger.summary(of: "m", for: "ada") == summary)
        #expect(desk.ledger.isDeleted("m"))
    }

    @Test func `freeze: add, remove, toggle and set are frozen, until false; no seq`() throws {
        var desk = Desk()
        try desk.add("a", "ada")
        let frozen = try desk.apply(.freeze(true), "mod", on: "")
        #expect(
            frozen == Outcome(answer: Answer(.changed, message: "", seq: 1, frozen: true), records: [.frozen(true)]))
        #expect(throws: Refusal.frozen) { try desk.add("a", "ada") }
        #expect(throws: Refusal.frozen) { try desk.remove("a", "ada") }
        #expect(throws: Refusal.frozen) { try desk.toggle("a", "ada") }
        #expect(throws: Refusal.frozen) { try desk.set([], "ada") }
        let again = try desk.apply(.freeze(true), "mod", on: "")
        #expect(again == Outcome(answer: Answer(.unchanged, message: "", seq: 1, frozen: true)))
        #expect(Ledger(desk.ledger.image).isFrozen)
        #expect(try desk.clear().answer.result == .cleared)
        #expect(try desk.apply(.delete, "mod").answer.result == .deleted)
        #expect(try desk.apply(.freeze(false), "mod", on: "").answer.frozen == false)
        #expect(try desk.add("a", "ada", on: "n").answer.result == .added)
    }

    @Test func `A group that was empty starts anew at the end, with a new first`() throws {
        var desk = Desk()
        try desk.add("a", "ada")
        try desk.add("b", "ada")
        try desk.remove("a", "ada")
        try desk.add("a", "bob")
        let groups = desk.ledger.summary(of: "m", for: nil)?.groups
        #expect(groups?.map(\.reaction) == ["b", "a"])
        #expect(groups?.map(\.first) == [1_001, 1_003])
    }

    @Test func `The channel itself is the message with the empty id`() throws {
        var desk = Desk()
        try desk.add("a", "ada", on: "")
        #expect(desk.ledger.newest(10, before: nil, for: nil).elements.map(\.message) == [""])
        #expect(desk.ledger.total(of: "") == 1)
    }
}
