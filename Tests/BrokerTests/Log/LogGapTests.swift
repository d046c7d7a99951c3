import Reactions
import Storage
import Testing
import Transport

@testable import Broker

/// A snapshot that is older than what was let go of behind it, as where an older copy of the state stream was brought back.
@Suite struct LogGapTests {
    /// A log of which all is known, with what the channel was at each place.
    private struct Written {
        var entries: [LogEntry] = []
        var known = LogProgress()
        var ledger = Ledger()

        /// Appends batches of two writers in turn, who had applied all that was before.
        mutating func write(_ count: Int) {
            for _ in 0..<count {
                let number = UInt64(entries.count + 1)
                let operation = Reactions.Operation(
                    .add(reaction: "👍", count: nil, data: nil), message: "m\(number)", user: "ada")
                let batch = LogBatch(
                    writer: 70 + number % 2, number: number, seen: known.chain.newest, rules: Rules(),
                    entries: [LogBatch.Entry(at: 1_000_000, operation)])
                let entry = LogEntry(position: number, bytes: batch.bytes)
                known.pass(entry.bytes, at: entry.position)
                _ = try? ledger.apply(operation, rules: Rules(), at: 1_000_000)
                entries.append(entry)
            }
        }

        var snapshot: LogReading.Snapshot {
            LogReading.Snapshot(
                position: known.position,
                bytes: ChannelSnapshot(progress: known, image: ledger.image, events: [], isAnonymous: false).bytes)
        }

        func reading(_ snapshot: LogReading.Snapshot?, from first: Int) -> LogReading {
            LogReading(
                .whole, snapshot: snapshot, entries: Array(entries[(first - 1)...]), last: entries.last)
        }
    }

    /// A log of 1,200 entries, and the snapshot of some of the first.
    private func written(snapshotAt place: Int) -> (log: Written, snapshot: LogReading.Snapshot?) {
        var log = Written()
        log.write(place)
        let snapshot = log.snapshot
        log.write(1_200 - place)
        return (log, place > 0 ? snapshot : nil)
    }

    @Test(
        "a channel is not taken from a snapshot and a log that begins behind it, until they go together",
        arguments: [0, 1, 300, 500])
    func gap(place: Int) async throws {
        let (log, snapshot) = written(snapshotAt: place)
        let harness = try await LogHarness(0)
        let node = harness.addUnread()
        _ = await node.channel.read(.success(log.reading(snapshot, from: 513)), at: harness.moment)
        #expect(await node.channel.isUnread)
        let id = await harness.add(0, 1)
        let work = await node.channel.takeLogWork(number: node.number, at: harness.moment)
        #expect(work.fault == .gap && work.say.isEmpty && work.append == nil)
        _ = await node.channel.read(.success(log.reading(snapshot, from: 513)), at: harness.moment)
        await harness.collect(node)
        #expect(harness.reply(0, id)?["code"] as? String == "unavailable")
        #expect((harness.reply(0, id)?["message"] as? String)?.contains("gap") == true)
        #expect(node.sent.isEmpty)

        #expect(await node.channel.read(.success(log.reading(snapshot, from: place + 1)), at: harness.moment) == nil)
        #expect(await node.channel.isUnread == false)
        #expect(await node.channel.ledger.seq == 1_200)
        #expect(await node.channel.takeLogWork(number: node.number, at: harness.moment).fault == nil)
    }

    @Test("a broker that has all in memory keeps it, and its subscribers hear nothing, whatever the others read")
    func whoIsRight() async throws {
        let (log, snapshot) = written(snapshotAt: 300)
        let harness = try await LogHarness(0)
        let node = harness.addUnread()
        _ = await node.channel.read(.success(log.reading(snapshot, from: 301)), at: harness.moment)
        _ = await harness.subscribe(0, 9)
        await harness.collect(node)
        node.heard = []
        _ = await node.channel.read(.success(log.reading(snapshot, from: 513)), at: harness.moment)
        await harness.collect(node)
        #expect(await node.channel.ledger.seq == 1_200)
        #expect(await node.channel.line?.fault == .gap)
        #expect(node.heard.isEmpty)
        #expect(await node.channel.line?.readAt == harness.moment.clock + LogLine.gapDelay)
        await harness.add(0, 1)
        await harness.collect(node)
        #expect(node.sent.count == 1, "it goes on")
        _ = await node.channel.read(.success(log.reading(snapshot, from: 301)), at: harness.moment)
        #expect(await node.channel.line?.fault == nil)
    }

    @Test("an entry that the log has lost, and that its writer had seen, is no gap", arguments: [1, 2, 300, 1_199])
    func loss(place: Int) async throws {
        var log = Written()
        log.write(place - 1)
        let snapshot = place > 1 ? log.snapshot : nil
        // Its writer has applied one that nobody else has, and finds that out with the next.
        var liar = log
        liar.known.pass(
            LogBatch(
                writer: 99, number: 1, seen: LogMark(position: 0, digest: 0), rules: Rules(),
                entries: [
                    .init(at: 1, .init(.add(reaction: "👍", count: nil, data: nil), message: "m", user: "eve"))
                ]
            ).bytes, at: UInt64(place))
        liar.write(1)
        let last = try #require(liar.entries.last)
        log.entries.append(LogEntry(position: UInt64(place) + 1, bytes: last.bytes))
        log.known.pass(last.bytes, at: UInt64(place) + 1)
        let harness = try await LogHarness(0)
        let node = harness.addUnread()
        let reading = LogReading(.whole, snapshot: snapshot, entries: [try #require(log.entries.last)])
        #expect(await node.channel.read(.success(reading), at: harness.moment) == nil)
        #expect(await node.channel.isUnread == false)
        let work = await node.channel.takeLogWork(number: node.number, at: harness.moment)
        #expect(work.fault == nil)
        #expect(work.say == [LogDoubt.Notice(writer: node.writer, mark: log.known.mark).bytes], "the others are told")
    }

    @Test("what is wrong with a channel makes the broker unwell until it is well again, and a later version for good")
    func health() {
        let health = StoreHealth(hasSharedLog: false)
        let time = MonotonicTime.now
        #expect(health.note(.gap, ofChannel: "chat:1"))
        #expect(!health.note(.gap, ofChannel: "chat:1"), "it is said once")
        #expect(health.fault(at: time + .seconds(3_600)) == LogFault.gap.rawValue, "no channel is named")
        #expect(!health.cameBack(fromPart: 0))
        #expect(!health.isWell(at: time), "what comes back of others changes nothing")
        #expect(!health.note(nil, ofChannel: "chat:2"))
        #expect(health.note(nil, ofChannel: "chat:1"))
        #expect(health.isWell(at: time) && !health.hasLogFaults)
        #expect(health.note(.laterVersion, ofChannel: "chat:1"))
        #expect(!health.note(nil, ofChannel: "chat:1"))
        #expect(!health.note(.gap, ofChannel: "chat:1"))
        #expect(health.fault(at: time + .seconds(3_600))?.contains("later version") == true)
    }
}

extension LogProgress {
    /// Goes on past what was logged as some bytes.
    fileprivate mutating func pass(_ bytes: [UInt8], at position: UInt64) {
        pass(LogBatch(bytes: bytes), as: bytes, at: position)
    }
}
