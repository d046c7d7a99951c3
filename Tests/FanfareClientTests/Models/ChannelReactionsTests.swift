import Foundation
import Observation
import Reactions
import Testing
import Wire

@testable import FanfareClient

private let welcome = BrokerMessage.welcome(
    Welcome(
        connection: "c-1", user: "ada", time: 0, heartbeatMilliseconds: 25_000, maxMessageBytes: 65_536,
        maxSubscriptions: 256))

private func group(_ reaction: String, _ latest: [String]) -> Summary.Group {
    Summary.Group(
        reaction: .init(canonical: reaction), count: UInt64(latest.count), users: UInt64(latest.count), first: 1000,
        last: 2000, latest: latest)
}

private func subscribed(
    _ id: RequestID?, _ seq: UInt64 = 5, messages: [Summary]? = [], isFrozen: Bool = false, allowed: [String]? = nil
) -> BrokerMessage {
    .subscribed(
        Subscribed(
            id: id, channel: "chat:42", epoch: "e1", seq: seq, mode: .events, policy: .distinct,
            intervalMilliseconds: 100, allowed: allowed?.map(Reactions.Reaction.init(canonical:)), maxKinds: 20,
            maxPerUser: 10, isFrozen: isFrozen, isRecovered: messages == nil, messages: messages, more: nil,
            isCounted: false))
}

private func added(_ reaction: String, by user: String, _ seq: UInt64, count: UInt64) -> BrokerMessage {
    let group = GroupCount(reaction: .init(canonical: reaction), count: count, users: count)
    return .event(
        channel: "chat:42",
        Change(
            seq: seq, message: "m1", user: user, at: Int64(seq) * 1000, total: count,
            kind: .added(group, byCount: nil, data: nil)))
}

private func ack(_ id: RequestID?, _ reaction: String, _ seq: UInt64, own: [String]) -> BrokerMessage {
    let own = own.map { OwnReaction(reaction: .init(canonical: $0)) }
    return .ack(
        id: id, channel: "chat:42",
        Answer(.added, message: "m1", seq: seq, reaction: .init(canonical: reaction), count: 1, own: own),
        isDuplicate: false, isCounted: false)
}

private let oneThumb = [Summary(message: "m1", total: 1, groups: [group("👍", ["bob"])], own: [])]

/// An app that decides otherwise.
private final class Strict: ReactionDelegate {
    var told: [DraftReaction] = []

    func canReact(to message: MessageReactions) -> Bool { message.message != "m2" }
    func reactions(for message: MessageReactions) -> [ReactionType]? { ["party_parrot"] }
    func allowEmojiSearch(for message: MessageReactions) -> Bool { false }
    func shouldShowOverview(for message: MessageReactions) -> Bool { true }
    func didReact(to message: MessageReactions, reaction: DraftReaction) { told.append(reaction) }
}

@MainActor
@Suite("The models of a channel and its messages", .timeLimit(.minutes(5)))
struct ChannelReactionsTests {
    let broker: FakeBroker
    let channel: ChannelReactions

    init() async throws {
        broker = try FakeBroker()
        let client = try ReactionClient(
            url: await broker.listen(),
            options: ClientOptions(connectTimeout: .seconds(600), requestTimeout: .seconds(600)))
        channel = ChannelReactions("chat:42", of: client) { Date(timeIntervalSince1970: 9) }
    }

    /// Greets the client and answers its subscription.
    @discardableResult
    private func greet(messages: [Summary]? = oneThumb, isFrozen: Bool = false, allowed: [String]? = nil) async
        -> Request
    {
        await broker.nextUpgrade()
        await broker.send(welcome)
        let request = await broker.nextRequest()
        await broker.send(subscribed(request.id, messages: messages, isFrozen: isFrozen, allowed: allowed))
        return request
    }

