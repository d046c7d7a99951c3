import Reactions
import Storage
import Testing
import Transport
import Wire

@testable import Broker

/// How hubs put turns, commits and deliveries together.
@Suite struct HubTests {
    private func add(_ user: String, _ key: ConnectionKey) -> HubMessage {
        .request(
            ChannelRequest(
                channel: "chat:1", origin: Origin(connection: key, user: user, id: .text(user), wantsReply: true),
                body: .operation(
                    Reactions.Operation(.add(reaction: "👍", count: nil, data: nil), message: "m1", user: user))))
    }

    private func subscribe(_ key: ConnectionKey, mode: Mode = .events) -> HubMessage {
        .request(
            ChannelRequest(
                channel: "chat:1", origin: Origin(connection: key, user: "x", id: .number(1), wantsReply: true),
                body: .subscribe(.init(channel: "chat:1", mode: mode))))
    }

    @Test("an ack never comes before the commit that holds its own change, also when the last commit ends in its turn")
    func ackAfterItsCommit() async throws {
        let harness = try HubHarness(loops: 1)
        let hub = harness.broker.hubs[0]
        let ear = await harness.ear(on: hub, user: "x")
        await harness.turn(hub, [subscribe(ear)])
        await harness.turn(hub, [add("a", ear)])
        await harness.turn(hub, [add("b", ear)])
        let first = try #require(harness.store.next())
        #expect(harness.store.next() == nil)
        // The answer for the first commit comes in the same turn as one more request.
        await harness.turn(hub, [add("c", ear), .stored(1, .success(()), at: .now)])
        _ = first
        #expect(await harness.heard(ear) == ["subscribed 0", "ack 1", "added 1"])
        let second = try #require(harness.store.next())
        #expect(second.group.map(\.seq) == [2, 3])
        second.answer(.success(()))
        await harness.settle()
        #expect(await harness.heard(ear).suffix(4) == ["ack 2", "ack 3", "added 2", "added 3"])
    }

