import Testing
import Wire

@testable import FanfareClient

@Suite("A client whom a broker does not take for anyone", .timeLimit(.minutes(5)))
struct RefusedIdentityTests {
    private static let patient = ClientOptions(connectTimeout: .seconds(600), requestTimeout: .seconds(600))

    private static let nobody = BrokerMessage.welcome(
        Welcome(
            connection: "c-1", user: nil, time: 0, heartbeatMilliseconds: 25_000, maxMessageBytes: 65_536,
            maxSubscriptions: 256))

    /// The error that a channel's events and a request end with, and the last state.
    private static func end(
        of identity: Identity, options: ClientOptions = patient, at broker: FakeBroker, welcome: BrokerMessage? = nil
    ) async throws -> (events: ClientError?, request: ClientError?, state: ConnectionState?) {
        let client = try ReactionClient(url: await broker.listen(), identity: identity, options: options)
        async let request = await #expect(throws: ClientError.self) {
            try await client.add("👍", to: "m1", in: "chat:42")
        }
        let updates = client.events(in: "chat:42")
        await broker.nextUpgrade()
        if let welcome { await broker.send(welcome) }
        var end: ClientError?
        for await update in updates {
            if case .connection(.connected) = update { Issue.record("it says that it is connected") }
            if case .ended(let error) = update { end = error }
        }
        return (end, await request, await client.state)
    }

    @Test(
        "is not connected, and tells everyone why",
        arguments: [
            (.user("ada"), "this broker wants a token"), (.none, "this broker wants a token"),
            (
                .token("a.b.c"),
                "no token reached the broker: what lies between does not pass on the header Authorization"
            ),
        ] as [(Identity, String)])
    func nobody(_ identity: Identity, _ why: String) async throws {
        let end = try await Self.end(of: identity, at: FakeBroker(), welcome: Self.nobody)
        let error = ClientError(.unauthorized, why)
        #expect(end.events == error && end.request == error)
        #expect(end.state == .closed(.unauthorized(why)))
    }

    @Test("hears what the broker has against the token")
    func refusedToken() async throws {
        let broker = try FakeBroker()
        await broker.answer(with: 401, body: #"{"code":"unauthorized","message":"it ran out"}"#)
        let end = try await Self.end(of: .token("old"), at: broker)
        let why = "the broker does not accept the token (HTTP status 401): it ran out"
        #expect(end.events == ClientError(.unauthorized, why) && end.request == ClientError(.unauthorized, why))
        #expect(end.state == .closed(.unauthorized(why)))
    }

    @Test("hears of a token that never comes, and asks for another")
    func noToken() async throws {
        let (states, teller) = AsyncStream.makeStream(of: ConnectionState.self)
        let options = ClientOptions(
            connectTimeout: .milliseconds(20), requestTimeout: .seconds(600), stateChanged: { teller.yield($0) })
        let (asked, asker) = AsyncStream.makeStream(of: Void.self)
        let client = try ReactionClient(
            url: "ws://127.0.0.1:9",
            identity: .tokens {
                asker.yield()
                try await Task.sleep(for: .seconds(3600))
                return ""
            }, options: options)
        let updates = client.events(in: "chat:42")
        var losses: [Loss] = []
        for await state in states {
            if case .waiting(_, let loss) = state { losses.append(loss) }
            if losses.count == 2 { break }
        }
        let loss = Loss.unreachable("there is no token: what gives it has not answered within 0 s")
        #expect(losses == [loss, loss])
        var asking = asked.makeAsyncIterator()
        for _ in 0..<2 { #expect(await asking.next() != nil) }
        await client.close()
        _ = updates
    }
}
