import Reactions
import TestSupport
import Testing

/// PROTOCOL.md section 3: SUMMARY, reactors, list.
@Suite struct ReadingTests {
    @Test func `latest is exactly min(5, users) of those who are there, newest add first`() throws {
        var desk = Desk()
        for user in ["a", "b", "c", "d", "e", "f", "g"] { try desk.add("x", user) }
        #expect(latest(desk) == ["g", "f", "e", "d", "c"])
        try desk.remove("x", "f")
        #expect(latest(desk) == ["g", "e", "d", "c", "b"])
        for user in ["g", "e", "d"] { try desk.remove("x", user) }
        #expect(latest(desk) == ["c", "b", "a"])
        try desk.add("x", "d")
        #expect(latest(desk) == ["d", "c", "b", "a"])
    }

    @Test func `own is the asking user's, in the order given, and absent where nobody asks`() throws {
        var desk = Desk()
        for reaction in ["c", "a", "b"] { try desk.add(reaction, "ada") }
        try desk.add("a", "bob")
        #expect(desk.ledger.summary(of: "m", for: "ada")?.own == ["c", "a", "b"])
        #expect(desk.ledger.summary(of: "m", for: "nobody")?.own == [])
        #expect(desk.ledger.summary(of: "m", for: nil)?.own == nil)
        #expect(desk.ledger.own(of: "bob", on: "m") == ["a"])
        #expect(desk.ledger.own(of: "bob", on: "n") == [])
    }

    @Test func `Messages asked for by name come once each, bare ones not at all, deleted ones do`() throws {
        var desk = Desk()
        try desk.add("a", "ada", on: "x")
        try desk.add("a", "ada", on: "bare")
        try desk.remove("a", "ada", on: "bare")
        try desk.apply(.delete, "mod", on: "gone")
        let summaries = desk.ledger.summaries(of: ["gone", "x", "never", "bare", "x"], for: nil)
        #expect(summaries.map(\.message) == ["gone", "x"])
        #expect(summaries.map(\.isDeleted) == [true, false])
    }

    @Test func `Paging neither skips nor repeats anyone who has not changed since`() throws {
        var random = SeededGenerator()
        var desk = Desk(.multiple)
        desk.rules.maxKindsPerMessage = 3
        for index in 0..<1_500 { try desk.add(random.pick(["a", "b", "c"]), "u\(index)") }
        for reaction in [nil, Reaction(canonical: "b")] {
            var seen: [String] = []
            var untouched = Set(
                desk.ledger.reactors(on: "m", with: reaction, limit: .max, before: nil).elements.map(\.user))
            var cursor: UInt64?
            repeat {
                let page = desk.ledger.reactors(on: "m", with: reaction, limit: 40, before: cursor)
                #expect(page.elements.count == 40 || page.next == nil)
                seen += page.elements.map(\.user)
                cursor = page.next
                for _ in 0..<30 {
                    let user = "u\(random.below(2_000))"
                    untouched.remove(user)
                    let name = random.pick(["a", "b", "c"])
                    if random.chance(1, of: 2) { try desk.add(name, user) } else { try desk.remove(name, user) }
                }
            } while cursor != nil
            #expect(untouched.isSubset(of: seen))
            let kept = seen.filter(untouched.contains)
            #expect(Set(kept).count == kept.count)
        }
    }

    @Test func `A page's cursor is absent at the end`() throws {
        var desk = Desk()
        for user in ["a", "b", "c"] { try desk.add("x", user) }
        let first = desk.ledger.reactors(on: "m", with: nil, limit: 2, before: nil)
        #expect(first.elements.map(\.user) == ["c", "b"])
        let second = desk.ledger.reactors(on: "m", with: nil, limit: 2, before: first.next)
        #expect(second.elements.map(\.user) == ["a"])
        #expect(second.next == nil)
        #expect(desk.ledger.reactors(on: "m", with: nil, limit: 3, before: nil).next == nil)
        #expect(desk.ledger.reactors(on: "n", with: "x", limit: 3, before: nil).elements.isEmpty)
        #expect(desk.ledger.reactorCount(on: "m", with: "x") == 3)
        #expect(desk.ledger.reactorCount(on: "m", with: "y") == 0)
    }

