import Testing
import Transport
import Wire

@testable import FanfareClient

private struct NoToken: Error {}

/// An app's own server, which gives the tokens t1, t2, ….
private final class TokenServer: Sendable {
    private let state = Locked((given: 0, fails: 0))

    init(failingFirst fails: Int = 0) {
        state.withLock { $0.fails = fails }
    }

    func token() throws -> String {
        try state.withLock { state in
            if state.fails > 0 {
                state.fails -= 1
                throw NoToken()
            }
            state.given += 1
            return "t\(state.given)"
        }
    }
}

@Suite("Tokens that run out", .timeLimit(.minutes(5)))
struct TokenRenewalTests {
    private static func welcome(at time: Int64 = 0) -> BrokerMessage {
        .welcome(
            Welcome(
                connection: "c-1", user: "ada", time: time, heartbeatMilliseconds: 25_000, maxMessageBytes: 65_536,
                maxSubscriptions: 256))
    }

    private static func setUp(failingFirst fails: Int = 0) async throws -> (FakeBroker, ReactionClient) {
        let server = TokenServer(failingFirst: fails)
        let broker = try FakeBroker()
        let client = try ReactionClient(
            url: await broker.listen(), identity: .tokens { try server.token() },
            options: ClientOptions(connectTimeout: .seconds(600), requestTimeout: .seconds(600)))
        return (broker, client)
    }

    private static func upgrade(_ token: String) -> FakeBroker.Event {
        .upgrade(target: "/v1/ws", authorization: "Bearer \(token)")
    }

    @Test("are renewed before they do, on the same connection")
    func renewed() async throws {
        let (broker, client) = try await Self.setUp()
        let updates = client.events(in: "chat:42")
        #expect(await broker.nextUpgrade() == Self.upgrade("t1"))
        await broker.send(Self.welcome(at: 1_000_000))
        var requests = [await broker.nextRequest(), await broker.nextRequest()]
        let authentication = try #require(requests.first { $0.body == .auth(token: "t1") })
        // A token of four seconds is renewed after three.
        await broker.send(.authenticated(id: authentication.id, user: "ada", expires: 1_004_000))
        requests = [await broker.nextRequest()]
        #expect(requests.map(\.body) == [.auth(token: "t2")])
        await client.close()
        _ = updates
    }

    @Test("are renewed after the broker refused one, and kept across other losses")
    func refused() async throws {
        let (broker, client) = try await Self.setUp()
        await broker.answerOnce(with: 401)
        let updates = client.events(in: "chat:42")
        #expect(await broker.nextUpgrade() == Self.upgrade("t1"))
        #expect(await broker.nextUpgrade() == Self.upgrade("t2"))
        await broker.send(Self.welcome())
        _ = await broker.nextRequest()
        await broker.breakOff()
        #expect(await broker.nextUpgrade() == Self.upgrade("t2"))
        await broker.send(Self.welcome())
        _ = await broker.nextRequest()
        await broker.send(.goodbye(code: 4001, reason: "expired", retryAfterMilliseconds: 0))
        await broker.close(code: 4001)
        #expect(await broker.nextUpgrade() == Self.upgrade("t3"))
        await client.close()
        _ = updates
    }

    @Test("have no white space around them")
    func white() async throws {
        let broker = try FakeBroker()
        let client = try ReactionClient(
            url: await broker.listen(), identity: .tokens { " t1\n" },
            options: ClientOptions(connectTimeout: .seconds(600)))
        let updates = client.events(in: "chat:42")
        #expect(await broker.nextUpgrade() == Self.upgrade("t1"))
        await broker.send(Self.welcome())
        let requests = [await broker.nextRequest().body, await broker.nextRequest().body]
        #expect(requests.contains(.auth(token: "t1")))
        await client.close()
        _ = updates
    }

    @Test("are waited for where there is none yet")
    func later() async throws {
        let (broker, client) = try await Self.setUp(failingFirst: 2)
        let updates = client.events(in: "chat:42")
        #expect(await broker.nextUpgrade() == Self.upgrade("t1"))
        await client.close()
        _ = updates
    }

    @Test("are not shown again once they have run out while there was no connection", .timeLimit(.minutes(1)))
    func outage() async throws {
        let (broker, client) = try await Self.setUp()
        var updates = client.events(in: "chat:42").makeAsyncIterator()
        #expect(await broker.nextUpgrade() == Self.upgrade("t1"))
        await broker.send(Self.welcome(at: 1_000_000))
        let requests = [await broker.nextRequest(), await broker.nextRequest()]
        let authentication = try #require(requests.first { $0.body == .auth(token: "t1") })
        await broker.send(
            .authenticated(id: authentication.id, user: "ada", expires: 1_000_000),
            .frozen(channel: "chat:42", isFrozen: true, by: "mod"))
        while let update = await updates.next() {
            if case .frozen = update { break }
        }
        await broker.breakOff()
        #expect(await broker.nextUpgrade() == Self.upgrade("t2"))
        await client.close()
    }

    @Test("are given up when three in a row are refused")
    func given() async throws {
        let (broker, client) = try await Self.setUp()
        await broker.answer(with: 401)
        let error = await #expect(throws: ClientError.self) { try await client.add("👍", to: "m1", in: "chat:42") }
        #expect(error?.code == .unauthorized)
        for number in 1...3 { #expect(await broker.nextUpgrade() == Self.upgrade("t\(number)")) }
    }

    @Test(
        "are renewed a minute before their end, or a quarter of what is left before it, after a second at least",
        arguments: [(3600, 3540), (240, 180), (100, 75), (4, 3), (1, 1), (0, 1), (-5, 1)])
    func wait(_ left: Int, _ wait: Int) {
        #expect(TokenRenewal.wait(untilEnd: .seconds(left)) == .seconds(wait))
    }
}
