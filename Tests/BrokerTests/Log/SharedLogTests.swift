import Foundation
import Reactions
import Storage
import TestSupport
import Testing
import Wire

@testable import Broker

/// Brokers that share a log: whichever is asked, all come to the same.
@Suite struct SharedLogTests {
    @Test("an ack comes when the log has come back with the change, and has the same seq as the event elsewhere")
    func acks() async throws {
        let harness = try await LogHarness(2)
        let subscribed = await harness.subscribe(1, 9)
        let id = await harness.add(0, 1)
        await harness.collect(harness.nodes[0])
        #expect(harness.reply(0, id) == nil)
        await harness.store(harness.nodes[0])
        #expect(harness.reply(0, id) == nil)
        await harness.settle()
        #expect(harness.reply(0, id)?["seq"] as? Int == 1)
        #expect(harness.reply(1, subscribed)?["seq"] as? Int == 0)
        let events = harness.nodes[1].heard.filter { $0["type"] as? String == "added" }
        #expect(events.count == 1 && events[0]["seq"] as? Int == 1)
    }

    @Test("requests of one connection are answered in their order, those that change nothing too")
    func order() async throws {
        let harness = try await LogHarness(1)
        let first = await harness.add(0, 1)
        let list = await harness.ask(0, 1, .list(.messages(["m1"])))
        let second = await harness.act(0, 1, .remove(reaction: "👍", count: nil))
        let last = await harness.ask(0, 1, .list(.messages(["m1"])))
        await harness.settle()
        let replies = harness.nodes[0].heard.compactMap { ($0["id"] as? NSNumber)?.uint64Value }
        #expect(replies == [first, list, second, last])
        #expect(harness.reply(0, list)?["seq"] as? Int == 1)
        #expect(harness.reply(0, last)?["seq"] as? Int == 2)
    }

    @Test("a key that was used by way of one broker is known to the other")
    func keys() async throws {
        let harness = try await LogHarness(2)
        let first = await harness.add(0, 1, key: "k")
        await harness.settle()
        let again = await harness.add(1, 1, key: "k")
        let other = await harness.add(1, 1, on: "m2", key: "k")
        await harness.settle()
        #expect(harness.reply(1, again)?["duplicate"] as? Bool == true)
        #expect(harness.reply(1, again)?["seq"] as? Int == harness.reply(0, first)?["seq"] as? Int)
        #expect(harness.reply(1, other)?["code"] as? String == "key_reused")
    }

    @Test("what was missed on its way is read, and told in order")
    func gaps() async throws {
        let harness = try await LogHarness(2)
        _ = await harness.subscribe(1, 9)
        for user in 1...3 {
            await harness.add(0, user)
            await harness.collect(harness.nodes[0])
            await harness.store(harness.nodes[0])
            await harness.hear(harness.nodes[0])
        }
        harness.nodes[1].told.removeFirst(2)
        await harness.settle()
        let seqs = harness.nodes[1].heard.filter { $0["type"] as? String == "added" }.compactMap { $0["seq"] as? Int }
        #expect(seqs == [1, 2, 3])
    }

    @Test("a subscriber resumes by way of another broker, also one that has not heard of all yet")
    func resume() async throws {
        let harness = try await LogHarness(2)
        await harness.add(0, 1)
        await harness.add(0, 2)
        await harness.collect(harness.nodes[0])
        await harness.store(harness.nodes[0])
        await harness.hear(harness.nodes[0])
        // The second broker has heard nothing.
        let id = await harness.subscribe(1, 9, since: 1)
        await harness.settle()
        #expect(harness.reply(1, id)?["recovered"] as? Bool == true)
        let seqs = harness.nodes[1].heard.filter { $0["type"] as? String == "added" }.compactMap { $0["seq"] as? Int }
        #expect(seqs == [2])
    }

    @Test("a seq that nobody has is no reason to wait for ever")
    func foreignSeq() async throws {
        let harness = try await LogHarness(1)
        await harness.add(0, 1)
        let id = await harness.subscribe(0, 9, since: 77)
        let after = await harness.add(0, 2)
        await harness.settle()
        #expect(harness.reply(0, id)?["recovered"] as? Bool == false)
        #expect(harness.reply(0, id)?["seq"] as? Int == 1)
        #expect(harness.reply(0, after)?["seq"] as? Int == 2)
    }

