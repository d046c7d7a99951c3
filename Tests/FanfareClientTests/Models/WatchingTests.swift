import Reactions
import Testing
import Transport
import Wire

@testable import FanfareClient

private let welcome = BrokerMessage.welcome(
    Welcome(
        connection: "c-1", user: "ada", time: 0, heartbeatMilliseconds: 25_000, maxMessageBytes: 65_536,
        maxSubscriptions: 256))

private func subscribed(_ id: RequestID?, _ messages: [Summary] = []) -> BrokerMessage {
    .subscribed(
        Subscribed(
            id: id, channel: "chat:42", epoch: "e1", seq: 5, mode: .events, policy: .distinct,
            intervalMilliseconds: 100, allowed: nil, maxKinds: 20, maxPerUser: 10, isFrozen: false,
            isRecovered: false, messages: messages, more: nil, isCounted: false))
}

private func summary(_ message: String, _ count: UInt64) -> Summary {
    Summary(
        message: message, total: count,
        groups: [.init(reaction: .init(canonical: "👍"), count: count, users: count, first: 0, last: 0, latest: [])],
        own: [])
}

@MainActor
@Suite("Messages that come into view", .timeLimit(.minutes(5)))
struct WatchingTests {
    let broker: FakeBroker
    let client: ReactionClient

    init() async throws {
        broker = try FakeBroker()
        client = try ReactionClient(
            url: await broker.listen(), options: ClientOptions(connectTimeout: .seconds(600)))
    }

    private func watched(_ id: RequestID?, _ messages: [Summary]) -> BrokerMessage {
        .watched(id: id, channel: "chat:42", seq: 5, messages: messages, isCounted: false)
    }

    @Test("are watched together, and no longer when the last view of them is gone")
    func together() async throws {
        let channel = ChannelReactions("chat:42", of: client, scope: .watchedMessages)
        await broker.nextUpgrade()
        await broker.send(welcome)
        let subscribe = await broker.nextRequest()
        #expect(subscribe.body == .subscribe(.init(channel: "chat:42", messages: [])))
        await broker.send(subscribed(subscribe.id))
        for message in ["m2", "m1", "m1"] { channel.watch(message) }
        let first = await broker.nextRequest()
        #expect(first.body == .watch(channel: "chat:42", messages: ["m1", "m2"]))
        await broker.send(watched(first.id, [summary("m1", 3)]))
        let message = channel["m1"]
        await wait { message.total == 3 }
        channel.unwatch("m1")
        channel.unwatch("m2")
        let second = await broker.nextRequest()
        #expect(second.body == .watch(channel: "chat:42", messages: ["m1"]))
        channel.unwatch("m1")
        channel.unwatch("m7")
        #expect(await broker.nextRequest().body == .watch(channel: "chat:42", messages: []))
        await client.close()
    }

    @Test("with ids that are none, or more of them than a request takes, do not cost the channel its subscription")
    func nameable() async throws {
        let channel = ChannelReactions("chat:42", of: client, scope: .watchedMessages)
        await broker.nextUpgrade()
        await broker.send(welcome)
        await broker.send(subscribed(await broker.nextRequest().id))
        let names = ["hello world", "ä", ".", String(repeating: "x", count: 129), "", "m1"]
        for message in names { channel.watch(message) }
        #expect(await broker.nextRequest().body == .watch(channel: "chat:42", messages: ["", "m1"]))
        for number in 1000..<3000 { channel.watch(String(repeating: "\"", count: 120) + "\(number)") }
        let request = await broker.nextRequest()
        var text: [UInt8] = []
        request.append(to: &text)
        #expect((50_000..<65_536).contains(text.count))
        for number in 1000..<3000 { channel.unwatch(String(repeating: "\"", count: 120) + "\(number)") }
        for number in 1000..<3000 { channel.watch("\(number)") }
        guard case .watch(_, let messages) = await broker.nextRequest().body else {
            Issue.record("no watch was asked for")
            return
        }
        #expect(messages.count == 1000)
        await client.close()
    }

