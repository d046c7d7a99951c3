import Reactions
import Storage
import TestSupport
import Testing

@testable import Broker

/// Brokers to which NATS has told different things, or that it has told something that it lost: all become what it has.
@Suite struct LogDoubtTests {
    /// A batch that was never in the log.
    private func foreign(_ user: String, _ number: UInt64 = 1) -> [UInt8] {
        let operation = Reactions.Operation(
            .add(reaction: "👍", count: nil, data: nil), message: "m1", user: user)
        return LogBatch(
            writer: 77, number: number, seen: LogMark(position: 0, digest: 0), rules: Rules(),
            entries: [LogBatch.Entry(at: 1_000_000, operation)]
        ).bytes
    }

    /// Two brokers with one subscriber each, of which the second was told something else at the newest place.
    private func differing() async throws -> LogHarness {
        let harness = try await LogHarness(2)
        for node in 0...1 { _ = await harness.subscribe(node, 9) }
        await harness.add(0, 1)
        await harness.settle()
        await harness.add(0, 2)
        await harness.collect(harness.nodes[0])
        await harness.store(harness.nodes[0])
        harness.nodes[1].told[0].entry.bytes = foreign("mallory")
        await harness.settle()
        #expect(await users(harness.nodes[0]) == ["u1", "u2"])
        #expect(await users(harness.nodes[1]) == ["u1", "mallory"])
        return harness
    }

    private func users(_ node: LogHarness.Node) async -> Set<String> {
        let records = await node.channel.ledger.image.records
        return Set(records.compactMap { if case .entry(_, let user, _, _) = $0 { user } else { nil } })
    }

    private func count(_ type: String, _ node: LogHarness.Node) -> Int {
        node.heard.count { $0["type"] as? String == type }
    }

