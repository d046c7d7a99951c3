import Reactions
import Storage
import Testing
import Transport

@testable import Broker

/// What the log had acknowledged and has lost is counted by the broker that answered for it.
@Suite struct LostBatchesTests {
    @Test("each broker counts what it had acknowledged and the log has lost, once")
    func counted() async throws {
        let harness = try await LogHarness(2)
        for (node, user) in [(0, 1), (1, 2), (0, 3), (0, 4), (1, 5)] {
            await harness.add(node, user)
            if user != 3 { await harness.settle() }
        }
        // The third and the fourth went together.
        #expect(harness.log.all.count == 4)
        harness.log.lose(after: 1)
        for round in 0..<3 {
            for node in 0...1 { await harness.markDoubtful(node) }
            await harness.settle()
            await harness.add(0, 10 + round)
            await harness.settle()
        }
        #expect(harness.nodes[0].lost == [.init(batches: 1, requests: 2)])
        #expect(harness.nodes[1].lost == [.init(batches: 2, requests: 2)])
        #expect(await harness.nodes[0].channel.ledger.seq == 4)
    }

    @Test("nothing is lost where brokers read all anew and the log has it, in a snapshot or behind it")
    func nothing() async throws {
        let harness = try await LogHarness(2)
        _ = await harness.subscribe(1, 9)
        for number in 0..<1_100 {
            await harness.add(number % 2, number)
            await harness.settle()
        }
        // The second one was told something else at the end.
        await harness.add(0, 2_000)
        await harness.collect(harness.nodes[0])
        await harness.store(harness.nodes[0])
        harness.nodes[1].told[0].entry.bytes =
            LogBatch(
                writer: 77, number: 1, seen: LogMark(position: 0, digest: 0), rules: Rules(),
                entries: [.init(at: 1, .init(.delete, message: "m", user: "eve"))]
            ).bytes
        for node in 0...1 {
            await harness.settle()
            await harness.add(node, 2_001 + node)
        }
        await harness.settle()
        #expect(harness.nodes[1].heard.contains { $0["type"] as? String == "missed" }, "it has begun anew")
        #expect(await harness.nodes[1].channel.ledger.seq == 1_103)
        #expect(harness.nodes.allSatisfy { $0.lost.isEmpty })
    }

    private func batch(_ number: UInt64) -> LogBatch {
        LogBatch(
            writer: 1, number: number, seen: LogMark(position: 0, digest: 0), rules: Rules(),
            entries: [.init(at: 1, .init(.delete, message: "m", user: "ada"))])
    }

    @Test("what a snapshot has is known by its newest batch of the writer; where it knows none of it nothing is said")
    func snapshots() {
        var acked = AckedBatches()
        for number in 1...6 as ClosedRange<UInt64> { acked.note(batch(number), at: number * 10, clock: 0) }
        var unknown = LogProgress()
        unknown.skip(to: 60)
        #expect(acked.takeLost(behind: unknown, there: [], of: 1).batches == 0)
        var known = LogProgress()
        known.pass(batch(3), as: batch(3).bytes, at: 50)
        #expect(acked.takeLost(behind: known, there: [6], of: 1) == .init(batches: 2, requests: 2))
        #expect(acked.takeLost(behind: known, there: [6], of: 1).batches == 0)
        #expect(acked.takeLost(behind: known, there: [], of: 1).batches == 1)
    }

    @Test("those of the last minute are held, and no more than some thousands", arguments: [(1, 10_000), (1_000, 200)])
    func bounds(pause: Int64, count: UInt64) {
        var acked = AckedBatches()
        for number in 1...count { acked.note(batch(number), at: number, clock: Int64(number) * pause) }
        let held = acked.takeLost(behind: LogProgress(), there: [], of: 1).batches
        #expect(pause == 1 ? (4_096...8_192).contains(held) : (60...124).contains(held))
    }
}