    @Test("are asked for anew after a loss that came before their state")
    func lostBefore() async throws {
        let channel = ChannelReactions("chat:42", of: client, scope: .watchedMessages)
        await broker.nextUpgrade()
        await broker.send(welcome)
        await broker.send(subscribed(await broker.nextRequest().id))
        channel.watch("m1")
        _ = await broker.nextRequest()
        await broker.breakOff()
        await broker.nextUpgrade()
        await broker.send(welcome)
        let again = await broker.nextRequest()
        #expect(
            again.body == .subscribe(.init(channel: "chat:42", messages: ["m1"])), "without since: m1 has no state yet")
        await broker.send(subscribed(again.id, [summary("m1", 2)]))
        let message = channel["m1"]
        await wait { message.total == 2 }
        await broker.breakOff()
        await broker.nextUpgrade()
        await broker.send(welcome)
        let resumed = await broker.nextRequest()
        #expect(
            resumed.body
                == .subscribe(.init(channel: "chat:42", messages: ["m1"], since: Position(epoch: "e1", seq: 5))))
        await client.close()
    }

    @Test("share a subscription to the whole channel where there is one")
    func whole() async throws {
        let all = ChannelReactions("chat:42", of: client)
        await broker.nextUpgrade()
        await broker.send(welcome)
        await broker.send(subscribed(await broker.nextRequest().id, [summary("m1", 2)]))
        let some = ChannelReactions("chat:42", of: client, scope: .watchedMessages)
        let again = await broker.nextRequest()
        #expect(again.body == .subscribe(.init(channel: "chat:42")), "a snapshot for the one that came later")
        await broker.send(subscribed(again.id, [summary("m1", 2)]))
        let messages = (all["m1"], some["m1"])
        await wait { messages.0.total == 2 && messages.1.total == 2 }
        await client.close()
    }

    @Test("are not narrowed for those who read the channel's updates")
    func conflict() async throws {
        let updates = client.events(in: "chat:42", messages: ["m1"])
        let channel = ChannelReactions("chat:42", of: client)
        await wait { channel.failure != nil }
        #expect(channel.failure?.code == .conflict)
        await client.close()
        _ = updates
    }
}

@Suite("What waits for the main actor")
struct ChannelFeedTests {
    private static func frozen(_ isFrozen: Bool) -> ChannelFeed.Item {
        .message(.frozen(channel: "chat:42", isFrozen: isFrozen, by: ""), covers: nil)
    }

    @Test("is announced once until it is taken")
    func announced() {
        let count = Locked(0)
        let feed = ChannelFeed("chat:42", mode: .events) {}
        feed.announce { count.withLock { $0 += 1 } }
        feed.push(Self.frozen(true))
        feed.push(Self.frozen(false))
        #expect(count.withLock { $0 } == 1)
        #expect(feed.take().items.count == 2)
        feed.push(Self.frozen(true))
        #expect(count.withLock { $0 } == 2)
    }

    @Test("is bounded: past it the broker's words are dropped, answers and the connection's state are not")
    func bound() {
        let feed = ChannelFeed("chat:42", mode: .events) {}
        feed.push(.connection(.connecting))
        feed.push(
            .message(.error(id: .text("k1"), code: .frozen, message: "", retryAfterMilliseconds: nil), covers: nil))
        for _ in 2..<ChannelFeed.capacity { feed.push(Self.frozen(true)) }
        feed.push(Self.frozen(false))
        let (items, isOverrun) = feed.take()
        #expect(items.count == 3 && isOverrun)
        #expect(!feed.take().isOverrun)
    }

    @Test("is given up with its reader")
    func abandoned() {
        let count = Locked(0)
        do {
            let feed = ChannelFeed("chat:42", mode: .events) { count.withLock { $0 += 1 } }
            feed.push(.connection(.connecting))
        }
        #expect(count.withLock { $0 } == 1)
    }
}