    @Test(
        "the first subscriber of a hub hears the events that follow its snapshot in the same turn", arguments: [1, 2])
    func firstSubscriber(_ loops: Int) async throws {
        let harness = try HubHarness(loops: loops)
        let home = harness.home(of: "chat:1")
        for hub in harness.broker.hubs {
            let ear = await harness.ear(on: hub, user: "x")
            let before = hub.index * 2
            await harness.turn(home, [add("a\(before)", ear), subscribe(ear), add("b\(before)", ear)])
            try #require(harness.store.next()).answer(.success(()))
            await harness.settle()
            #expect(
                await harness.heard(ear) == [
                    "ack \(before + 1)", "subscribed \(before + 1)", "ack \(before + 2)", "added \(before + 2)",
                ])
        }
    }

    @Test("a summary that is no newer than what a subscription began with is not sent to it")
    func summariesAfterTheSnapshot() async throws {
        let harness = try HubHarness(loops: 1)
        let hub = harness.broker.hubs[0]
        let ear = await harness.ear(on: hub, user: "x")
        await harness.turn(hub, [add("a", ear), subscribe(ear, mode: .summary)])
        try #require(harness.store.next()).answer(.success(()))
        await harness.settle()
        for seq: UInt64 in 1...2 {
            let message = BrokerMessage.summary(channel: "chat:1", seq: seq, messages: [])
            let batch = SummaryBatch(seq: seq, messages: [], frame: SharedBytes(message: message))
            let delivery = ChannelDelivery(channel: "chat:1", items: [.summary(batch)])
            await harness.onLoop(hub) { $0.deliver(delivery) }
        }
        #expect(await harness.heard(ear) == ["ack 1", "subscribed 1", "summary 2"])
    }

    @Test("a store that refuses gives unavailable, and what comes later starts from what it has")
    func refused() async throws {
        let harness = try HubHarness(loops: 1)
        let hub = harness.broker.hubs[0]
        let ear = await harness.ear(on: hub, user: "x")
        await harness.turn(hub, [subscribe(ear), add("a", ear)])
        await harness.turn(hub, [add("b", ear)])
        try #require(harness.store.next()).answer(.failure(.unavailable("the disk is full")))
        await harness.settle()
        #expect(await harness.heard(ear) == ["subscribed 0", "error -", "error -"])
        #expect(harness.store.next() == nil)
        await harness.turn(hub, [add("c", ear)])
        let commit = try #require(harness.store.next())
        #expect(commit.group.map(\.seq) == [1])
        commit.answer(.success(()))
        await harness.settle()
        #expect(await harness.heard(ear).suffix(2) == ["ack 1", "added 1"])
    }

    @Test("the channel hears of a departure in the same turn, so that nothing waits for another one")
    func departure() async throws {
        let harness = try HubHarness(loops: 1)
        let hub = harness.broker.hubs[0]
        let ear = await harness.ear(on: hub, user: "x")
        await harness.turn(hub, [subscribe(ear)])
        await harness.onLoop(hub) { hub in
            if let recipient = hub.recipient(ear) { hub.closed(recipient) }
        }
        #expect(await harness.onLoop(hub) { $0.residents.values.filter(\.isMarked).count } == 0)
        #expect(await harness.onLoop(hub) { $0.isIdle(channel: "chat:1") })
    }

    @Test("what was missed is made up without what is no event, and without a bound")
    func makingUp() async throws {
        let harness = try HubHarness(loops: 1)
        let hub = harness.broker.hubs[0]
        let first = await harness.ear(on: hub, user: "x")
        let freeze = HubMessage.request(
            ChannelRequest(
                channel: "chat:1", origin: Origin(connection: first, user: "mod", id: nil, wantsReply: false),
                body: .operation(Reactions.Operation(.freeze(true), message: "", user: "mod"))))
        let clear = HubMessage.request(
            ChannelRequest(
                channel: "chat:1", origin: Origin(connection: first, user: "mod", id: nil, wantsReply: false),
                body: .operation(
                    Reactions.Operation(.clear(reaction: nil, user: nil), message: "m1", user: "mod"))))
        await harness.turn(hub, [add("a", first), add("b", first), freeze, clear])
        try #require(harness.store.next()).answer(.success(()))
        await harness.settle()
        for (seen, expected) in [(0, ["added 1", "added 2", "cleared 3"]), (1, ["added 2", "cleared 3"])] {
            let ear = await harness.ear(on: hub, user: "y")
            let resume = HubMessage.request(
                ChannelRequest(
                    channel: "chat:1", origin: Origin(connection: ear, user: "y", id: .number(1), wantsReply: true),
                    body: .subscribe(
                        .init(channel: "chat:1", since: Position(epoch: "held", seq: UInt64(seen))))))
            await harness.turn(hub, [resume])
            #expect(await harness.heard(ear) == ["subscribed \(seen)"] + expected)
        }
    }

    @Test("when a recipient is gone, nothing of it is left: no subscription, no audience, no place")
    func noResidue() async throws {
        let harness = try HubHarness(loops: 2)
        let home = harness.home(of: "chat:1")
        for hub in harness.broker.hubs {
            let ear = await harness.ear(on: hub, user: "x")
            await harness.turn(home, [subscribe(ear)])
            #expect(await harness.onLoop(hub) { $0.audiences.count } == 1)
            // One more subscription is on its way when the recipient goes.
            await harness.onLoop(hub) { hub in
                if let recipient = hub.recipient(ear) { hub.closed(recipient) }
            }
            await harness.turn(home, [subscribe(ear)])
            #expect(await harness.onLoop(hub) { [$0.audiences.count, $0.connectionCount] } == [0, 0])
        }
        #expect(await harness.onLoop(home) { $0.isIdle(channel: "chat:1") })
    }
}
