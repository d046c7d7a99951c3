import Reactions
import Storage
import Testing
import Wire

@testable import Broker

/// PROTOCOL.md section 8, `rate_limited`.
@Suite struct RateLimitTests {
    private func codes(_ harness: ChannelHarness) async -> [String] {
        await harness.commit()
        return await harness.heard().compactMap { $0["code"] as? String ?? $0["result"] as? String }
    }

    private func limited(user: Rate? = nil, channel: Rate? = nil) -> Namespace {
        Namespace(rules: Rules(maxPerUserAndMessage: 2), rates: Rates(user: user, channel: channel))
    }

    @Test("rate_limited tells when a retry succeeds, and has no effect")
    func retryAfter() async throws {
        let harness = try ChannelHarness(limited(user: Rate(perSecond: 4, burst: 1)))
        await harness.load()
        await harness.add(1)
        #expect(await codes(harness) == ["added"])
        await harness.add(1, "🎉")
        let refusal = try #require(await harness.heard().first)
        #expect(refusal["code"] as? String == "rate_limited")
        #expect(refusal["retry_after_ms"] as? Int == 250)
        #expect(await harness.channel.ledger.seq == 1)
        harness.moment.clock += 249
        await harness.add(1, "🎉")
        #expect(await codes(harness) == ["rate_limited"])
        harness.moment.clock += 1
        await harness.add(1, "🎉")
        #expect(await codes(harness) == ["added"])
    }

    @Test("everything that may change something takes one token, unchanged or not; reading takes none")
    func whatIsCounted() async throws {
        let harness = try ChannelHarness(limited(user: Rate(perSecond: 0.001, burst: 4)))
        await harness.load()
        await harness.subscribe(1)
        await harness.ask(1, .list(.page(limit: 10, after: nil)))
        await harness.add(1)
        await harness.add(1)
        await harness.act(1, .remove(reaction: "🎉", count: nil))
        await harness.act(1, .freeze(false))
        await harness.ask(1, .list(.page(limit: 10, after: nil)))
        await harness.add(1)
        #expect(await codes(harness) == ["added", "unchanged", "unchanged", "unchanged", "rate_limited"])
    }

    @Test("rate_limited is judged last: what is refused for another reason takes no token")
    func order() async throws {
        let harness = try ChannelHarness(limited(user: Rate(perSecond: 0.001, burst: 3)))
        await harness.load()
        for _ in 0..<5 { await harness.add(1, "nonsense") }
        await harness.add(1, "👍")
        await harness.add(1, "🎉")
        for _ in 0..<5 { await harness.add(1, "👏") }
        await harness.act(1, .remove(reaction: "👍", count: nil))
        await harness.add(1, "nonsense")
        await harness.add(1, "👏")
        let refused = Array(repeating: "invalid_reaction", count: 5)
        let full = Array(repeating: "too_many_reactions", count: 5)
        #expect(
            await codes(harness) == refused + ["added", "added"] + full + [
                "removed", "invalid_reaction", "rate_limited",
            ])
    }

    @Test("a retry with the same key takes no token; a refused one is not remembered")
    func duplicates() async throws {
        let harness = try ChannelHarness(limited(user: Rate(perSecond: 1, burst: 1)))
        await harness.load()
        let add = Operation.Action.add(reaction: "👍", count: nil, data: nil)
        await harness.act(1, add, key: "k1")
        for _ in 0..<3 { await harness.act(1, add, key: "k1") }
        await harness.act(1, .remove(reaction: "👍", count: nil), key: "k2")
        #expect(await codes(harness) == ["added", "added", "added", "added", "rate_limited"])
        harness.moment.clock += 1000
        await harness.act(1, .remove(reaction: "👍", count: nil), key: "k2")
        #expect(await codes(harness) == ["removed"])
    }

    @Test("a user's tokens are the same in all channels of a namespace, and others have their own")
    func acrossChannels() async throws {
        let users = SharedBuckets()
        let namespace = limited(user: Rate(perSecond: 1, burst: 2))
        let (one, other) = (try ChannelHarness(namespace, users: users), try ChannelHarness(namespace, users: users))
        await one.load()
        await other.load()
        await one.add(1)
        await other.add(1)
        await one.add(1, "🎉")
        await other.add(1, "🎉")
        await other.add(3)
        #expect(await codes(one) == ["added", "rate_limited"])
        #expect(await codes(other) == ["added", "rate_limited", "added"])
    }

    @Test("a channel's tokens are shared by all users, and what it refuses takes none of the user's")
    func channelRate() async throws {
        let rates = limited(user: Rate(perSecond: 0.001, burst: 1), channel: Rate(perSecond: 10, burst: 2))
        let harness = try ChannelHarness(rates)
        await harness.load()
        for user in [1, 3, 5] { await harness.add(user) }
        #expect(await codes(harness) == ["added", "added", "rate_limited"])
        harness.moment.clock += 100
        await harness.add(5)
        #expect(await codes(harness) == ["added"])
    }

    @Test("ephemeral reactions are counted too, and a refused one is in no burst")
    func ephemeral() async throws {
        let rules = Rules(policy: .ephemeral)
        let harness = try ChannelHarness(Namespace(rules: rules, rates: Rates(user: Rate(perSecond: 1, burst: 2))))
        await harness.load()
        await harness.subscribe(2)
        for _ in 0..<4 { await harness.add(1) }
        #expect(await codes(harness) == ["added", "added", "rate_limited", "rate_limited"])
        harness.moment.clock += 100
        let burst = try #require(await harness.heard().first)
        #expect((burst["reactions"] as? [String: Int])?["👍"] == 2)
    }
}
