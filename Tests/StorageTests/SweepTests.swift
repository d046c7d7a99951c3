import Foundation
import Reactions
import Testing

@testable import Storage

/// What `Record.swept` does to a store.
@Suite struct SweepTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private static let clear = [
        Record.swept(message: "m1", reaction: Reaction(canonical: "👍"), upTo: 3_001),
        .group(message: "m1", reaction: Reaction(canonical: "👍"), nil),
    ]

    /// 3,000 users with one reaction, three with another, and three on another message.
    private func fill(_ store: any Store) async {
        let users = (1...3_000).map { Record.entry("user-\($0)", seq: UInt64($0)) }
        let others = (1...3).flatMap {
            [Record.entry("user-\($0)", "🎉", seq: UInt64($0)), .entry("user-\($0)", on: "m2", seq: UInt64($0))]
        }
        #expect(await store.commit("chat:1", 3_000, users + others).isSuccess)
    }

    private func entries(_ store: any Store) async throws -> Set<Record> {
        Set(
            try await store.load("chat:1").records.filter { record in
                if case .entry = record { true } else { false }
            })
    }

    private static let kept = Set(
        (1...3).flatMap {
            [Record.entry("user-\($0)", "🎉", seq: UInt64($0)), .entry("user-\($0)", on: "m2", seq: UInt64($0))]
        })

    @Test(arguments: StoreKind.allCases)
    func `Everyone's entries with the reaction are gone at once, and no others`(_ kind: StoreKind) async throws {
        let store = try kind.make(in: folder)
        await fill(store)
        #expect(await store.commit("chat:1", 3_001, Self.clear).isSuccess)
        #expect(try await entries(store) == Self.kept)
        store.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `Who comes again afterwards stays, in the same commit or later`(_ kind: StoreKind) async throws {
        let store = try kind.make(in: folder)
        await fill(store)
        let again = [Record.entry("user-7", seq: 3_002), .entry("new", seq: 3_003)]
        #expect(await store.commit("chat:1", 3_003, [.entry("gone", seq: 3_000)] + Self.clear + again).isSuccess)
        #expect(await store.commit("chat:1", 3_004, [.entry("user-2999", seq: 3_004)]).isSuccess)
        let expected = Self.kept.union(again).union([.entry("user-2999", seq: 3_004)])
        #expect(try await entries(store) == expected)
        store.close()
    }

    @Test func `The rows are taken out step by step, also after a restart`() throws {
        let users = (1...3_000).map { Record.entry("user-\($0)", seq: UInt64($0)) }
        var first = WriteBatch()
        first.add(ChannelWrite(channel: "chat:1", seq: 3_000, records: users + [.entry("zed", seq: 3_002)]))
        var second = WriteBatch()
        second.add(ChannelWrite(channel: "chat:1", seq: 3_001, records: Self.clear))
        var steps = 0
        do {
            var engine = try Engine(file: folder.file())
            try engine.write(first)
            try engine.write(second)
            for _ in 0..<2 { engine.sweep() }
            #expect(engine.mustSweep)
        }
        let file = try Outsider(folder.file())
        #expect(try file.text("SELECT count(*) FROM entries") == "2001", "two steps have taken out 500 each")
        var engine = try Engine(file: folder.file())
        while engine.mustSweep, steps < 100 {
            engine.sweep()
            steps += 1
        }
        #expect(steps == 6, "2,001 rows in five steps, and one that finds nothing")
        #expect(try file.text("SELECT group_concat(user) FROM entries") == "zed")
        #expect(try file.text("SELECT count(*) FROM sweeps") == "0")
    }
}