    @Test("show the snapshot, and then each change")
    func shows() async throws {
        let message = channel["m1"]
        #expect(message.groups == [] && !channel.isReady)
        let request = await greet()
        #expect(request.body == .subscribe(.init(channel: "chat:42")))
        await wait { message.total == 1 }
        #expect(message.groups == [ReactionGroup("👍", count: 1, users: 1, latest: ["bob"])])
        #expect(channel.isReady && channel.policy == .distinct && channel.user == "ada")
        await broker.send(added("👍", by: "cy", 6, count: 2))
        await wait { message.total == 2 }
        #expect(message["👍"]?.latest == ["cy", "bob"])
        #expect(
            message.reactions == [
                Reaction(message: "m1", user: "bob", createdAt: Date(timeIntervalSince1970: 2), type: "👍"),
                Reaction(message: "m1", user: "cy", createdAt: Date(timeIntervalSince1970: 6), type: "👍"),
            ])
        #expect(channel["m1"] === message)
        await channel.client.close()
    }

    @Test("show what a person does at once, as sending until the broker has it")
    func optimistic() async throws {
        await greet()
        let message = channel["m1"]
        await wait { message.total == 1 }
        let draft = try #require(message.toggle("👍"))
        #expect(
            message["👍"]
                == ReactionGroup("👍", count: 2, users: 2, latest: ["ada", "bob"], ownCount: 1, status: .sending))
        #expect(message.own == ["👍"])
        #expect(draft.type == "👍" && draft.action == .add && draft.createdAt == Date(timeIntervalSince1970: 9))
        let request = await broker.nextRequest()
        #expect(request.id == .text(draft.id))
        #expect(
            request.body
                == .operation(
                    channel: "chat:42", message: "m1", action: .add(reaction: "👍", count: nil, data: nil), key: draft.id
                ))
        await broker.send(ack(request.id, "👍", 6, own: ["👍"]), added("👍", by: "ada", 6, count: 2))
        await wait { message["👍"]?.status == .sent }
        #expect(message["👍"]?.count == 2)
        let own = message.reactions.filter { $0.user == "ada" }
        #expect(own.map(\.status) == [.sent])
        #expect(message.toggle("👍")?.action == .remove)
        #expect(message.own == [])
        await channel.client.close()
    }

    @Test("send what has no answer again under its key after a reconnect, and count it once")
    func again() async throws {
        await greet()
        let message = channel["m1"]
        await wait { message.total == 1 }
        message.add("👍")
        let first = await broker.nextRequest()
        await broker.breakOff()
        // Waiting may be over already, but nobody has greeted the next connection yet.
        await wait {
            if case .connected = channel.connection { false } else { true }
        }
        #expect(message["👍"]?.status == .sending)
        let resumed = await greet(messages: nil)
        #expect(resumed.body == .subscribe(.init(channel: "chat:42", since: Position(epoch: "e1", seq: 5))))
        let second = await broker.nextRequest()
        #expect(second == first)
        await broker.send(added("👍", by: "ada", 6, count: 2), ack(second.id, "👍", 6, own: ["👍"]))
        await wait { message["👍"]?.status == .sent }
        #expect(message["👍"]?.count == 2 && message.total == 2)
        await channel.client.close()
    }

    @Test("keep what is done without a connection, the last wish of each message and reaction")
    func offline() async throws {
        let message = channel["m1"]
        message.add("👍")
        message.add("❤️")
        message.remove("👍")
        await greet()
        let first = await broker.nextRequest()
        guard case .operation(_, _, .add(reaction: "❤️", _, _), _) = first.body else {
            Issue.record("another request: \(first)")
            return
        }
        await broker.send(ack(first.id, "❤️", 6, own: ["❤️"]))
        guard case .operation(_, _, .remove(reaction: "👍", _), _) = await broker.nextRequest().body else {
            Issue.record("another request")
            return
        }
        await channel.client.close()
    }

    @Test("go on with what an app kept while it was away, under the same keys")
    func restored() async throws {
        let before = ChannelReactions("chat:42", of: try ReactionClient(url: "ws://127.0.0.1:1"))
        let draft = try #require(before["m1"].add("👍", data: try ReactionData(json: #"{"source": "ios"}"#)))
        #expect(!before.unsent.isEmpty)
        let message = channel["m1"]
        try DocumentedExamples.restoring(channel, DocumentedExamples.keeping(before))
        #expect(message["👍"]?.status == .sending && message.own == ["👍"])
        channel.restore(before.unsent)
        await greet()
        let request = await broker.nextRequest()
        #expect(request.id == .text(draft.id))
        let data = ReactionData(text: #"{"source":"ios"}"#, canonical: #"{"source":"ios"}"#)
        #expect(
            request.body
                == .operation(
                    channel: "chat:42", message: "m1", action: .add(reaction: "👍", count: nil, data: data),
                    key: draft.id))
        await broker.send(ack(request.id, "👍", 6, own: ["👍"]))
        await wait { message["👍"]?.status == .sent }
        #expect(channel.unsent.isEmpty, "what was restored twice is there once")
        await before.client.close()
        await channel.client.close()
    }

    @Test(
        "refuse data that is no JSON object of 1,024 bytes at most",
        arguments: ["", "[]", "{", "{\"a\":\"" + String(repeating: "a", count: 1024) + "\"}"])
    func data(_ json: String) {
        let error = #expect(throws: ClientError.self) { try ReactionData(json: json) }
        #expect(error?.code == .invalidData)
    }

    @Test("keep what the broker refuses as failed, to be sent again under its key or thrown away")
    func refused() async throws {
        await greet()
        let message = channel["m1"]
        await wait { message.total == 1 }
        message.add("🎉")
        let request = await broker.nextRequest()
        let refusal = BrokerMessage.error(
            id: request.id, code: .reactionNotAllowed, message: "no", retryAfterMilliseconds: nil)
        await broker.send(refusal)
        await wait { !channel.failed.isEmpty }
        let draft = try #require(channel.failed.first)
        #expect(message["🎉"]?.status.isFailed == true && message["🎉"]?.count == 0)
        #expect(message.reactions.last?.status == .failed(draft) && message.reactions.last?.user == "ada")
        message.retry("🎉")
        #expect(message["🎉"]?.status == .sending && channel.failed == [])
        #expect(await broker.nextRequest() == request)
        await broker.send(refusal)
        await wait { !channel.failed.isEmpty }
        message.discard("🎉")
        #expect(message["🎉"] == nil && channel.failed == [] && message.total == 1)
        await channel.client.close()
    }

    @Test("ask the app, which knows what the channel allows")
    func delegate() async throws {
        let delegate = Strict()
        let (message, other) = (channel["m1"], channel["m2"])
        #expect(message.choices == ReactionType.common && message.canReact && message.allowsEmojiSearch)
        #expect(!message.showsOverview)
        await greet(allowed: ["👍", "❤️"])
        await wait { message.total == 1 }
        #expect(message.choices == ["👍", "❤️"] && !message.allowsEmojiSearch && message.showsOverview)
        channel.delegate = delegate
        #expect(message.choices == ["party_parrot"] && message.canReact && !other.canReact && other.showsOverview)
        let draft = message.toggle("👍")
        message.set(["❤️"])
        #expect(delegate.told.first == draft)
        #expect(delegate.told.dropFirst().map(\.action) == [.remove, .add])
        #expect(delegate.told.dropFirst().map(\.type) == ["👍", "❤️"])
        await channel.client.close()
    }

    @Test("let nobody react in a frozen channel, or to a deleted message")
    func closed() async throws {
        let message = channel["m1"]
        await greet(isFrozen: true)
        await wait { channel.isFrozen }
        #expect(!message.canReact)
        await broker.send(.frozen(channel: "chat:42", isFrozen: false, by: "mod"))
        await wait { !channel.isFrozen }
        #expect(message.canReact)
        let kind = Change.Kind.cleared(groups: [], reaction: nil, user: nil, by: "mod", removed: 1, isDeletion: true)
        await broker.send(
            .event(channel: "chat:42", Change(seq: 6, message: "m1", user: nil, at: 0, total: 0, kind: kind)))
        await wait { message.isDeleted }
        #expect(!message.canReact && message.groups == [])
        await channel.client.close()
    }

    @Test("tell views of what they show, and of nothing else")
    func observation() async throws {
        await greet()
        let (message, other) = (channel["m1"], channel["m2"])
        await wait { message.total == 1 }
        let isTold = Signal()
        let isToldOfOther = Signal()
        withObservationTracking {
            _ = message.total
        } onChange: {
            isTold.set()
        }
        withObservationTracking {
            _ = (other.groups, other.total, other.own, other.reactions, other.isDeleted)
        } onChange: {
            isToldOfOther.set()
        }
        await broker.send(added("👍", by: "cy", 6, count: 2))
        await isTold.wait()
        await wait { message.total == 2 }
        #expect(!isToldOfOther.isSet)
        await channel.client.close()
    }

    @Test("tell of bursts and of how many are there")
    func others() async throws {
        await greet()
        let counts = [ReactionCount(reaction: .init(canonical: "🎉"), count: 7)]
        await broker.send(
            .burst(channel: "chat:42", message: "", reactions: counts, windowMilliseconds: 100, at: 5),
            .occupancy(channel: "chat:42", connections: 3, users: 2))
        await wait { channel.occupancy != nil }
        #expect(channel.occupancy == Occupancy(connections: 3, users: 2))
        #expect(channel.latestBurst == Burst(message: "", counts: counts, windowMilliseconds: 100, at: 5))
        await channel.client.close()
    }

    @Test("send changes although the subscription is refused, and say why it is")
    func mayNotSubscribe() async throws {
        await broker.nextUpgrade()
        await broker.send(welcome)
        let request = await broker.nextRequest()
        channel["m1"].add("👍")
        await broker.send(.error(id: request.id, code: .forbidden, message: "no", retryAfterMilliseconds: nil))
        guard case .operation = await broker.nextRequest().body else {
            Issue.record("another request")
            return
        }
        #expect(channel.failure?.refusal == .forbidden)
        await channel.client.close()
    }

    @Test("say that what waits has failed when the client does not come back")
    func closedForGood() async throws {
        // A broker that was listening already may have let the client in.
        let broker = try FakeBroker()
        await broker.answer(with: 401)
        let channel = ChannelReactions("chat:42", of: try ReactionClient(url: await broker.listen()))
        let message = channel["m1"]
        message.add("👍")
        await wait { !channel.failed.isEmpty }
        guard case .failed(let error) = message["👍"]?.status else {
            Issue.record("it has not failed: \(message.groups)")
            return
        }
        #expect(error.code == .unauthorized && message.own == [])
        await self.channel.client.close()
    }

    @Test("can be waited for: until the snapshot, a refusal, the end of the client, or no longer than one wants")
    func ready() async throws {
        let waiting = Task { try await channel.ready() }
        await greet()
        try await waiting.value
        #expect(channel.isReady && channel["m1"].total == 1)
        try await channel.ready()
        await channel.client.close()
        try await channel.ready()
    }

    @Test("are not waited for any longer once the broker refuses the channel")
    func neverReady() async throws {
        let waiting = Task { try await channel.ready() }
        await broker.nextUpgrade()
        await broker.send(welcome)
        let request = await broker.nextRequest()
        await broker.send(.error(id: request.id, code: .forbidden, message: "no", retryAfterMilliseconds: nil))
        let error = await #expect(throws: ClientError.self) { try await waiting.value }
        #expect(error?.refusal == .forbidden)
        await channel.client.close()
    }

    @Test("are not waited for any longer once the client is closed, or the task is cancelled")
    func noLongerAwaited() async throws {
        let cancelled = Task { try await channel.ready() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let waiting = Task { try await channel.ready() }
        await broker.nextUpgrade()
        await channel.client.close()
        let error = await #expect(throws: ClientError.self) { try await waiting.value }
        #expect(error?.code == .closed)
    }

    @Test("leave the channel when they go")
    func unsubscribe() async throws {
        let broker = try FakeBroker()
        let client = try ReactionClient(url: await broker.listen())
        do {
            let channel = ChannelReactions("chat:1", of: client)
            await broker.nextUpgrade()
            await broker.send(welcome)
            _ = channel["m1"]
            _ = await broker.nextRequest()
        }
        #expect(await broker.nextRequest().body == .unsubscribe(channel: "chat:1"))
        await client.close()
        await channel.client.close()
    }
}
