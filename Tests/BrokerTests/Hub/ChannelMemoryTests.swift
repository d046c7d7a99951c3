import Reactions
import Storage
import Testing
import Transport
import Wire

@testable import Broker

/// Which channels are in memory, and which leave the store.
@Suite(.timeLimit(.minutes(5))) struct ChannelMemoryTests {
    private func request(_ channel: String, _ key: ConnectionKey, _ body: ChannelRequest.Body) -> HubMessage {
        .request(
            ChannelRequest(
                channel: channel, origin: Origin(connection: key, user: "x", id: .text(channel), wantsReply: true),
                body: body))
    }

    private func subscribe(_ channel: String, _ key: ConnectionKey) -> HubMessage {
        request(channel, key, .subscribe(.init(channel: channel)))
    }

    @Test("at the bound a channel that nobody uses any more makes room at once, however lately there was none")
    func room() async throws {
        let harness = try HubHarness(loops: 1)
        let hub = harness.broker.hubs[0]
        var settings = harness.broker.settings
        settings.limits.channels = 3
        harness.broker.adopt(settings)
        let ear = await harness.ear(on: hub, user: "x")
        await harness.turn(hub, (1...3).map { subscribe("chat:\($0)", ear) })
        for number in 4...6 {
            await harness.turn(hub, [subscribe("chat:\(number)", ear)])
            #expect(await harness.heard(ear).last == "error -", "all are in use")
            await harness.turn(hub, [request("chat:\(number - 3)", ear, .unsubscribe)])
            await harness.turn(hub, [subscribe("chat:\(number)", ear)])
            #expect(await harness.heard(ear).last == "subscribed 0")
        }
        #expect(await harness.onLoop(hub) { $0.channelCount } == 3)
    }

    @Test("an old channel is let go where its namespace says so and nobody has it in memory", arguments: [1, 2])
    func expiry(loops: Int) async throws {
        let harness = try HubHarness(loops: loops)
        var settings = harness.broker.settings
        settings.namespaces["chat"]?.expiryDays = 10
        settings.namespaces["tap"]?.expiryDays = 20
        harness.broker.adopt(settings)
        let ear = await harness.ear(on: harness.broker.hubs[0], user: "x")
        await harness.turn(harness.home(of: "chat:used"), [subscribe("chat:used", ear)])
        let now = wallClockMilliseconds() / 1_000
        let page = [
            ("chat:old", 11), ("chat:used", 11), ("chat:young", 9), ("tap:old", 21), ("tap:young", 11),
            ("clap:old", 999),
        ].map { AgedChannels.Channel(name: $0, changed: now - $1 * 86_400) }
        await harness.turn(harness.broker.hubs[0], [.aged(.success(AgedChannels(channels: page)))])
        #expect(harness.store.expired.withLock { $0.sorted() } == ["chat:old", "tap:old"])
    }

    @Test("records that the store gave back are counted among those that wait for it")
    func givenBack() async throws {
        let harness = try HubHarness(loops: 1)
        var settings = harness.broker.settings
        settings.namespaces["chat"]?.durability = .memory
        harness.broker.adopt(settings)
        let hub = harness.broker.hubs[0]
        let ear = await harness.ear(on: hub, user: "x")
        let add = Reactions.Operation(.add(reaction: "👍", count: nil, data: nil), message: "m1", user: "x")
        await harness.turn(hub, [request("chat:1", ear, .operation(add))])
        let commit = try #require(harness.store.next())
        #expect(await harness.onLoop(hub) { $0.heldRecords } == 0, "the store has them")
        commit.answer(.failure(.unavailable("full")))
        await harness.settle()
        let records = commit.group.reduce(0) { $0 + $1.records.count }
        // Half a second later they are offered again; then the store has them again.
        let held = await harness.onLoop(hub) { $0.heldRecords }
        #expect(held == records || harness.store.next() != nil)
    }
}
