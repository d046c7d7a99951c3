import Reactions
import Testing
import Transport
import Wire

@testable import FanfareClient

private let thumb = Reactions.Reaction(canonical: "👍")

private let welcome = BrokerMessage.welcome(
    Welcome(
        connection: "c-1", user: "ada", time: 0, heartbeatMilliseconds: 25_000, maxMessageBytes: 65_536,
        maxSubscriptions: 256))

private func added(_ seq: UInt64) -> Change {
    Change(
        seq: seq, message: "m1", user: "ada", at: 0, total: seq,
        kind: .added(GroupCount(reaction: thumb, count: seq, users: seq), byCount: nil, data: nil))
}

private func subscribed(_ id: RequestID?, _ seq: UInt64, isRecovered: Bool = false) -> BrokerMessage {
    .subscribed(
        Subscribed(
            id: id, channel: "chat:42", epoch: "e1", seq: seq, mode: .events, policy: .distinct,
            intervalMilliseconds: 100, allowed: nil, maxKinds: 20, maxPerUser: 10, isFrozen: false,
            isRecovered: isRecovered, messages: isRecovered ? nil : [], more: nil, isCounted: false))
}

private func ack(_ id: RequestID?, _ seq: UInt64, isDuplicate: Bool = false) -> BrokerMessage {
    .ack(
        id: id, channel: "chat:42",
        Answer(
            .added, message: "m1", seq: seq, reaction: thumb, count: 1, own: [OwnReaction(reaction: thumb)]),
        isDuplicate: isDuplicate, isCounted: false)
}

/// The updates of a channel without those about the connection.
private struct ChannelReader {
    private var updates: ChannelUpdates.Iterator

    init(_ updates: ChannelUpdates) {
        self.updates = updates.makeAsyncIterator()
    }

    mutating func next() async throws -> ChannelUpdate? {
        while let update = await updates.next() {
            if case .connection = update { continue }
            if case .ended(let error) = update { throw error }
            return update
        }
        return nil
    }
}

@Suite("A client and a broker", .timeLimit(.minutes(5)))
struct ReactionClientTests {
    /// What a client waits for is longer than a busy machine takes over a test.
    private static let patient = ClientOptions(connectTimeout: .seconds(600), requestTimeout: .seconds(600))

    private static func setUp(
        _ identity: Identity = .none, options: ClientOptions = patient
    ) async throws -> (FakeBroker, ReactionClient) {
        let broker = try FakeBroker()
        let client = try ReactionClient(url: await broker.listen(), identity: identity, options: options)
        return (broker, client)
    }

    @Test(
        "say who asks at the upgrade",
        arguments: [
            (.none, "/v1/ws", nil), (.user("a&b"), "/v1/ws?user=a%26b", nil),
            (.token("a.b.c"), "/v1/ws", "Bearer a.b.c"),
        ] as [(Identity, String, String?)])
    func identity(_ identity: Identity, _ target: String, _ authorization: String?) async throws {
        let (broker, client) = try await Self.setUp(identity)
        let updates = client.events(in: "chat:42")
        #expect(await broker.next() == .upgrade(target: target, authorization: authorization))
        await client.close()
        _ = updates
    }

    @Test("each new state of the connection is told, once")
    func stateChanged() async throws {
        let (states, teller) = AsyncStream.makeStream(of: ConnectionState.self)
        var options = Self.patient
        options.stateChanged = { teller.yield($0) }
        let (broker, client) = try await Self.setUp(options: options)
        let updates = client.events(in: "chat:42")
        await broker.nextUpgrade()
        await broker.send(welcome)
        _ = await broker.nextRequest()
        await broker.breakOff()
        var reader = states.makeAsyncIterator()
        #expect(await reader.next() == .connecting)
        guard case .connected = await reader.next() else {
            Issue.record("it was not connected")
            return
        }
        guard case .waiting = await reader.next() else {
            Issue.record("it does not wait")
            return
        }
        await client.close()
        _ = updates
    }

    @Test("a client stays as long as somebody follows, and breaks its connection off when nobody holds it")
    func letGo() async throws {
        let broker = try FakeBroker()
        let url = try await broker.listen()
        weak var client: ReactionClient?
        var updates: ChannelUpdates?
        do {
            let made = try ReactionClient(url: url, options: Self.patient)
            (client, updates) = (made, made.events(in: "chat:42"))
        }
        await broker.nextUpgrade()
        await broker.send(welcome)
        guard case .subscribe = await broker.nextRequest().body else {
            Issue.record("no request to subscribe")
            return
        }
        withExtendedLifetime(updates) {}
        updates = nil
        while client != nil { await Task.yield() }
        await broker.send(welcome)
        // It may have said before that it follows no more.
        var event = await broker.next()
        while case .request = event { event = await broker.next() }
        #expect(event == .gone(nil))
    }

