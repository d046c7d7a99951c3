import Foundation
import Reactions
import Storage
import Testing
import Wire

@testable import Broker

/// What goes into a log that brokers share, how much of it at once, and what it costs who asks.
@Suite struct LogIntakeTests {
    typealias Action = Reactions.Operation.Action

    static func add(_ reaction: String) -> Action { .add(reaction: reaction, count: nil, data: nil) }

    private func limited(_ burst: Int, _ rules: Rules = Rules(kind: .any)) -> Namespace {
        Namespace(rules: rules, rates: Rates(user: Rate(perSecond: 0.001, burst: burst)))
    }

    private func codes(_ harness: LogHarness, _ ids: [UInt64]) -> [String] {
        ids.map { id in
            let reply = harness.reply(0, id)
            return reply?["code"] as? String ?? reply?["result"] as? String ?? "none"
        }
    }

    private func orderOfReplies(_ harness: LogHarness) -> [UInt64] {
        harness.nodes[0].heard.compactMap { ($0["id"] as? NSNumber)?.uint64Value }
    }

    @Test(
        "what is refused whatever the channel has is never appended, takes no token and keeps its place",
        arguments: [
            (LogIntakeTests.add(String(repeating: "x", count: 60_000)), "invalid_reaction"),
            (.remove(reaction: String(repeating: "x", count: 60_000), count: nil), "invalid_reaction"),
            (.toggle(reaction: "not one", count: nil, data: nil), "invalid_reaction"),
            (.clear(reaction: "not one", user: nil), "invalid_reaction"),
            (LogIntakeTests.add("🎉"), "reaction_not_allowed"), (.set(reactions: ["👍", "🎉"]), "reaction_not_allowed"),
            (.set(reactions: ["🎉", "not one"]), "invalid_reaction"),
            (.add(reaction: "👍", count: 2, data: nil), "bad_request"),
            (.remove(reaction: "👍", count: 0), "bad_request"),
        ] as [(Action, String)])
    func refusedAtOnce(action: Action, code: String) async throws {
        let harness = try await LogHarness(1, limited(2, Rules(allowed: [Reaction(canonical: "👍")])))
        let first = await harness.add(0, 1)
        await harness.collect(harness.nodes[0])
        let refused = await harness.act(0, 1, action)
        let last = await harness.act(0, 1, .remove(reaction: "👍", count: nil))
        await harness.collect(harness.nodes[0])
        #expect(orderOfReplies(harness).isEmpty)
        await harness.settle()
        #expect(orderOfReplies(harness) == [first, refused, last])
        #expect(codes(harness, [first, refused, last]) == ["added", code, "removed"])
        // One that is not answered at once is appended again, and counts once.
        let batches = Set(harness.log.all.map(\.bytes))
        #expect(batches.count == 2)
        #expect(batches.allSatisfy { LogBatch(bytes: $0)?.entries.count == 1 })
    }

    @Test("a token's list is no part of what is appended, but what it says of a toggle")
    func tokenList() async throws {
        let harness = try await LogHarness(1, Namespace(rules: Rules(kind: .any)))
        await harness.act(0, 1, Self.add("b"))
        await harness.settle()
        var ids: [UInt64] = []
        for reaction in ["a", "b", "c"] {
            let operation = Reactions.Operation(
                .toggle(reaction: reaction, count: nil, data: nil), message: "m1", user: "u1", tokenAllowed: ["a"])
            ids.append(await harness.ask(0, 1, .operation(operation)))
        }
        await harness.collect(harness.nodes[0])
        let appended = harness.sent(0).flatMap(\.self)
        #expect(appended.map(\.tokenAllowed) == [nil, [], []])
        await harness.settle()
        // What is there can be taken away, listed or not.
        #expect(codes(harness, ids) == ["added", "removed", "reaction_not_allowed"])
    }

