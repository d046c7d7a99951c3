import Foundation
import Reactions
import Storage
import Testing
import Transport
import Wire

@testable import Broker

/// What the log has taken counts when it comes back; what does not is told, and says that the log is not well.
@Suite struct LogReturnTests {
    /// Lets time go by for the first broker, whose batches arrive at the log and do not come back.
    private func wait(_ harness: LogHarness, seconds: Int) async {
        for _ in 0..<seconds {
            harness.moment.clock += 1_000
            await harness.collect(harness.nodes[0])
            while !harness.nodes[0].sent.isEmpty { await harness.store(harness.nodes[0]) }
        }
    }

    @Test("what the log took and did not tell in time is unavailable; the same key has its answer when it is there")
    func sameKey() async throws {
        let harness = try await LogHarness(2)
        let first = await harness.add(0, 1, key: "k")
        await wait(harness, seconds: 8)
        #expect(harness.reply(0, first)?["code"] as? String == "unavailable")
        let meanwhile = await harness.add(0, 1, key: "k")
        await harness.collect(harness.nodes[0])
        #expect(harness.reply(0, meanwhile)?["code"] as? String == "unavailable")
        await harness.settle()
        for node in 0...1 {
            let again = await harness.add(node, 1, key: "k")
            await harness.settle()
            let answer = harness.reply(node, again)
            #expect(answer?["duplicate"] as? Bool == true && answer?["seq"] as? Int == 1, "broker \(node)")
        }
        #expect(await harness.nodes[0].channel.ledger.total(of: "m1") == 1)
    }

    @Test("changes that the log takes and does not tell are trouble again and again, until one comes back")
    func trouble() async throws {
        let harness = try await LogHarness(1)
        let node = harness.nodes[0]
        await harness.add(0, 1)
        await wait(harness, seconds: 4)
        #expect(node.troubles == [] && node.returns == 0)
        await wait(harness, seconds: 8)
        #expect(node.troubles.count >= 3 && Set(node.troubles) == ["the log took changes that do not come back"])
        await harness.settle()
        #expect(node.returns == 1, "the one that finds out")
        let count = node.troubles.count
        let id = await harness.add(0, 2)
        await harness.settle()
        #expect(node.returns == 2 && node.troubles.count == count)
        #expect(harness.reply(0, id)?["type"] as? String == "ack")
    }

    @Test("a log that refuses changes is trouble for the reason that it gives")
    func refusals() async throws {
        let harness = try await LogHarness(1)
        let node = harness.nodes[0]
        let id = await harness.add(0, 1)
        for _ in 0..<60 {
            await harness.collect(node)
            for batch in node.sent {
                await node.channel.appended(batch.number, .failure(.refused("no room")), at: harness.moment)
            }
            node.sent.removeAll()
            harness.moment.clock += 250
        }
        #expect(harness.reply(0, id)?["code"] as? String == "unavailable")
        #expect(!node.troubles.isEmpty && Set(node.troubles) == ["the log refuses changes: no room"])
        await harness.settle()
        let again = await harness.add(0, 1)
        await harness.settle()
        #expect(harness.reply(0, again)?["seq"] as? Int == 1)
    }

    @Test(
        "a batch is not sent again by a broker that stood still for long, as its writer may be forgotten",
        arguments: [true, false])
    func outlived(sleeps: Bool) async throws {
        let harness = try await LogHarness(1)
        let node = harness.nodes[0]
        let id = await harness.add(0, 1)
        await harness.collect(node)
        node.sent.removeAll()
        harness.moment.unix += sleeps ? 1_200_000 : 1_000
        harness.moment.clock += sleeps ? 1_100 : 1_200_000
        await harness.collect(node)
        #expect(harness.sent(0) == [[]])
        await harness.collect(node)
        #expect(harness.reply(0, id)?["code"] as? String == "unavailable")
    }

    @Test("changes that do not get there are trouble too")
    func notTaken() async throws {
        let harness = try await LogHarness(1)
        await harness.add(0, 1)
        for _ in 0..<7 {
            harness.moment.clock += 1_000
            await harness.collect(harness.nodes[0])
        }
        #expect(harness.nodes[0].troubles.first == "changes do not get into the log")
    }

    @Test("a channel whose log was lost is not the log's trouble")
    func passedBy() async throws {
        let harness = try await LogHarness(1)
        for user in 1...3 {
            await harness.add(0, user)
            await harness.settle()
        }
        harness.log.lose(after: 1)
        harness.nodes[0].troubles = []
        await harness.add(0, 4)
        await wait(harness, seconds: 9)
        #expect(harness.nodes[0].troubles == [])
    }

    // MARK: Health

