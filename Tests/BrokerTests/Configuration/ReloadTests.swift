import Reactions
import Testing
import Wire

@testable import Broker

/// What other settings do to channels and sessions that are there already.
@Suite struct ReloadTests {
    @Test("a channel goes on with the new rules and rates")
    func rules() async throws {
        let harness = try ChannelHarness(Namespace())
        await harness.load()
        await harness.add(1)
        let rules = Rules(allowed: [Reaction(canonical: "🎉")], maxPerUserAndMessage: 3)
        let namespace = Namespace(
            rules: rules, summaryIntervalMilliseconds: 7, rates: Rates(user: Rate(perSecond: 1, burst: 1)))
        await harness.channel.adopt(namespace, entry: "chat", at: harness.moment)
        await harness.add(3)
        await harness.add(3, "🎉")
        await harness.add(3, "🎉")
        await harness.commit()
        let heard = await harness.heard()
        #expect(
            heard.compactMap { $0["code"] as? String ?? $0["result"] as? String } == [
                "added", "reaction_not_allowed", "added", "rate_limited",
            ])
        await harness.subscribe(5)
        let subscribed = try #require(await harness.heard().first)
        #expect(subscribed["allowed"] as? [String] == ["🎉"])
        #expect(subscribed["interval_ms"] as? Int == 7)
    }

    @Test("a namespace that becomes anonymous names nobody from then on, in held events neither")
    func anonymous() async throws {
        let harness = try ChannelHarness(Namespace())
        await harness.load()
        await harness.subscribe(1)
        await harness.add(1)
        await harness.commit()
        #expect(await harness.heard().contains { $0["user"] as? String == "u1" })
        await harness.add(1, "🎉")
        await harness.channel.adopt(Namespace(isAnonymous: true), entry: "chat", at: harness.moment)
        await harness.commit()
        let heard = await harness.heard()
        #expect(heard.contains { $0["type"] as? String == "added" })
        #expect(!heard.contains { $0["user"] != nil })
        await harness.subscribe(2, since: .init(epoch: "e1", seq: 0))
        let resumed = await harness.heard()
        #expect(resumed.first?["recovered"] as? Bool == false)
        #expect(!resumed.contains { $0["user"] != nil })
    }

    @Test("a shorter history holds less")
    func history() async throws {
        let harness = try ChannelHarness(Namespace())
        await harness.load()
        for user in 1...4 {
            await harness.add(user)
            await harness.commit()
            _ = await harness.heard()
        }
        #expect(await harness.channel.canResume(after: 0, at: harness.moment))
        await harness.channel.adopt(Namespace(historyEvents: 2), entry: "chat", at: harness.moment)
        #expect(await !harness.channel.canResume(after: 1, at: harness.moment))
        #expect(await harness.channel.canResume(after: 2, at: harness.moment))
    }

    @Test("subscriptions to channels whose namespace is gone end")
    func goneNamespace() throws {
        let key = ConnectionKey(hub: 0, slot: 0, generation: 0)
        var session = Session(key: key, identity: Identity(user: "ada", grants: Identity.ordinaryGrants))
        let authenticator = Authenticator(tokens: nil, development: nil)
        let before = BrokerSettings(namespaces: Namespace.development, authenticator: authenticator)
        for channel in ["chat:1", "tap:1"] {
            let request = Request(id: .number(1), .subscribe(.init(channel: channel)))
            guard case .ask = session.receive(request, settings: before, now: 0) else {
                Issue.record("the channel is asked")
                return
            }
        }
        #expect(session.revoked(by: before).isEmpty)
        let after = BrokerSettings(namespaces: ["tap": Namespace()], authenticator: authenticator)
        #expect(session.revoked(by: after).map(\.channel) == ["chat:1"])
        #expect(session.revoked(by: after).isEmpty)
        let all = BrokerSettings(namespaces: ["*": Namespace()], authenticator: authenticator)
        #expect(session.revoked(by: all).isEmpty)
    }
}
