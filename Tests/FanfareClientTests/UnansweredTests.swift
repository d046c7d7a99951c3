import Reactions
import Testing
import Wire

@testable import FanfareClient

private let welcome = BrokerMessage.welcome(
    Welcome(
        connection: "c-1", user: "ada", time: 0, heartbeatMilliseconds: 25_000, maxMessageBytes: 65_536,
        maxSubscriptions: 256))

private func subscribed(_ id: RequestID?) -> BrokerMessage {
    .subscribed(
        Subscribed(
            id: id, channel: "chat:42", epoch: "e1", seq: 5, mode: .events, policy: .distinct,
            intervalMilliseconds: 100, allowed: nil, maxKinds: 20, maxPerUser: 10, isFrozen: false,
            isRecovered: false, messages: [], more: nil, isCounted: false))
}

@MainActor
@Suite("A subscription that has no answer", .timeLimit(.minutes(5)))
struct UnansweredTests {
    private static let why = "the broker did not answer the subscription to chat:42 within 0 s"

    private func setUp(
        _ timeout: Duration = .milliseconds(50)
    ) async throws -> (FakeBroker, ReactionClient) {
        let broker = try FakeBroker()
        let options = ClientOptions(connectTimeout: .seconds(600), requestTimeout: timeout)
        return (broker, try ReactionClient(url: await broker.listen(), identity: .user("ada"), options: options))
    }

    @Test("ends a sequence that has told nothing yet, with the reason")
    func first() async throws {
        let (broker, client) = try await setUp()
        let updates = client.events(in: "chat:42")
        await broker.nextUpgrade()
        await broker.send(welcome)
        var last: ChannelUpdate?
        for await update in updates { last = update }
        #expect(last == .ended(ClientError(.timedOut, Self.why)))
        guard case .subscribe = await broker.nextRequest().body else {
            Issue.record("it did not subscribe")
            return
        }
        #expect(await broker.nextRequest().body == .unsubscribe(channel: "chat:42"), "a late answer is not wanted")
        await client.close()
    }

    @Test("has one that knows an old state ask again on a new connection")
    func again() async throws {
        let (broker, client) = try await setUp(.seconds(600))
        var updates = client.events(in: "chat:42").makeAsyncIterator()
        await broker.nextUpgrade()
        await broker.send(welcome)
        await broker.send(subscribed(await broker.nextRequest().id))
        while let update = await updates.next() {
            if case .snapshot = update { break }
        }
        await broker.breakOff()
        await broker.nextUpgrade()
        await broker.send(welcome)
        _ = await broker.nextRequest()
        await client.expireSubscriptions(at: .seconds(1 << 32))
        await broker.nextUpgrade()
        await broker.send(welcome)
        guard case .subscribe(let asked) = await broker.nextRequest().body else {
            Issue.record("it did not ask again")
            return
        }
        #expect(asked.since == Position(epoch: "e1", seq: 5))
        var losses: [Loss] = []
        while losses.count < 2, let update = await updates.next() {
            if case .connection(.waiting(_, let loss)) = update { losses.append(loss) }
        }
        #expect(losses.last == .broken("the broker did not answer the subscription to chat:42 within 600 s"))
        await client.close()
    }

    @Test("is told to a model, which takes a late answer, and asks again on a new connection")
    func model() async throws {
        let (broker, client) = try await setUp()
        let channel = ChannelReactions("chat:42", of: client)
        await broker.nextUpgrade()
        await broker.send(welcome)
        let request = await broker.nextRequest()
        let error = await #expect(throws: ClientError.self) { try await channel.ready() }
        #expect(error == ClientError(.timedOut, Self.why))
        await broker.send(subscribed(request.id))
        await wait { channel.isReady && channel.failure == nil }
        await broker.breakOff()
        await broker.nextUpgrade()
        await broker.send(welcome)
        guard case .subscribe = await broker.nextRequest().body else {
            Issue.record("it did not ask again")
            return
        }
        await wait { channel.failure == error }
        await client.close()
    }

    @Test("that is about other messages now is told to a model as well")
    func watch() async throws {
        let (broker, client) = try await setUp()
        let channel = ChannelReactions("chat:42", of: client, scope: .watchedMessages)
        await broker.nextUpgrade()
        await broker.send(welcome)
        await broker.send(subscribed(await broker.nextRequest().id))
        await wait { channel.isReady && channel.failure == nil }
        channel.watch("m1")
        let request = await broker.nextRequest()
        #expect(request.body == .watch(channel: "chat:42", messages: ["m1"]))
        await wait { channel.failure?.code == .timedOut }
        await broker.send(.watched(id: request.id, channel: "chat:42", seq: 5, messages: [], isCounted: false))
        await wait { channel.failure == nil }
        await client.close()
    }
}
