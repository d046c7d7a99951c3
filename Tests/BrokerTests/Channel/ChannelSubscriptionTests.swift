import Reactions
import Storage
import Testing
import Wire

@testable import Broker

/// What subscribers hear: resuming, summaries, `own`, bursts, anonymity.
@Suite struct ChannelSubscriptionTests {
    private func position(_ seq: UInt64, epoch: String = "e1") -> Position { Position(epoch: epoch, seq: seq) }

    @Test(
        "recovered exactly where since matches the epoch, is not above the seq, and all that came after is held",
        arguments: [Mode.events, .summary])
    func resume(_ mode: Mode) async throws {
        let harness = try ChannelHarness(Namespace(historyEvents: 4))
        await harness.load()
        for user in 1...6 {
            await harness.add(user)
            await harness.commit()
            _ = await harness.heard()
        }
        func isRecovered(_ since: Position) async -> Bool? {
            await harness.subscribe(2, mode: mode, since: since)
            return await harness.heard().first?["recovered"] as? Bool
        }
        #expect(await isRecovered(position(6)) == true)
        #expect(await isRecovered(position(2)) == true)
        #expect(await isRecovered(position(1)) == false)
        #expect(await isRecovered(position(7)) == false)
        #expect(await isRecovered(position(6, epoch: "e2")) == false)
    }

    @Test("a recovered subscriber gets what it missed: each event, or one summary")
    func missed() async throws {
        let harness = try ChannelHarness()
        await harness.load()
        for user in 1...3 { await harness.add(user) }
        await harness.commit()
        _ = await harness.heard()
        await harness.subscribe(2, since: position(1))
        var heard = await harness.heard()
        #expect(heard.compactMap { $0["type"] as? String } == ["subscribed", "added", "added"])
        #expect(heard.compactMap { $0["seq"] as? Int } == [1, 2, 3])
        #expect(heard[0]["messages"] == nil && heard[0]["more"] == nil)
        await harness.subscribe(2, mode: .summary, since: position(1))
        heard = await harness.heard()
        #expect(heard.compactMap { $0["type"] as? String } == ["subscribed", "summary"])
        #expect(heard[1]["seq"] as? Int == 3)
        await harness.subscribe(2, mode: .summary, since: position(3))
        #expect(await harness.heardTypes() == ["subscribed"])
    }

    @Test("a resumed summary has the groups in order of first use: one that was gone starts anew at the end")
    func missedOrder() async throws {
        let harness = try ChannelHarness()
        await harness.load()
        await harness.add(1, "👍")
        await harness.add(1, "🔥")
        await harness.act(1, .remove(reaction: "👍", count: nil))
        await harness.add(1, "🎉")
        await harness.act(1, .remove(reaction: "🔥", count: nil))
        await harness.add(1, "👍")
        await harness.commit()
        _ = await harness.heard()
        await harness.subscribe(2, mode: .summary, since: position(0))
        let messages = await harness.heard().last?["messages"] as? [[String: Any]]
        let groups = messages?.first?["reactions"] as? [[String: Any]] ?? []
        #expect(groups.compactMap { $0["reaction"] as? String } == ["🔥", "🎉", "👍"])
        #expect(groups.compactMap { $0["count"] as? Int } == [0, 1, 1])
    }

    @Test("a summary goes out at once after a quiet time, then at most once an interval, with the newest counts")
    func summaries() async throws {
        let harness = try ChannelHarness()
        await harness.load()
        await harness.subscribe(2, mode: .summary)
        _ = await harness.heard()
        func summary() async -> Int? {
            let summary = await harness.heard().first { $0["type"] as? String == "summary" }
            return summary?["seq"] as? Int
        }
        await harness.add(4)
        await harness.commit()
        #expect(await summary() == 1)
        await harness.add(6)
        await harness.add(8)
        await harness.commit()
        harness.moment.clock = 99
        #expect(await summary() == nil)
        #expect(await harness.channel.due == 100)
        harness.moment.clock = 100
        #expect(await summary() == 3)
        #expect(await harness.channel.due == nil)
        harness.moment.clock = 1_000
        #expect(await summary() == nil)
        await harness.act(4, .remove(reaction: "👍", count: nil))
        await harness.commit()
        #expect(await summary() == 4)
    }

    @Test("a summary has the values as of its seq, also of what changed while nobody followed summaries")
    func summaryAfterAPause() async throws {
        let harness = try ChannelHarness()
        await harness.load()
        await harness.subscribe(2, mode: .summary)
        await harness.add(1, "👍")
        await harness.commit()
        _ = await harness.heard()
        await harness.add(1, "🔥")
        await harness.commit()
        _ = await harness.heard()
        await harness.channel.departed([Following(user: "u2", mode: .summary, filter: nil, occupancy: false)], from: 0)
        await harness.act(1, .remove(reaction: "🔥", count: nil))
        await harness.commit()
        await harness.subscribe(2, mode: .summary)
        await harness.add(1, "🎉")
        await harness.commit()
        harness.moment.clock = 100
        let summary = await harness.heard().first { $0["type"] as? String == "summary" }
        let groups = (summary?["messages"] as? [[String: Any]])?.first?["reactions"] as? [[String: Any]] ?? []
        #expect(groups.compactMap { $0["reaction"] as? String } == ["🎉"])
        #expect(summary?["seq"] as? Int == 4)
    }