    @Test("a key that is known is answered without the log, and takes no token")
    func knownKey() async throws {
        let harness = try await LogHarness(1, limited(1))
        await harness.act(0, 1, Self.add("a"), key: "k")
        await harness.settle()
        let again = await harness.act(0, 1, Self.add("a"), key: "k")
        let reused = await harness.act(0, 1, Self.add("no reaction"), key: "k")
        await harness.collect(harness.nodes[0])
        #expect(harness.reply(0, again)?["duplicate"] as? Bool == true)
        #expect(codes(harness, [again, reused]) == ["added", "key_reused"])
        #expect(harness.nodes[0].sent.isEmpty)
    }

    @Test("the same key many times at once is one change and one token")
    func keyAtOnce() async throws {
        let harness = try await LogHarness(1, limited(3))
        var ids: [UInt64] = []
        for _ in 0..<20 { ids.append(await harness.act(0, 1, Self.add("a"), key: "k")) }
        ids.append(await harness.act(0, 1, Self.add("no reaction"), key: "k"))
        for reaction in ["b", "c", "d"] { ids.append(await harness.act(0, 1, Self.add(reaction))) }
        await harness.settle()
        #expect(orderOfReplies(harness) == ids)
        let expected = Array(repeating: "added", count: 20) + ["key_reused", "added", "added", "rate_limited"]
        #expect(codes(harness, ids) == expected)
        #expect(ids.prefix(20).count { harness.reply(0, $0)?["duplicate"] as? Bool == true } == 19)
        #expect(harness.log.all.compactMap { LogBatch(bytes: $0.bytes)?.entries.count } == [1, 2])
    }

    @Test("where the first with a key is refused the next one is a first one")
    func keyAfterRefusal() async throws {
        let harness = try await LogHarness(1, limited(2))
        await harness.act(0, 9, .freeze(true))
        let first = await harness.act(0, 1, Self.add("a"), key: "k")
        await harness.act(0, 8, .freeze(false))
        let second = await harness.act(0, 1, Self.add("a"), key: "k")
        let third = await harness.act(0, 1, Self.add("a"), key: "k")
        await harness.settle()
        let fourth = await harness.act(0, 1, Self.add("b"))
        await harness.settle()
        #expect(codes(harness, [first, second, third, fourth]) == ["frozen", "added", "added", "rate_limited"])
        #expect(harness.reply(0, third)?["duplicate"] as? Bool == true)
    }

    @Test("where the log takes nothing, one that waits for the first with its key is refused with it")
    func keyInOutage() async throws {
        let harness = try await LogHarness(1, limited(2))
        let node = harness.nodes[0]
        var ids: [UInt64] = []
        for _ in 0..<3 { ids.append(await harness.act(0, 1, Self.add("a"), key: "k")) }
        for _ in 0..<8 {
            await harness.collect(node)
            node.sent.removeAll()
            harness.moment.clock += 1_000
        }
        #expect(codes(harness, ids) == ["unavailable", "unavailable", "unavailable"])
        await harness.settle()
        let retry = await harness.act(0, 1, Self.add("a"), key: "k")
        await harness.settle()
        #expect(codes(harness, [retry]) == ["added"])
    }

    @Test("all that is appended takes a token, also what the channel would refuse as it is now")
    func tokens() async throws {
        let harness = try await LogHarness(1, limited(5, Rules(kind: .any, maxPerUserAndMessage: 3)))
        for reaction in ["a", "b", "c"] { await harness.act(0, 1, Self.add(reaction)) }
        await harness.settle()
        var ids = [await harness.act(0, 1, .set(reactions: []))]
        for number in 0..<5 { ids.append(await harness.act(0, 1, Self.add("n\(number)"))) }
        await harness.settle()
        #expect(codes(harness, ids) == ["changed", "added"] + Array(repeating: "rate_limited", count: 4))
    }