    @Test("a part of the log that has trouble makes the broker unwell until something comes back from that part")
    func health() {
        let health = StoreHealth(hasSharedLog: false)
        let time = MonotonicTime.now
        #expect(health.isWell(at: time))
        health.note(trouble: "it does not come back", ofPart: 1, at: time)
        #expect(health.fault(at: time + .seconds(9)) == "it does not come back")
        #expect(!health.cameBack(fromPart: 0))
        #expect(!health.tookChanges())
        #expect(!health.isWell(at: time), "neither another part nor the store makes it well")
        #expect(health.cameBack(fromPart: 1))
        #expect(health.isWell(at: time))
        #expect(!health.cameBack(fromPart: 1))
        health.note(trouble: "again", ofPart: 1, at: time)
        #expect(health.isWell(at: time + .seconds(11)), "nothing was tried for so long")
    }

    @Test("a store that refuses makes the broker unwell, and a log that is lost or of which no time is known")
    func reasons() {
        let time = MonotonicTime.now
        let health = StoreHealth(hasSharedLog: true)
        #expect(health.fault(at: time) == "it is not known yet what time it is for the log's servers")
        let difference = wallClockMilliseconds() - time.milliseconds
        _ = health.logClock?.adopt(difference, at: Moment(unix: wallClockMilliseconds(), clock: time.milliseconds))
        #expect(health.isWell(at: time))
        #expect(!health.tookChanges(), "it refused none")
        health.refusedChanges("the disk is full", at: time)
        #expect(health.fault(at: time) == "the store refuses changes: the disk is full")
        #expect(health.tookChanges() && !health.tookChanges(), "said once")
        #expect(health.isWell(at: time))
        health.logWasLost("no majority")
        #expect(health.fault(at: time) == "the shared log is lost: no majority")
        health.logIsBack()
        #expect(health.isWell(at: time))
    }

    // MARK: The clock

    @Test(
        "a clock agrees up to half a minute, whichever way it is off",
        arguments: [
            (0, nil), (30_000, nil), (-30_000, nil), (30_001, "30 s ahead of"), (-31_500, "31 s behind"),
            (3_456_000_000, "3456000 s ahead of"), (Int64.max, "ahead of"), (Int64.min + 1_000_000, "behind"),
        ] as [(Int64, String?)])
    func clock(lead: Int64, words: String?) {
        let clock = LogClock()
        let right = Moment(unix: 500_000, clock: 7_000)
        #expect(clock.fault(at: right) != nil, "nobody knows yet")
        let (none, isNew) = clock.adopt(493_000, at: right)
        #expect(none == nil && !isNew)
        let fault = clock.fault(at: Moment(unix: 500_000 &+ lead, clock: 7_000))
        if lead.magnitude < 1 << 62 {
            #expect(fault == words.map { "this broker's clock is \($0) that of the log's servers" })
        } else {
            #expect(fault != nil)
        }
    }

    @Test("that clocks do not agree is said once, and so is its end")
    func said() {
        let clock = LogClock()
        let moment = Moment(unix: 500_000, clock: 7_000)
        #expect(clock.adopt(0, at: moment).isNew)
        #expect(!clock.adopt(0, at: moment).isNew)
        let (fault, isNew) = clock.adopt(493_000, at: moment)
        #expect(fault == nil && isNew)
        #expect(!clock.adopt(493_000, at: moment).isNew)
    }

    @Test("a broker whose clock does not agree takes no change, and reads; keys outlive it, and it is over at once")
    func wrongClock() async throws {
        let clock = LogClock()
        let harness = try await LogHarness(2, clock: clock)
        _ = clock.adopt(harness.moment.unix - harness.moment.clock, at: harness.moment)
        let first = await harness.add(0, 1, key: "k")
        for _ in 0..<4 {
            for node in harness.nodes {
                await harness.collect(node)
                await harness.store(node)
                await harness.hear(node)
            }
        }
        #expect(harness.reply(0, first)?["seq"] as? Int == 1)
        let right = harness.moment
        harness.moment.unix += 3 * 3_600_000
        let refused = await harness.add(1, 2, key: "k2")
        let list = await harness.ask(1, 2, .list(.messages(["m1"])))
        await harness.collect(harness.nodes[1])
        #expect(harness.reply(1, refused)?["code"] as? String == "unavailable")
        #expect((harness.reply(1, refused)?["message"] as? String)?.contains("10800 s ahead of") == true)
        #expect(harness.reply(1, list)?["seq"] as? Int == 1)
        #expect(harness.nodes[1].sent.isEmpty)
        harness.moment = right
        let again = await harness.add(1, 1, key: "k")
        await harness.add(1, 2, key: "k2")
        await harness.collect(harness.nodes[1])
        #expect(harness.reply(1, again)?["duplicate"] as? Bool == true)
        #expect(harness.nodes[1].sent.count == 1)
    }
}
