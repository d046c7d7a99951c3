import Reactions
import Storage
import Testing
import Wire

@testable import Broker

/// Who is revoked while a hook is asked about a request of theirs.
@Suite(.timeLimit(.minutes(5))) struct HookRevocationTests {
    @Test(
        "what a hook allows has no effect where who asked was revoked meanwhile",
        arguments: [(nil, true), (999, true), (1_000, false)] as [(Int64?, Bool)])
    func revokedWhileAsked(revokedAt: Int64?, isAllowed: Bool) async throws {
        let server = try ScriptedServer([nil], ending: "}")
        let harness = try HubHarness(loops: 1)
        let hub = harness.broker.hubs[0]
        let endpoint = Endpoint(
            url: try #require(OutboundURL("http://127.0.0.1:\(server.port)/")),
            secret: try #require(SigningSecret("s")),
            timeoutMilliseconds: 600_000)
        let hook = Hook(endpoint: endpoint, isAllowedWhenDown: false, maxCacheMilliseconds: 0)
        var settings = harness.broker.settings
        settings.namespaces["chat"]?.outbound = OutboundSettings(webhook: nil, subscribeHook: nil, reactHook: hook)
        harness.broker.adopt(settings)
        let key = await harness.ear(on: hub, user: "mallory", issued: 1_000)
        let action = Reactions.Operation.Action.add(reaction: "👍", count: nil, data: nil)
        let request = Request(id: .number(1), .operation(channel: "chat:1", message: "m1", action: action, key: nil))
        await harness.onLoop(hub) { hub in
            guard let recipient = hub.recipient(key) else { return }
            var requests: ArraySlice = [Result<Request, BadRequest>.success(request)]
            hub.receive(&requests, from: recipient)
        }
        await server.heard(1)
        if let revokedAt {
            let revocation = Revocation(user: "mallory", at: revokedAt, by: "mod")
            await harness.turn(hub, [.revoked(revocation, .success(()), for: key)])
        }
        server.say("HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{\"allow\":true}")
        var commit: HeldStore.Commit?
        while commit == nil, await harness.heard(key).isEmpty {
            await harness.settle()
            commit = harness.store.next()
        }
        #expect((commit != nil) == isAllowed)
        #expect(await harness.heard(key) == (isAllowed ? [] : ["error -"]))
    }
}