    @Test("who has no token is told first why the channel refuses it anyway, where nothing waits ahead")
    func orderOfRefusals() async throws {
        let harness = try await LogHarness(1, limited(1))
        await harness.act(0, 1, Self.add("a"))
        await harness.act(0, 9, .freeze(true))
        await harness.settle()
        let refused = await harness.act(0, 1, Self.add("b"))
        await harness.settle()
        #expect(codes(harness, [refused]) == ["frozen"])
    }

    @Test("a batch has no more bytes than the log takes, and what does not fit goes with the next one")
    func batchBytes() async throws {
        let harness = try await LogHarness(2, Namespace(rules: Rules(kind: .any)), maxBatchBytes: 2_100)
        let data = ReactionData(text: String(repeating: "t", count: 300), canonical: String(repeating: "c", count: 300))
        var ids: [UInt64] = []
        for number in 0..<20 {
            let add = Action.add(reaction: "a", count: nil, data: data)
            ids.append(await harness.act(0, 1, add, on: "m\(number)"))
        }
        await harness.settle()
        #expect(codes(harness, ids) == Array(repeating: "added", count: 20))
        #expect(orderOfReplies(harness) == ids)
        let sizes = harness.log.all.map(\.bytes.count)
        #expect(sizes.allSatisfy { $0 <= 2_100 } && sizes.count < 10)
        #expect(await harness.nodes[1].channel.ledger.seq == 20)
    }

    @Test("one that no batch has room for is refused in its place, and the others go")
    func tooLarge() async throws {
        let harness = try await LogHarness(1, Namespace(rules: Rules(kind: .any)), maxBatchBytes: 500)
        let data = ReactionData(text: String(repeating: "t", count: 300), canonical: String(repeating: "c", count: 300))
        var ids = [await harness.act(0, 1, Self.add("a"))]
        for _ in 0..<2 { ids.append(await harness.act(0, 1, .add(reaction: "b", count: nil, data: data))) }
        ids.append(await harness.act(0, 1, Self.add("c")))
        await harness.settle()
        #expect(codes(harness, ids) == ["added", "bad_request", "bad_request", "added"])
        #expect(orderOfReplies(harness) == ids)
    }

    @Test("what waits is bounded by its bytes, and there is room again when it is done")
    func waitingBytes() async throws {
        let harness = try await LogHarness(1, Namespace(rules: Rules(kind: .any)), maxWaitingBytes: 4_000)
        var ids: [UInt64] = []
        for number in 0..<6 {
            ids.append(await harness.ask(0, 2, .list(.messages([String(repeating: "m", count: 900)]))))
            ids.append(await harness.act(0, 1, Self.add("r\(number)")))
        }
        await harness.settle()
        #expect(orderOfReplies(harness) == ids)
        let refused = ids.count { harness.reply(0, $0)?["code"] as? String == "unavailable" }
        #expect((1..<ids.count).contains(refused))
        let hits = await harness.nodes[0].channel.takeCounts().overflows
        #expect(hits == Array(repeating: .waitingBytes, count: refused))
        let next = await harness.act(0, 1, Self.add("next"))
        await harness.settle()
        #expect(codes(harness, [next]) == ["added"])
        #expect(await harness.nodes[0].channel.line?.queue.bytes == 0)
    }

    @Test("so is what waits until a channel is read")
    func unreadBytes() async throws {
        let harness = try await LogHarness(0, Namespace(rules: Rules(kind: .any)), maxWaitingBytes: 4_000)
        let node = harness.addUnread()
        var ids: [UInt64] = []
        for number in 0..<20 { ids.append(await harness.act(0, 1, Self.add("r\(number)"))) }
        ids.append(await harness.subscribe(0, 1))
        _ = await node.channel.read(.success(harness.log.read(after: nil)), at: harness.moment)
        await harness.settle()
        #expect(orderOfReplies(harness) == ids)
        let codes = codes(harness, ids)
        let taken = codes.count { $0 == "added" || $0 == "too_many_reactions" }
        #expect(taken > 0 && taken < 20)
        #expect(codes == codes.prefix(taken) + Array(repeating: "unavailable", count: 21 - taken))
    }
}
