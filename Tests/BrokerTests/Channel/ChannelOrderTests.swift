import Reactions
import Storage
import Testing
import Wire

@testable import Broker

/// When a channel's replies and events go out, and in which order.
@Suite struct ChannelOrderTests {
    @Test("acks and events are sent when the change is durable, not before, and the ack comes first")
    func durableFirst() async throws {
        let harness = try ChannelHarness()
        await harness.load()
        await harness.subscribe(2)
        #expect(await harness.heardTypes() == ["subscribed"])
        await harness.add(2)
        #expect(await harness.heardTypes() == [])
        await harness.commit()
        #expect(await harness.heardTypes() == ["ack", "added"])
    }

    @Test("replies come in the order of the requests, also those that need no commit")
    func replyOrder() async throws {
        let harness = try ChannelHarness()
        await harness.load()
        await harness.add(2)
        await harness.add(2)
        await harness.ask(2, .refused(.forbidden, "no"))
        await harness.ask(2, .list(.messages(["m1"])))
        #expect(await harness.heardTypes() == [])
        await harness.commit()
        let heard = await harness.heard()
        #expect(heard.compactMap { $0["id"] as? Int } == [1, 2, 3, 4])
        #expect(heard.compactMap { $0["type"] as? String } == ["ack", "ack", "error", "list"])
    }

    @Test("what follows a snapshot starts at its seq + 1, whatever is being committed meanwhile")
    func snapshotThenEvents() async throws {
        let harness = try ChannelHarness()
        await harness.load()
        await harness.subscribe(1)
        _ = await harness.heard()
        await harness.add(2)
        await harness.subscribe(4)
        await harness.add(6)
        await harness.commit()
        let heard = await harness.heard()
        let subscribed = try #require(heard.first { $0["type"] as? String == "subscribed" })
        #expect(subscribed["seq"] as? Int == 1)
        // Hub 0 has the new subscriber, hub 1 the old one.
        #expect(heard.filter { $0["type"] as? String == "added" }.compactMap { $0["seq"] as? Int } == [2, 1, 2])
    }

    @Test("requests that come before the store has answered wait for it")
    func loading() async throws {
        let harness = try ChannelHarness()
        await harness.add(2)
        await harness.subscribe(2)
        #expect(await harness.heardTypes() == [])
        var ledger = Ledger()
        let outcome = try ledger.apply(
            Operation(.add(reaction: "🎉", count: nil, data: nil), message: "m1", user: "x"), rules: Rules(), at: 5)
        await harness.load(ChannelImage(seq: 1, records: outcome.records))
        await harness.commit()
        let heard = await harness.heard()
        #expect(heard.compactMap { $0["type"] as? String } == ["ack", "subscribed"])
        #expect(heard.last?["seq"] as? Int == 2)
    }

    @Test("a store that cannot be read gives unavailable, and may be asked again")
    func unreadable() async throws {
        let harness = try ChannelHarness()
        await harness.add(2)
        await harness.load(nil)
        #expect(await harness.heard().first?["code"] as? String == "unavailable")
        #expect(await harness.channel.isUnread)
        await harness.add(2)
        await harness.load()
        await harness.commit()
        #expect(await harness.heardTypes() == ["ack"])
    }

    @Test("a refused commit changes nothing: operations are unavailable, the rest is answered from the store's state")
    func refusedCommit() async throws {
        let harness = try ChannelHarness()
        await harness.load()
        await harness.subscribe(2)
        _ = await harness.heard()
        await harness.add(2)
        await harness.subscribe(4)
        _ = await harness.channel.takeWrite(for: harness.group, at: harness.moment)
        await harness.channel.failed(at: harness.moment)
        await harness.load()
        let heard = await harness.heard()
        #expect(heard.compactMap { $0["type"] as? String } == ["error", "subscribed"])
        #expect(heard.first?["code"] as? String == "unavailable")
        #expect(heard.last?["seq"] as? Int == 0)
        await harness.add(2)
        await harness.commit()
        #expect(await harness.heard().compactMap { $0["seq"] as? Int } == [1, 1])
    }