    @Test("own goes to the user's other connections, and tells all that the user has")
    func own() async throws {
        let harness = try ChannelHarness()
        await harness.load()
        for number in [2, 4] { await harness.subscribe(number, mode: .summary) }
        _ = await harness.heard()
        await harness.add(4)
        await harness.add(8)
        await harness.add(4, "🎉")
        await harness.commit()
        let owns = await harness.heard().filter { $0["type"] as? String == "own" }
        #expect(owns.compactMap { $0["own"] as? [String] } == [["👍"], ["👍"], ["👍", "🎉"]])
        await harness.ask(
            6, .operation(Operation(.clear(reaction: nil, user: nil), message: "m1", user: "u6")))
        await harness.commit()
        let cleared = await harness.heard().filter { $0["type"] as? String == "own" }
        #expect(
            cleared.compactMap { $0["own"] as? [String] } == [[]], "nobody listens for the one who is not subscribed")
    }

    @Test("what follows a subscribed or a watched is newer: an own of before comes before it")
    func ownBeforeSubscribed() async throws {
        let harness = try ChannelHarness()
        await harness.load()
        await harness.subscribe(2, mode: .summary)
        await harness.add(4)
        await harness.commit()
        await harness.subscribe(6, mode: .summary)
        #expect(await harness.heardTypes() == ["subscribed", "ack", "own", "subscribed", "summary"])
        await harness.act(4, .remove(reaction: "👍", count: nil))
        await harness.commit()
        await harness.ask(6, .watch(["m1"], newly: ["m1"]))
        #expect(await harness.heardTypes() == ["ack", "own", "watched"])
    }

    @Test("bursts add up to the acks, one an interval and message")
    func bursts() async throws {
        let harness = try ChannelHarness(Namespace(rules: Rules(policy: .ephemeral)))
        await harness.load()
        await harness.subscribe(2)
        _ = await harness.heard()
        for user in 1...5 { await harness.add(user, "🎉") }
        await harness.add(1, "👍", on: "m2")
        #expect(await harness.heardTypes() == Array(repeating: "ack", count: 6))
        harness.moment.clock = 100
        let bursts = await harness.heard()
        #expect(bursts.compactMap { $0["reactions"] as? [String: Int] } == [["🎉": 5], ["👍": 1]])
        #expect(bursts.allSatisfy { $0["window_ms"] as? Int == 100 })
        harness.moment.clock = 500
        #expect(await harness.heardTypes() == [])
    }

    @Test("occupancy counts connections and users, at most once a second, when it changed")
    func occupancy() async throws {
        let harness = try ChannelHarness()
        await harness.load()
        func told() async -> [Int] {
            let told = await harness.heard().first { $0["type"] as? String == "occupancy" }
            return [told?["connections"], told?["users"]].compactMap { $0 as? Int }
        }
        await harness.ask(2, .subscribe(.init(channel: "chat:1", occupancy: true)))
        #expect(await told() == [1, 1])
        await harness.subscribe(4)
        await harness.subscribe(4, mode: .summary)
        harness.moment.clock = 999
        #expect(await told() == [])
        harness.moment.clock = 1_000
        #expect(await told() == [3, 2])
        harness.moment.clock = 5_000
        #expect(await told() == [])
        await harness.channel.departed(
            [Following(user: "u4", mode: .events, filter: nil, occupancy: false)], from: 0)
        #expect(await told() == [2, 2])
    }

    @Test("an anonymous namespace names nobody who reacts")
    func anonymous() async throws {
        let harness = try ChannelHarness(Namespace(isAnonymous: true))
        await harness.load()
        await harness.subscribe(2)
        await harness.add(4)
        await harness.act(6, .clear(reaction: nil, user: "u4"))
        await harness.add(8)
        await harness.commit()
        await harness.subscribe(6)
        await harness.ask(6, .list(.page(limit: 10, after: nil)))
        let heard = await harness.heard()
        #expect(heard.count > 6)
        for message in heard {
            #expect(message["user"] == nil)
            #expect(!"\(message)".contains("u4") && !"\(message)".contains("u8"))
        }
        #expect(heard.contains { $0["by"] as? String == "u6" })
        await harness.ask(2, .reactors(message: "m1", reaction: nil, limit: 10, after: nil))
        #expect(await harness.heard().first?["code"] as? String == "forbidden")
    }

    @Test("a cursor is for the list that it came from; a foreign one is unknown")
    func cursors() async throws {
        let harness = try ChannelHarness()
        await harness.load()
        for user in 1...3 { await harness.add(user) }
        await harness.commit()
        _ = await harness.heard()
        func page(_ message: String, _ cursor: String?) async -> [String: Any]? {
            await harness.ask(2, .reactors(message: message, reaction: "👍", limit: 2, after: cursor))
            return await harness.heard().first
        }
        let first = await page("m1", nil)
        #expect(first?["total"] as? Int == 3)
        let cursor = try #require(first?["after"] as? String)
        let second = await page("m1", cursor)
        #expect((second?["reactors"] as? [[String: Any]])?.compactMap { $0["user"] as? String } == ["u1"])
        #expect(await page("m2", cursor)?["code"] as? String == "unknown_cursor")
        #expect(await page("m1", "x")?["code"] as? String == "unknown_cursor")
        await harness.ask(2, .list(.page(limit: 1, after: cursor)))
        #expect(await harness.heard().first?["code"] as? String == "unknown_cursor")
    }

    @Test("a channel that nobody listens to and that has nothing to say may leave memory")
    func idle() async throws {
        let harness = try ChannelHarness()
        #expect(await !harness.channel.isIdle)
        await harness.load()
        #expect(await harness.channel.isIdle)
        await harness.subscribe(2)
        _ = await harness.heard()
        #expect(await !harness.channel.isIdle)
        await harness.channel.departed([Following(user: "u2", mode: .events, filter: nil, occupancy: false)], from: 0)
        #expect(await harness.channel.isIdle)
        await harness.add(2)
        #expect(await !harness.channel.isIdle)
    }
}