    @Test("where the log takes nothing there is no ack, and changes are refused until it does")
    func outage() async throws {
        let harness = try await LogHarness(1)
        let node = harness.nodes[0]
        let lost = await harness.add(0, 1)
        for _ in 0..<20 {
            await harness.collect(node)
            node.sent.removeAll()
            harness.moment.clock += 1_000
        }
        #expect(harness.reply(0, lost)?["code"] as? String == "unavailable")
        let refused = await harness.add(0, 2)
        await harness.collect(node)
        #expect(harness.reply(0, refused)?["code"] as? String == "unavailable")
        let read = await harness.ask(0, 3, .list(.messages(["m1"])))
        await harness.collect(node)
        #expect(harness.reply(0, read)?["seq"] as? Int == 0)
        await harness.settle()
        let taken = await harness.add(0, 2)
        await harness.settle()
        #expect(harness.reply(0, taken)?["seq"] as? Int == 1)
    }

    @Test("a batch that was given up changes nothing when it comes after all")
    func givenUp() async throws {
        let harness = try await LogHarness(2)
        let node = harness.nodes[0]
        await harness.add(0, 1)
        await harness.collect(node)
        let late = try #require(node.sent.first)
        for _ in 0..<20 {
            harness.moment.clock += 1_000
            await harness.collect(node)
        }
        // All that was sent again is lost, and what came after it arrives.
        node.sent.removeAll { $0.number == late.number }
        await harness.settle()
        node.sent.append(late)
        await harness.settle()
        for node in harness.nodes { #expect(await node.channel.ledger.seq == 0) }
    }

    @Test("a batch that was sent twice counts once")
    func twice() async throws {
        let harness = try await LogHarness(2)
        let node = harness.nodes[0]
        let id = await harness.add(0, 1)
        await harness.collect(node)
        let batch = try #require(node.sent.first)
        await harness.store(node, losesAnswer: true)
        node.sent.append((batch.number, batch.bytes))
        await harness.settle()
        // Once more by the channel, which heard nothing of it.
        #expect(harness.log.all.count == 3)
        #expect(Set(harness.log.all.map(\.bytes)).count == 1)
        #expect(harness.reply(0, id)?["seq"] as? Int == 1)
        for node in harness.nodes { #expect(await node.channel.ledger.seq == 1) }
    }

    @Test("a broker that comes late begins with a snapshot, and has its events for those who resume")
    func late() async throws {
        let harness = try await LogHarness(1)
        for round in 0..<Int(LogLine.snapshotEvery) + 3 {
            await harness.act(0, round % 7, .toggle(reaction: "👍", count: nil, data: nil))
            await harness.settle()
        }
        try await harness.addNode()
        let seq = await harness.nodes[0].channel.ledger.seq
        let id = await harness.subscribe(1, 9, since: seq - 20)
        await harness.settle()
        #expect(harness.reply(1, id)?["recovered"] as? Bool == true)
        let seqs = harness.nodes[1].heard.filter { $0["count"] != nil }.compactMap {
            ($0["seq"] as? NSNumber)?.uint64Value
        }
        #expect(seqs == Array(seq - 19...seq))
        await expectEqual(harness, 1)
    }

    @Test("a broker that missed more than the log still has gives its subscribers fresh state")
    func trimmed() async throws {
        let harness = try await LogHarness(2)
        _ = await harness.subscribe(1, 9)
        let away = harness.nodes[1]
        await harness.collect(away)
        for round in 0..<2 * Int(LogLine.snapshotEvery) + 3 {
            await harness.act(0, round % 7, .toggle(reaction: "👍", count: nil, data: nil))
            await harness.collect(harness.nodes[0])
            await harness.store(harness.nodes[0])
            await harness.hear(harness.nodes[0])
            away.told.removeAll()
            harness.moment.clock += 10
        }
        await harness.act(0, 1, .toggle(reaction: "👍", count: nil, data: nil))
        await harness.settle()
        #expect(away.heard.contains { $0["type"] as? String == "missed" && ($0["seq"] as? NSNumber)?.intValue == 1 })
        await expectEqual(harness, 1)
    }

    @Test("where the log has lost its end, all brokers become what is left of it")
    func lostEnd() async throws {
        let harness = try await LogHarness(2)
        _ = await harness.subscribe(1, 9)
        harness.step = 10
        for user in 1...4 {
            await harness.add(0, user)
            await harness.settle()
        }
        harness.log.lose(after: 20)
        harness.step = 7
        for user in 5...8 {
            await harness.add(0, user)
            await harness.settle()
        }
        await expectEqual(harness, 1)
        #expect(await harness.nodes[1].channel.ledger.seq == 6)
        #expect(harness.nodes[1].heard.contains { $0["type"] as? String == "missed" })
    }

    @Test("where the log ends before what it has told, and goes on ending there, brokers go back to that")
    func shorterLog() async throws {
        let harness = try await LogHarness(1)
        for user in 1...4 {
            await harness.add(0, user)
            await harness.settle()
        }
        harness.log.lose(after: 2)
        await harness.hear(harness.nodes[0])
        await harness.markDoubtful(0)
        await harness.settle()
        #expect(await harness.nodes[0].channel.ledger.seq == 2)
    }

    @Test(
        "whatever gets lost, comes late or twice, all brokers are what the log says",
        arguments: 1...12 as ClosedRange<UInt64>)
    func faults(seed: UInt64) async throws {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        // Some with batches of a few operations each.
        let harness = try await LogHarness(3, maxBatchBytes: seed % 3 == 0 ? 200 : 1 << 20)
        var asked: [(node: Int, id: UInt64)] = []
        for node in 0..<3 { _ = await harness.subscribe(node, 100 + node) }
        for _ in 0..<600 {
            let index = Int.random(in: 0..<3, using: &random)
            let node = harness.nodes[index]
            switch Int.random(in: 0..<12, using: &random) {
            case 0...3:
                let user = Int.random(in: 1...4, using: &random)
                let key = Bool.random(using: &random) ? "k\(Int.random(in: 0..<9, using: &random))" : nil
                let message = "m\(Int.random(in: 1...2, using: &random))"
                let actions: [Reactions.Operation.Action] = [
                    .add(reaction: "👍", count: nil, data: nil), .remove(reaction: "👍", count: nil),
                    .toggle(reaction: "🎉", count: nil, data: nil), .clear(reaction: nil, user: nil),
                    .add(reaction: "no reaction", count: nil, data: nil),
                ]
                let action = actions[Int.random(in: 0..<5, using: &random)]
                asked.append((index, await harness.act(index, user, action, on: message, key: key)))
            case 4...5: await harness.store(node, step: UInt64.random(in: 1...3, using: &random))
            case 6: await harness.store(node, losesAnswer: true)
            case 7: if !node.sent.isEmpty { node.sent.removeFirst() }
            case 8: await harness.hear(node, Int.random(in: 0..<2, using: &random), again: Bool.random(using: &random))
            case 9: if !node.told.isEmpty, Bool.random(using: &random) { node.told.removeFirst() }
            case 10: await harness.answerRead(node, fails: Bool.random(using: &random))
            default:
                harness.moment.clock += Int64.random(in: 0...800, using: &random)
                harness.moment.unix += Int64.random(in: -3...40, using: &random)
            }
            await harness.collect(node)
        }
        // One more, so that nobody is left behind without knowing.
        await harness.settle()
        asked.append((0, await harness.add(0, 50)))
        await harness.settle()

        var plain = (ledger: Ledger(), progress: LogProgress())
        for entry in harness.log.all { apply(entry, to: &plain) }
        for node in harness.nodes {
            let image = await image(node)
            #expect(image.seq == plain.ledger.seq)
            #expect(Set(image.records) == Set(plain.ledger.image.records))
            let seqs = node.heard.filter { $0["id"] == nil && $0["seq"] != nil }.compactMap {
                ($0["seq"] as? NSNumber)?.uint64Value
            }
            #expect(seqs == Array(1...plain.ledger.seq))
        }
        for (node, id) in asked {
            #expect(harness.nodes[node].heard.count { ($0["id"] as? NSNumber)?.uint64Value == id } == 1)
        }
    }

    private func apply(_ entry: LogEntry, to plain: inout (ledger: Ledger, progress: LogProgress)) {
        guard let batch = LogBatch(bytes: entry.bytes),
            plain.progress.advance(to: batch, as: entry.bytes, at: entry.position)
        else { return }
        for entry in batch.entries {
            _ = try? plain.ledger.apply(entry.operation, rules: batch.rules, at: plain.progress.time(of: entry))
        }
    }

    /// Makes sure that a node is what the first one is.
    private func expectEqual(_ harness: LogHarness, _ node: Int) async {
        let (first, other) = (await image(harness.nodes[0]), await image(harness.nodes[node]))
        #expect(other.seq == first.seq)
        #expect(other.records == first.records)
    }

    private func image(_ node: LogHarness.Node) async -> (seq: UInt64, records: Set<Record>) {
        let image = await node.channel.ledger.image
        return (image.seq, Set(image.records))
    }
}