    @Test("resume after the last seq when a connection breaks: nothing missed, nothing twice")
    func resume() async throws {
        let (broker, client) = try await Self.setUp()
        var reader = ChannelReader(client.events(in: "chat:42"))
        _ = await broker.next()
        await broker.send(welcome)
        let first = await broker.nextRequest()
        #expect(first.body == .subscribe(.init(channel: "chat:42")))
        await broker.send(subscribed(first.id, 5), .event(channel: "chat:42", added(6)))
        guard case .snapshot = try await reader.next() else {
            Issue.record("there was no snapshot")
            return
        }
        #expect(try await reader.next() == .event(added(6)))
        await broker.breakOff()
        #expect(await broker.next() == .gone(nil))
        _ = await broker.next()
        await broker.send(welcome)
        let second = await broker.nextRequest()
        #expect(second.body == .subscribe(.init(channel: "chat:42", since: Position(epoch: "e1", seq: 6))))
        await broker.send(
            subscribed(second.id, 6, isRecovered: true), .event(channel: "chat:42", added(7)),
            .event(channel: "chat:42", added(7)), .event(channel: "chat:42", added(8)))
        #expect(try await reader.next() == .event(added(7)))
        #expect(try await reader.next() == .event(added(8)))
        await client.close()
        #expect(try await reader.next() == nil)
    }

    @Test("send a request without an answer again under the same key and id after a reconnect")
    func retry() async throws {
        let (broker, client) = try await Self.setUp()
        let answer = Task { try await client.add("👍", to: "m1", in: "chat:42") }
        _ = await broker.next()
        await broker.send(welcome)
        let first = await broker.nextRequest()
        guard case .operation("chat:42", "m1", .add(reaction: "👍", count: nil, data: nil), let key?) = first.body else {
            Issue.record("another request: \(first)")
            return
        }
        #expect(!key.isEmpty && key.utf8.count <= 64)
        await broker.breakOff()
        _ = await broker.next()
        _ = await broker.next()
        await broker.send(welcome)
        let second = await broker.nextRequest()
        #expect(second == first)
        await broker.send(ack(second.id, 20, isDuplicate: true))
        #expect(try await answer.value.seq == 20)
        await client.close()
    }

    @Test("tell who asks of a refusal, with the broker's code")
    func refused() async throws {
        let (broker, client) = try await Self.setUp()
        let answer = Task { try await client.toggle("🎉", on: "m1", in: "chat:42") }
        _ = await broker.next()
        await broker.send(welcome)
        let request = await broker.nextRequest()
        await broker.send(.error(id: request.id, code: .rateLimited, message: "too fast", retryAfterMilliseconds: 500))
        let error = await #expect(throws: ClientError.self) { try await answer.value }
        #expect(error?.refusal == .rateLimited)
        #expect(error?.retryAfter == .milliseconds(500))
        await client.close()
    }