    @Test("a broker that has applied something else finds out by the next batch, and becomes what the log is")
    func nextBatch() async throws {
        let harness = try await differing()
        await harness.add(0, 3)
        await harness.settle()
        for node in harness.nodes { #expect(await users(node) == ["u1", "u2", "u3"]) }
        #expect(count("missed", harness.nodes[1]) == 1)
        #expect(count("missed", harness.nodes[0]) == 0)
        #expect(count("added", harness.nodes[0]) == 3)
    }

    @Test(
        "it is told where nobody but itself writes, and those who were right go on without a word to their subscribers")
    func ownBatch() async throws {
        let harness = try await differing()
        await harness.add(1, 3)
        await harness.settle()
        for node in harness.nodes { #expect(await users(node) == ["u1", "u2", "u3"]) }
        #expect(count("missed", harness.nodes[1]) == 1)
        #expect(count("missed", harness.nodes[0]) == 0)
        #expect(count("added", harness.nodes[0]) == 3)
    }

    @Test("it finds out by looking where nobody writes")
    func look() async throws {
        let harness = try await differing()
        await harness.markDoubtful(1)
        await harness.settle()
        #expect(await users(harness.nodes[1]) == ["u1", "u2"])
        #expect(count("missed", harness.nodes[1]) == 1)
    }

    @Test("a sign that the log works again is sent again where the log has taken it and lost it")
    func lostSign() async throws {
        let harness = try await LogHarness(1)
        let node = harness.nodes[0]
        await harness.add(0, 1)
        for _ in 0..<8 {
            await harness.collect(node)
            node.sent.removeAll { LogBatch(bytes: $0.bytes)?.entries.isEmpty == false }
            harness.moment.clock += 1_000
        }
        #expect(!node.sent.isEmpty && harness.sent(0).allSatisfy(\.isEmpty))
        node.sent.removeLast(node.sent.count - 1)
        await harness.store(node)
        node.told.removeAll()
        harness.log.lose(after: 0)
        await harness.settle()
        let id = await harness.add(0, 2)
        await harness.settle()
        #expect(harness.reply(0, id)?["seq"] as? Int == 1)
    }

    @Test("all is read at once, and where that does not help less and less often")
    func pauses() {
        var doubt = LogDoubt()
        let mark = LogMark(position: 4, digest: 5)
        #expect(doubt.takeUntold() == nil)
        #expect(doubt.arise(from: mark, at: 1_000) == 1_000)
        #expect(doubt.takeUntold() == mark && doubt.takeUntold() == nil)
        #expect(doubt.arise(from: mark, at: 1_500) == 3_000)
        #expect(doubt.takeUntold() == nil, "the others know")
        #expect(doubt.arise(from: mark, at: 3_000) == 3_000)
        #expect(doubt.arise(from: mark, at: 3_001) == 7_000)
        var clock: Int64 = 7_000
        for _ in 0..<20 {
            #expect(doubt.arise(from: mark, at: clock) == clock)
            clock = doubt.arise(from: mark, at: clock)
        }
        let before = clock
        #expect(doubt.arise(from: mark, at: before) == before)
        #expect(doubt.arise(from: mark, at: before + 1) == before + LogDoubt.longestPause)
        let muchLater = before + 3 * LogDoubt.longestPause
        #expect(doubt.arise(from: mark, at: muchLater) == muchLater)
        #expect(doubt.arise(from: mark, at: muchLater) == muchLater + LogDoubt.pause)
    }

    @Test("what a broker says where it doubts is read again, and is nothing else")
    func notice() {
        let notice = LogDoubt.Notice(writer: .max, mark: LogMark(position: 1 << 40, digest: .max))
        #expect(LogDoubt.Notice(bytes: notice.bytes) == notice)
        for count in notice.bytes.indices { #expect(LogDoubt.Notice(bytes: Array(notice.bytes[..<count])) == nil) }
        #expect(SharedOccupancy.Notice(bytes: notice.bytes) == nil)
    }

    /// A broker that had all, and one that came later and was told something else in the middle of the log.
    private func differingInTheMiddle() async throws -> LogHarness {
        let harness = try await LogHarness(1)
        for user in 1...3 {
            await harness.add(0, user)
            await harness.settle()
        }
        let late = harness.addUnread()
        var reading = harness.log.read(after: nil)
        reading.entries[1].bytes = foreign("mallory")
        #expect(await late.channel.read(.success(reading), at: harness.moment) == nil)
        #expect(await users(late) == ["u1", "mallory", "u3"])
        return harness
    }

    @Test("a broker that reads what contradicts itself tells the others, and all become what the log is")
    func contradictoryReading() async throws {
        let harness = try await differingInTheMiddle()
        // One says it, the other one reads and says what it has, the first one reads.
        for _ in 0..<3 { await harness.settle() }
        for node in harness.nodes { #expect(await users(node) == ["u1", "u2", "u3"]) }
        #expect(count("added", harness.nodes[0]) == 0 && count("missed", harness.nodes[0]) == 0)
    }

    @Test("brokers that differ and are at rest find out by what they say when they look", arguments: [0, 1])
    func atRest(looker: Int) async throws {
        let harness = try await differingInTheMiddle()
        // What the late one says is lost.
        _ = await harness.nodes[1].channel.takeLogWork(number: 1, at: harness.moment)
        await harness.settle()
        #expect(await users(harness.nodes[1]).contains("mallory"))
        await harness.markDoubtful(looker)
        await harness.settle()
        for node in harness.nodes { #expect(await users(node) == ["u1", "u2", "u3"]) }
    }

    @Test("a broker that looks says what it has come to, unless another one has said the same since it looked last")
    func oneSays() async throws {
        let harness = try await LogHarness(2)
        await harness.add(0, 1)
        await harness.settle()
        var said: [[Int]] = []
        for _ in 0..<3 {
            var inRound: [Int] = []
            for (index, node) in harness.nodes.enumerated() {
                await harness.markDoubtful(index)
                let work = await node.channel.takeLogWork(number: node.number, at: harness.moment)
                inRound.append(work.say.count)
                for bytes in work.say {
                    for other in harness.nodes { await other.channel.heard(said: bytes, at: harness.moment) }
                }
                _ = await node.channel.read(.success(harness.log.read(after: 1)), at: harness.moment)
            }
            said.append(inRound)
        }
        #expect(said == [[1, 0], [1, 0], [1, 0]])
    }

    @Test(
        "behind a change of a later version nothing is applied, and no change is taken; what is no batch at all is left out"
    )
    func laterVersion() async throws {
        for (first, isLater) in [(0, false), (1, false), (2, true), (255, true)] as [(UInt8, Bool)] {
            let harness = try await LogHarness(1)
            let node = harness.nodes[0]
            let before = await harness.add(0, 1, key: "k")
            await harness.settle()
            let underWay = await harness.add(0, 2)
            await harness.collect(node)
            let (entry, previous) = harness.log.append([first, 7, 7], step: 1)
            await node.channel.heard(entry, previous: previous, at: harness.moment)
            let work = await node.channel.takeLogWork(number: node.number, at: harness.moment)
            #expect(work.fault == (isLater ? .laterVersion : nil))
            await harness.settle()
            #expect((harness.reply(0, underWay)?["code"] as? String == "unavailable") == isLater)
            let after = await harness.add(0, 3)
            let again = await harness.add(0, 1, key: "k")
            let ahead = await harness.subscribe(0, 9, since: 50)
            await harness.settle()
            #expect(harness.reply(0, before)?["seq"] as? Int == 1)
            #expect((harness.reply(0, after)?["code"] as? String == "unavailable") == isLater)
            #expect(harness.reply(0, again)?["seq"] as? Int == 1, "what is known is answered")
            #expect((harness.reply(0, ahead)?["code"] as? String == "unavailable") == isLater)
            #expect(await node.channel.ledger.seq == (isLater ? 1 : 3))
            #expect(await node.channel.isIdle == true || !isLater)
        }
    }

    @Test("a broker that comes to a channel with a change of a later version shows what was before that")
    func laterVersionRead() async throws {
        let harness = try await LogHarness(1)
        await harness.add(0, 1)
        await harness.settle()
        _ = harness.log.append([2, 7], step: 1)
        _ = harness.log.append(foreign("mallory"), step: 1)
        try await harness.addNode()
        let id = await harness.add(1, 5)
        await harness.settle()
        #expect(await users(harness.nodes[1]) == ["u1"])
        #expect(await harness.nodes[1].channel.line?.fault == .laterVersion)
        #expect(harness.reply(1, id)?["code"] as? String == "unavailable")
    }

    @Test(
        "whatever brokers were told in the place of what the log has, they become what it has",
        arguments: 1...12 as ClosedRange<UInt64>)
    func anything(seed: UInt64) async throws {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let harness = try await LogHarness(3)
        for node in 0..<3 { _ = await harness.subscribe(node, 100 + node) }
        for step in 0..<300 {
            let index = Int.random(in: 0..<3, using: &random)
            let node = harness.nodes[index]
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3: await harness.add(index, Int.random(in: 1...9, using: &random), key: "k\(step)")
            case 4...5: await harness.store(node, step: UInt64.random(in: 1...3, using: &random))
            case 6:
                if !node.told.isEmpty { node.told[0].entry.bytes = foreign("f\(step)", UInt64(step + 1)) }
            case 7...8: await harness.hear(node, Int.random(in: 0..<2, using: &random))
            default:
                await harness.answerRead(node, fails: Bool.random(using: &random))
                harness.moment.clock += Int64.random(in: 0...800, using: &random)
            }
            await harness.collect(node)
        }
        for _ in 0..<3 {
            await harness.settle()
            harness.moment.clock += 2 * LogDoubt.longestPause
            for node in 0..<3 { await harness.markDoubtful(node) }
            await harness.settle()
            for node in 0..<3 { await harness.act(node, 50 + node, .toggle(reaction: "🎉", count: nil, data: nil)) }
        }
        await harness.settle()
        var plain = (ledger: Ledger(), progress: LogProgress())
        for entry in harness.log.all {
            guard let batch = LogBatch(bytes: entry.bytes),
                plain.progress.advance(to: batch, as: entry.bytes, at: entry.position)
            else { continue }
            for entry in batch.entries {
                _ = try? plain.ledger.apply(entry.operation, rules: batch.rules, at: plain.progress.time(of: entry))
            }
        }
        for node in harness.nodes {
            let image = await node.channel.ledger.image
            #expect(image.seq == plain.ledger.seq)
            #expect(Set(image.records) == Set(plain.ledger.image.records))
        }
    }
}