    @Test func `list: newest change first, bare and deleted messages never`() throws {
        var desk = Desk()
        for message in ["1", "2", "3", "4", "5"] { try desk.add("a", "ada", on: message) }
        try desk.add("b", "ada", on: "2")
        try desk.remove("a", "ada", on: "4")
        try desk.apply(.delete, "mod", on: "3")
        let first = desk.ledger.newest(2, before: nil, for: "ada")
        #expect(first.elements.map(\.message) == ["2", "5"])
        #expect(first.elements.first?.own == ["a", "b"])
        try desk.add("b", "ada", on: "5")
        let second = desk.ledger.newest(2, before: first.next, for: nil)
        #expect(second.elements.map(\.message) == ["1"])
        #expect(second.next == nil)
    }

    @Test func `What fan-out asks for`() throws {
        var desk = Desk(.multiple)
        try desk.add("a", "ada", count: 3)
        try desk.add("a", "bob")
        try desk.add("c", "bob")
        #expect(desk.ledger.groups(["a"], on: "m") == [group("a", 4, users: 2)])
        #expect(
            desk.ledger.groups(["c", "b", "a"], on: "m") == [group("b", 0), group("a", 4, users: 2), group("c", 1)])
        #expect(desk.ledger.groups(["a"], on: "n") == [group("a", 0)])
        #expect(desk.ledger.total(of: "m") == 5)
        #expect(desk.ledger.total(of: "n") == 0)
        #expect(!desk.ledger.isDeleted("m"))
    }

    @Test func `Many reactors on one message come back from a store in the same order`() throws {
        var desk = Desk()
        for index in 0..<3_000 { try desk.add("a", "user-\(index)") }
        for index in stride(from: 0, to: 3_000, by: 3) { try desk.remove("a", "user-\(index)") }
        let restored = Ledger(desk.ledger.image)
        let all = desk.ledger.reactors(on: "m", with: nil, limit: 5_000, before: nil)
        #expect(all.elements.count == 2_000)
        #expect(restored.reactors(on: "m", with: nil, limit: 5_000, before: nil) == all)
        #expect(restored.summary(of: "m", for: nil) == desk.ledger.summary(of: "m", for: nil))
    }

    @Test func `A damaged image gives some ledger, never a trap`() throws {
        let entry = Record.Entry(count: 1, given: 5, touched: 5, at: 1)
        let records: [Record] = [
            .entry(message: "m", user: "ada", reaction: "a", entry),
            .entry(message: "m", user: "ada", reaction: "a", entry),
            .entry(message: "m", user: "bob", reaction: "a", entry),
            .entry(message: "m", user: "cy", reaction: "a", Record.Entry(count: 0, given: 0, touched: 0, at: 0)),
            .entry(message: "m", user: "dan", reaction: "a", Record.Entry(count: 1, given: 7, touched: 7, at: 0)),
            .entry(message: "gone", user: "ada", reaction: "a", entry),
            .group(message: "m", reaction: "empty", Record.Group(started: 9, first: 1, last: 1)),
            .group(message: "n", reaction: "empty", Record.Group(started: 9, first: 1, last: 1)),
            .group(message: "m", reaction: "gone", nil),
            .message("gone", Record.Message(changed: .max, isDeleted: true)),
            .message("bare", Record.Message(changed: .max)),
            .key(user: "ada", key: "k", Record.Key(at: .min, body: [1], answer: [])),
            .key(user: "ada", key: "l", Record.Key(at: .max, body: Array(repeating: 0, count: 16), answer: [255])),
        ]
        var desk = Desk()
        desk.ledger = Ledger(ChannelImage(seq: 6, records: records))
        #expect(desk.ledger.total(of: "m") == 2)
        #expect(desk.ledger.summaries(of: ["m", "n", "bare", "gone"], for: nil).map(\.message) == ["m", "gone"])
        #expect(desk.ledger.newest(10, before: nil, for: nil).elements.map(\.message) == ["m"])
        #expect(desk.ledger.seq == 6)
        for user in ["ada", "bob", "cy"] { try desk.toggle("a", user) }
        #expect(desk.ledger.reactors(on: "m", with: nil, limit: 9, before: nil).elements.map(\.user) == ["cy"])
        try desk.clear()
        #expect(desk.ledger.total(of: "m") == 0)
    }

    private func latest(_ desk: Desk) -> [String]? {
        desk.ledger.summary(of: "m", for: nil)?.groups.first?.latest
    }
}