    @Test("give up a request after its time-out, and say why")
    func timeout() async throws {
        let (broker, client) = try await Self.setUp(options: ClientOptions(requestTimeout: .milliseconds(50)))
        let answer = Task { try await client.remove("👍", from: "m1", in: "chat:42") }
        _ = await broker.next()
        let error = await #expect(throws: ClientError.self) { try await answer.value }
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("no connection to ws://127.0.0.1") == true)
        await client.close()
    }

    @Test("say of a broker that lets nobody in that this is so, and when to come back")
    func unavailable() async throws {
        let (broker, client) = try await Self.setUp(options: ClientOptions(requestTimeout: .seconds(5)))
        await broker.answer(with: 503, retryAfter: 7)
        let error = await #expect(throws: ClientError.self) { try await client.add("👍", to: "m1", in: "chat:42") }
        #expect(error?.code == .unavailable)
        #expect(
            error?.message.hasSuffix(
                ": the broker lets nobody in now (HTTP status 503), and asks to come back in 7 s") == true,
            "\(error?.message ?? "")")
        await client.close()
    }

    @Test("end for good when a token is not accepted")
    func unauthorized() async throws {
        let (broker, client) = try await Self.setUp(.token("bad"))
        await broker.answer(with: 401)
        let error = await #expect(throws: ClientError.self) {
            var reader = ChannelReader(client.events(in: "chat:42"))
            while try await reader.next() != nil {}
        }
        #expect(error?.code == .unauthorized)
        let second = await #expect(throws: ClientError.self) { try await client.add("👍", to: "m1", in: "chat:42") }
        #expect(second?.code == .unauthorized)
    }

    @Test("do not meet again after a goodbye whose retry_after_ms is null")
    func unwanted() async throws {
        let (broker, client) = try await Self.setUp()
        var reader = ChannelReader(client.events(in: "chat:42"))
        _ = await broker.next()
        await broker.send(welcome)
        _ = await broker.nextRequest()
        await broker.send(.goodbye(code: 4003, reason: "banned", retryAfterMilliseconds: nil))
        await broker.close(code: 4003)
        let error = await #expect(throws: ClientError.self) { try await reader.next() }
        #expect(error?.code == .forbidden)
        #expect(await client.state == .closed(.unwanted(code: 4003, reason: "banned")))
    }

    @Test("end one subscription that the broker ends or refuses, and no other")
    func subscriptionEnds() async throws {
        let (broker, client) = try await Self.setUp()
        var ended = ChannelReader(client.events(in: "chat:42"))
        _ = await broker.next()
        await broker.send(welcome)
        let request = await broker.nextRequest()
        await broker.send(subscribed(request.id, 5))
        _ = try await ended.next()
        var refused = ChannelReader(client.events(in: "nowhere:1"))
        let second = await broker.nextRequest()
        await broker.send(
            .error(id: second.id, code: .forbidden, message: "no such namespace", retryAfterMilliseconds: nil))
        let error = await #expect(throws: ClientError.self) { try await refused.next() }
        #expect(error?.refusal == .forbidden)
        await broker.send(.event(channel: "chat:42", added(6)))
        #expect(try await ended.next() == .event(added(6)))
        await broker.send(.unsubscribed(id: nil, channel: "chat:42", reason: "forbidden"))
        let end = await #expect(throws: ClientError.self) { try await ended.next() }
        #expect(end?.code == .forbidden)
        await client.close()
    }

    @Test("share one subscription among those who ask for the same, and unsubscribe after the last")
    func shared() async throws {
        let (broker, client) = try await Self.setUp()
        do {
            var first = ChannelReader(client.events(in: "chat:42"))
            _ = await broker.next()
            await broker.send(welcome)
            let request = await broker.nextRequest()
            await broker.send(subscribed(request.id, 5))
            _ = try await first.next()
            var second = ChannelReader(client.events(in: "chat:42"))
            guard case .snapshot(let snapshot) = try await second.next() else {
                Issue.record("there was no snapshot")
                return
            }
            #expect(snapshot.view.seq == 5)
            var other = ChannelReader(client.events(in: "chat:42", mode: .summary))
            let error = await #expect(throws: ClientError.self) { try await other.next() }
            #expect(error?.code == .conflict)
            await broker.send(.event(channel: "chat:42", added(6)))
            #expect(try await first.next() == .event(added(6)))
            #expect(try await second.next() == .event(added(6)))
        }
        #expect(await broker.nextRequest().body == .unsubscribe(channel: "chat:42"))
        await client.close()
    }

    @Test("close with 1000, and await the other's close")
    func close() async throws {
        let (broker, client) = try await Self.setUp()
        var reader = ChannelReader(client.events(in: "chat:42"))
        _ = await broker.next()
        await broker.send(welcome)
        _ = await broker.nextRequest()
        await client.close()
        #expect(await broker.next() == .gone(1000))
        #expect(try await reader.next() == nil)
        let error = await #expect(throws: ClientError.self) { try await client.add("👍", to: "m1", in: "chat:42") }
        #expect(error?.code == .closed)
    }

    @Test("part where the broker says what cannot be read, and resume")
    func misread() async throws {
        let (broker, client) = try await Self.setUp()
        let updates = client.events(in: "chat:42")
        _ = await broker.next()
        await broker.send(welcome)
        _ = await broker.nextRequest()
        await broker.send(text: "{\"type\":\"added\"}")
        #expect(await broker.next() == .gone(nil))
        #expect(await broker.next() == .upgrade(target: "/v1/ws", authorization: nil))
        await client.close()
        _ = updates
    }

    @Test("let the tap hear each message as it was received")
    func tap() async throws {
        let heard = Signal()
        let text = "{\"type\":\"confetti\",\"colour\":\"red\"}"
        let options = ClientOptions { if $0 == Array(text.utf8) { heard.set() } }
        let (broker, client) = try await Self.setUp(options: options)
        let updates = client.events(in: "chat:42")
        _ = await broker.next()
        await broker.send(text: text)
        await heard.wait()
        await client.close()
        _ = updates
    }
}
