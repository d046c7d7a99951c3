import Reactions
import Storage
import Testing
import Wire

@testable import Broker

/// PROTOCOL.md section 4: events and acks are sent when the change is as durable as the namespace's setting promises.
@Suite struct DurabilityTests {
    private func make(_ durability: Durability) async throws -> ChannelHarness {
        let harness = try ChannelHarness(Namespace(durability: durability))
        await harness.load()
        await harness.subscribe(2)
        _ = await harness.heard()
        return harness
    }

    @Test("committed and synced: nothing is told before the store has it", arguments: [Durability.committed, .synced])
    func waits(durability: Durability) async throws {
        let harness = try await make(durability)
        await harness.add(1)
        #expect(await harness.heardTypes().isEmpty)
        let write = try #require(await harness.takeWrite())
        #expect(write.durability == durability)
        #expect(!write.followsFailure)
        #expect(await harness.heardTypes().isEmpty)
        await harness.channel.committed(upTo: harness.group, at: harness.moment)
        #expect(await harness.heardTypes().sorted() == ["ack", "added"])
    }

    @Test("memory: it is told at once, and written afterwards")
    func tellsAtOnce() async throws {
        let harness = try await make(.memory)
        await harness.add(1)
        #expect(await harness.heardTypes().sorted() == ["ack", "added"])
        #expect(await !harness.channel.isIdle, "it must stay until it is written")
        let write = try #require(await harness.takeWrite())
        #expect(write.durability == .memory)
        #expect(write.seq == 1)
        #expect(write.records.count == 3)
        #expect(await harness.channel.hasUncommitted)
        await harness.channel.committed(upTo: harness.group, at: harness.moment)
        #expect(await !harness.channel.hasUncommitted)
    }

    @Test("memory: what the store refuses stays in force, and is offered again with all that came since")
    func retry() async throws {
        let harness = try await make(.memory)
        await harness.add(1)
        let first = try #require(await harness.takeWrite())
        await harness.add(3)
        await harness.channel.failed(at: harness.moment)
        await harness.add(5)
        #expect(await harness.heardTypes().filter { $0 != "added" } == ["ack", "ack", "ack"])
        #expect(await harness.takeWrite() == nil, "the store is left alone for a moment")
        let due = try #require(await harness.channel.due)
        harness.moment.clock = due - 1
        #expect(await harness.takeWrite() == nil)
        harness.moment.clock = due
        let again = try #require(await harness.takeWrite())
        #expect(again.followsFailure)
        #expect(again.seq == 3)
        #expect(again.records.count == 9)
        #expect(Array(again.records.prefix(3)) == first.records)
        await harness.channel.failed(at: harness.moment)
        harness.moment.clock += 10_000
        #expect(try #require(await harness.takeWrite()).records.count == 9)
        await harness.channel.committed(upTo: harness.group, at: harness.moment)
        await harness.add(7)
        #expect(try #require(await harness.takeWrite()).followsFailure == false)
        #expect(await harness.channel.ledger.seq == 4)
    }

    @Test("memory: past the bound of what is not written, changes are refused until the store goes on")
    func bound() async throws {
        let harness = try await make(.memory)
        var clock = 0
        while await !harness.heardTypes().contains("error"), clock < 100_000 {
            for _ in 0..<500 { await harness.act(1, .toggle(reaction: "👍", count: nil, data: nil)) }
            clock += 500
        }
        #expect(clock == 22_000, "65,536 records, three of each change")
        let seq = await harness.channel.ledger.seq
        await harness.add(1, "🎉")
        let refusal = try #require(await harness.heard().first)
        #expect(refusal["code"] as? String == "unavailable")
        #expect(await harness.channel.ledger.seq == seq)
        _ = await harness.takeWrite()
        await harness.add(1, "🎉")
        #expect(await harness.heardTypes() == ["error"], "handed over is not written")
        await harness.channel.committed(upTo: harness.group, at: harness.moment)
        await harness.add(1, "🎉")
        #expect(await harness.heardTypes().sorted() == ["ack", "added"])
    }

    @Test("what the store refused is refused by the ids of those who asked")
    func refusedIDs() async throws {
        let harness = try await make(.committed)
        await harness.add(1)
        await harness.add(3)
        await harness.ask(1, .list(.messages(["m1"])))
        _ = await harness.takeWrite()
        await harness.channel.failed(at: harness.moment)
        #expect(await harness.heard().isEmpty)
        await harness.load()
        let replies = await harness.heard()
        #expect(replies.compactMap { $0["type"] as? String } == ["error", "error", "list"])
        #expect(replies.compactMap { $0["code"] as? String } == ["unavailable", "unavailable"])
        let ids = replies.compactMap { $0["id"] as? Int }
        #expect(ids.count == 3 && ids == [ids[0], ids[0] + 1, ids[0] + 2])
    }

    @Test("whoever resumes in mode summary while changes wait gets their groups too")
    func resumeWhileChangesWait() async throws {
        let harness = try await make(.committed)
        await harness.add(1)
        await harness.act(1, .remove(reaction: "👍", count: nil))
        await harness.add(3, "🎉", on: "m2")
        await harness.subscribe(5, mode: .summary, since: Position(epoch: "e1", seq: 0))
        await harness.commit()
        let summary = try #require(await harness.heard().first { $0["type"] as? String == "summary" })
        let messages = try #require(summary["messages"] as? [[String: Any]])
        #expect(Set(messages.compactMap { $0["message"] as? String }) == ["m1", "m2"])
    }

    @Test("nobody is named by what waits when the namespace becomes anonymous")
    func anonymousWhileWaiting() async throws {
        let harness = try await make(.committed)
        await harness.add(1)
        await harness.act(3, .set(reactions: ["🎉", "👍"]))
        await harness.add(1, "🎉", on: "m2")
        _ = await harness.takeWrite()
        await harness.channel.adopt(Namespace(isAnonymous: true), entry: "chat", at: harness.moment)
        await harness.channel.committed(upTo: harness.group, at: harness.moment)
        let events = await harness.heard().filter { $0["type"] as? String == "added" }
        #expect(events.compactMap { $0["seq"] as? Int } == [1, 2, 3, 4])
        #expect(events.allSatisfy { $0["user"] == nil })
        #expect(events.compactMap { $0["count"] as? Int } == [1, 1, 2, 1])
    }

    @Test("with other settings what waits still waits, and what comes then keeps the order")
    func changedSetting() async throws {
        let harness = try await make(.committed)
        await harness.add(1)
        _ = await harness.takeWrite()
        await harness.channel.adopt(Namespace(durability: .memory), entry: "chat", at: harness.moment)
        await harness.add(3)
        #expect(await harness.heardTypes().isEmpty)
        await harness.channel.committed(upTo: harness.group, at: harness.moment)
        #expect(await harness.heard().compactMap { $0["seq"] as? Int } == [1, 2, 1, 2])
        #expect(await harness.channel.hasUncommitted)
        _ = await harness.channel.takeWrite(for: harness.group + 1, at: harness.moment)
        await harness.channel.failed(at: harness.moment)
        #expect(await harness.channel.ledger.seq == 2, "the second was told, so it is not taken back")
    }
}