    @Test("a refused commit keeps the order of the replies", arguments: [true, false])
    func orderAfterRefusedCommit(canBeRead: Bool) async throws {
        let harness = try ChannelHarness()
        await harness.load()
        await harness.add(2)
        await harness.ask(2, .list(.messages(["m1"])))
        await harness.add(2, "🎉")
        await harness.ask(2, .unsubscribe)
        _ = await harness.channel.takeWrite(for: harness.group, at: harness.moment)
        await harness.channel.failed(at: harness.moment)
        await harness.load(canBeRead ? ChannelImage() : nil)
        let heard = await harness.heard()
        #expect(heard.compactMap { $0["id"] as? Int } == [1, 2, 3, 4])
        let second = canBeRead ? "list" : "error"
        #expect(heard.compactMap { $0["type"] as? String } == ["error", second, "error", "unsubscribed"])
    }

    @Test("a slow reader who can be written to again gets fresh state as soon as the store can be read")
    func resynchronizedLater() async throws {
        let harness = try ChannelHarness()
        await harness.ask(2, .resynchronize(from: 3, filter: nil))
        await harness.load(nil)
        #expect(await harness.heardTypes() == [])
        await harness.load(ChannelImage(seq: 7))
        #expect(await harness.heardTypes() == ["lagged", "subscribed"])
    }

    @Test("what says who listens is taken however much waits")
    func takenPastTheBound() async throws {
        let harness = try ChannelHarness(maxWaiting: 1)
        await harness.load()
        await harness.add(2)
        for body in [ChannelRequest.Body.unsubscribe, .revoke, .resynchronize(from: 1, filter: nil)] {
            await harness.ask(2, body)
        }
        #expect(await harness.heardTypes() == [])
        await harness.commit()
        #expect(await harness.heardTypes() == ["ack", "unsubscribed", "unsubscribed", "lagged", "subscribed"])
    }

    @Test("past the bound on what waits, requests are refused without effect, and no refusal overtakes a reply")
    func bound() async throws {
        let harness = try ChannelHarness(maxWaiting: 2)
        await harness.load()
        for _ in 0..<2 { await harness.add(2) }
        await harness.add(2, "🎉")
        await harness.subscribe(2)
        #expect(await harness.heardTypes() == [])
        #expect(await harness.channel.takeCounts().overflows == [.waitingRequests, .waitingRequests])
        await harness.commit()
        let heard = await harness.heard()
        #expect(heard.map { $0["type"] as? String } == ["ack", "ack", "error", "error"])
        #expect(heard.map { $0["id"] as? Int } == [1, 2, 3, 4])
        #expect(heard.suffix(2).allSatisfy { $0["code"] as? String == "unavailable" })
        await harness.add(2, "🎉")
        await harness.commit()
        #expect(await harness.heard().first?["result"] as? String == "added")
    }

    @Test("what waits past the bound is refused in its place also where the store fails")
    func boundAndFailure() async throws {
        let harness = try ChannelHarness(maxWaiting: 2)
        await harness.load()
        for _ in 0..<4 { await harness.add(2) }
        _ = await harness.channel.takeWrite(for: harness.group, at: harness.moment)
        await harness.channel.failed(at: harness.moment)
        await harness.load()
        let heard = await harness.heard()
        #expect(heard.map { $0["id"] as? Int } == [1, 2, 3, 4])
        #expect(heard.allSatisfy { $0["code"] as? String == "unavailable" })
    }

    @Test("each request has exactly one answer, also one that nobody wants to hear")
    func answers() async throws {
        let harness = try ChannelHarness()
        await harness.load()
        await harness.add(2)
        await harness.subscribe(2)
        let origin = Origin(connection: ChannelHarness.connection(2), user: "u2", id: nil, wantsReply: false)
        let body = ChannelRequest.Body.operation(.init(.delete, message: "m9", user: "u2", key: nil))
        await harness.channel.handle(
            ChannelRequest(channel: "chat:1", origin: origin, body: body), group: harness.group, at: harness.moment)
        for body in [
            ChannelRequest.Body.watch(["m1"], newly: []), .list(.messages(["m1"])), .refused(.forbidden, "no"),
        ] {
            await harness.ask(2, body)
        }
        await harness.ask(2, .resynchronize(from: nil, filter: nil))
        await harness.ask(2, .unsubscribe)
        await harness.commit()
        let items = await harness.channel.takeDeliveries(at: harness.moment).flatMap(\.delivery.items)
        let answers = items.compactMap(\.answers).filter { $0.to == ChannelHarness.connection(2) }
        #expect(answers.reduce(0) { $0 + $1.count } == 8)
    }
}
