import Reactions
import TestSupport
import Testing
import Transport
import Wire

@testable import Broker

/// Where most happens, as hubs tell it to who looks.
@Suite struct ActivityTests {
    private func add(_ channel: String, _ message: String, _ user: String, _ key: ConnectionKey) -> HubMessage {
        .request(
            ChannelRequest(
                channel: channel, origin: Origin(connection: key, user: user, id: .text(user), wantsReply: true),
                body: .operation(
                    Reactions.Operation(.add(reaction: "👍", count: nil, data: nil), message: message, user: user))))
    }

    /// Looks, as if the last look were long ago.
    private func look(_ harness: HubHarness, _ hub: Hub) async -> HubActivity {
        await harness.onLoop(hub) { hub in
            hub.lastLook.at = MonotonicTime(nanoseconds: 0)
            return hub.activity()
        }
    }

    private func commit(_ harness: HubHarness) async {
        while let commit = harness.store.next() {
            commit.answer(.success(()))
            await harness.settle()
        }
    }

    @Test("channels and messages with most changes come first, and count what came since the last look")
    func busiest() async throws {
        let harness = try HubHarness(loops: 1)
        let hub = harness.broker.hubs[0]
        let ear = await harness.ear(on: hub, user: "x")
        let adds =
            (0..<5).map { add("chat:a", "m1", "u\($0)", ear) } + (0..<2).map { add("chat:a", "m2", "u\($0)", ear) }
            + (0..<3).map { add("chat:b", "", "u\($0)", ear) }
        await harness.turn(hub, adds)
        await commit(harness)
        let first = await look(harness, hub)
        #expect(first.channels.map(\.channel) == ["chat:a", "chat:b"])
        #expect(first.channels.map(\.changes) == [7, 3])
        #expect(
            first.messages.map { "\($0.channel) \($0.message) \($0.changes)" } == [
                "chat:a m1 5", "chat:b  3", "chat:a m2 2",
            ])
        await harness.turn(hub, [add("chat:b", "m3", "v", ear)])
        await commit(harness)
        let second = await look(harness, hub)
        #expect(second.channels.map { "\($0.channel) \($0.changes)" } == ["chat:b 1", "chat:a 0"])
        #expect(second.messages.map { "\($0.channel) \($0.message) \($0.changes)" } == ["chat:b m3 1"])
    }

    @Test("what was acked in a channel that keeps nothing counts as well")
    func ephemeral() async throws {
        let harness = try HubHarness(loops: 1)
        let hub = harness.broker.hubs[0]
        let ear = await harness.ear(on: hub, user: "x")
        await harness.turn(hub, (0..<4).map { add("burst:a", "m", "u\($0)", ear) })
        #expect(await look(harness, hub).channels.map(\.changes) == [4])
        #expect(await look(harness, hub).channels.map(\.changes) == [0])
    }

    @Test("who looks again at once is told the same")
    func often() async throws {
        let harness = try HubHarness(loops: 1)
        let hub = harness.broker.hubs[0]
        let ear = await harness.ear(on: hub, user: "x")
        await harness.turn(hub, [add("chat:a", "m", "u", ear)])
        await commit(harness)
        let counts = await harness.onLoop(hub) { hub in
            hub.lastLook.at = MonotonicTime(nanoseconds: 0)
            let first = hub.activity()
            // The loop's clock stands still within a turn.
            return [first, hub.activity()].map { $0.channels.map(\.changes) }
        }
        #expect(counts == [[1], [1]])
    }

    @Test("a channel that was loaded counts only what came since", arguments: [(50, 55, 5), (50, 50, 0), (50, 20, 0)])
    func pulses(before: UInt64, now: UInt64, changes: UInt64) {
        let earlier = ChannelPulse(seq: before, bursts: 3)
        #expect(ChannelPulse(seq: now, bursts: 3).changes(since: earlier) == changes)
        #expect(ChannelPulse(seq: now, bursts: 10).changes(since: earlier) == changes + 7)
    }

    @Test("of what many hubs tell the most is kept, as if all were sorted")
    func merging() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            var all: [BrokerStatus.Channel] = []
            var sum = HubActivity()
            for hub in 0..<Int.random(in: 1...4, using: &random) {
                var activity = HubActivity()
                for number in 0..<Int.random(in: 0...30, using: &random) {
                    let channel = BrokerStatus.Channel(
                        channel: "\(hub):\(number)", changes: .random(in: 0...5, using: &random),
                        subscriptions: .random(in: 0...3, using: &random))
                    activity.add(channel)
                    all.append(channel)
                }
                sum += activity
            }
            let sorted = all.sorted { one, other in
                if one.changes != other.changes { return one.changes > other.changes }
                if one.subscriptions != other.subscriptions { return one.subscriptions > other.subscriptions }
                return one.channel < other.channel
            }
            #expect(sum.channels == Array(sorted.prefix(HubActivity.most)), "seed \(seed)")
        }
    }

    @Test("the log keeps the last warnings and errors alone, each cut to a bound")
    func recentLines() {
        let log = BrokerLog { _ in }
        for number in 0..<RecentLines.most + 5 {
            log.info("nothing")
            log.warning("line \(number)")
        }
        log.error(String(repeating: "é", count: 10_000))
        let all = log.recent.all
        #expect(all.count == RecentLines.most)
        #expect(all.first?.line == "line 6")
        #expect(all.last?.level == "error" && all.last?.line.count == RecentLines.longest)
    }
}
