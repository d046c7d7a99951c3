import Testing

@testable import Reactions

/// Clearing and deleting what very many have.
@Suite struct ClearTests {
    private func crowd(_ count: Int) throws -> Desk {
        var desk = Desk()
        for number in 0..<count {
            try desk.add("👍", "user-\(number)")
            if number % 10 == 0 { try desk.add("🎉", "user-\(number)") }
        }
        try desk.add("👍", "user-1", on: "other")
        return desk
    }

    @Test(arguments: [Operation.Action.clear(reaction: nil, user: nil), .delete])
    func `Everyone's reactions go with a few records, not one for each`(_ action: Operation.Action) throws {
        var desk = try crowd(2_000)
        let outcome = try desk.apply(action, "mod")
        #expect(outcome.answer.removed == 2_200)
        #expect(outcome.records.count == 5)
        #expect(
            outcome.records.prefix(2) == [
                .swept(message: "m", reaction: "👍", upTo: desk.ledger.seq), .group(message: "m", reaction: "👍", nil),
            ])
        #expect(desk.ledger.total(of: "m") == 0)
        #expect(desk.ledger.reactors(on: "m", with: nil, limit: 100, before: nil).elements.isEmpty)
        #expect(desk.ledger.own(of: "user-10", on: "m").isEmpty)
        #expect(desk.ledger.own(of: "user-1", on: "other").map(\.reaction) == ["👍"])
    }

    @Test func `One reaction's group goes, the others stay`() throws {
        var desk = try crowd(500)
        let outcome = try desk.clear("👍")
        #expect(outcome.answer.removed == 500)
        #expect(outcome.records.count == 3)
        #expect(desk.ledger.own(of: "user-20", on: "m") == ["🎉"])
        #expect(desk.ledger.reactorCount(on: "m", with: nil) == 50)
    }

    @Test func `Who was cleared can react again while the old entries are still in memory`() throws {
        var desk = try crowd(3_000)
        try desk.clear()
        #expect(desk.ledger.tally.entries.count > 2_000, "they go little by little")
        #expect(try desk.add("👍", "user-7").answer.count == 1)
        #expect(try desk.add("👍", "user-7").answer.result == .unchanged)
        #expect(try desk.apply(.clear(reaction: nil, user: "user-8"), "mod").answer.result == .unchanged)
        #expect(try desk.apply(.clear(reaction: nil, user: "user-1"), "mod", on: "*").answer.removed == 1)
        #expect(desk.ledger.own(of: "user-7", on: "m") == ["👍"])
        #expect(try desk.remove("👍", "user-7").answer.result == .removed)
    }

    @Test func `Operations that follow give the memory back`() throws {
        var desk = try crowd(3_000)
        try desk.clear()
        for number in 0..<20 { try desk.add("👍", "new-\(number)") }
        #expect(desk.ledger.tally.entries.count == 21)
        #expect(desk.ledger.tally.users.count == 21)
        #expect(desk.ledger.tally.groups.count == 2)
        try desk.clear()
        desk.ledger.reclaim(100)
        #expect(desk.ledger.tally.entries.count == 1)
    }
}
