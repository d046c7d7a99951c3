import Reactions
import Testing
import Wire

@testable import FanfareClient

private let thumb = Reactions.Reaction(canonical: "👍")

private func added(_ seq: UInt64, _ message: String = "m1", in channel: String = "chat:42") -> BrokerMessage {
    .event(channel: channel, change(seq, message))
}

private func change(_ seq: UInt64, _ message: String = "m1") -> Change {
    Change(
        seq: seq, message: message, user: "ada", at: 0, total: seq,
        kind: .added(GroupCount(reaction: thumb, count: seq, users: seq), byCount: nil, data: nil))
}

private func subscribed(
    _ seq: UInt64, epoch: String = "e1", isRecovered: Bool = false, isFrozen: Bool = false, more: String? = nil
) -> BrokerMessage {
    .subscribed(
        Subscribed(
            id: .number(1), channel: "chat:42", epoch: epoch, seq: seq, mode: .events, policy: .distinct,
            intervalMilliseconds: 100, allowed: [thumb], maxKinds: 20, maxPerUser: 10, isFrozen: isFrozen,
            isRecovered: isRecovered, messages: isRecovered ? nil : [summary(count: seq)], more: more,
            isCounted: false))
}

private func summary(count: UInt64) -> Summary {
    Summary(
        message: "m1", total: count,
        groups: [.init(reaction: thumb, count: count, users: count, first: 0, last: 0, latest: nil)], own: nil)
}

private func follower() -> ChannelFollower {
    ChannelFollower(channel: "chat:42", mode: .events, messages: nil, wantsOccupancy: false)
}

@Suite("A subscription")
struct ChannelFollowerTests {
    @Test("asks for a snapshot first, and to resume after the last seq from then on")
    func request() {
        var follower = follower()
        #expect(follower.request() == .subscribe(.init(channel: "chat:42")))
        _ = follower.take(subscribed(17))
        _ = follower.take(added(18))
        #expect(
            follower.request() == .subscribe(.init(channel: "chat:42", since: Position(epoch: "e1", seq: 18))))
    }

    @Test("begins with the snapshot, and drops what came before it")
    func begin() {
        var follower = follower()
        #expect(follower.take(added(3)) == nil)
        guard case .snapshot(let snapshot) = follower.take(subscribed(5)) else {
            Issue.record("there was no snapshot")
            return
        }
        #expect(snapshot.reason == .subscribed)
        #expect(snapshot.epoch == "e1")
        #expect(snapshot.allowed == [thumb])
        #expect(snapshot.view.isComplete)
        #expect(snapshot.view["m1"]?.groups == [GroupCount(reaction: thumb, count: 5, users: 5)])
    }

    @Test("knows from more that a snapshot is not all")
    func more() {
        var follower = follower()
        _ = follower.take(subscribed(5, more: "cursor"))
        #expect(!follower.view.isComplete)
    }

    @Test("tells each change once, whatever is repeated")
    func once() {
        var follower = follower()
        _ = follower.take(subscribed(5))
        let told = [5, 6, 6, 7, 5, 7, 8].map { follower.take(added($0)) }
        #expect(told == [nil, .event(change(6)), nil, .event(change(7)), nil, nil, .event(change(8))])
    }

    @Test("goes on where it was after a recovery: nothing missed, nothing twice")
    func recovered() {
        var follower = follower()
        _ = follower.take(subscribed(5))
        _ = follower.take(added(6))
        #expect(follower.take(subscribed(6, isRecovered: true)) == nil)
        #expect(follower.take(added(6)) == nil)
        #expect(follower.take(added(7)) == .event(change(7)))
        #expect(follower.view["m1"]?.total == 7)
    }

    @Test("takes the snapshot for all, in one step, where nothing was recovered, also of a new epoch with lower seqs")
    func notRecovered() {
        var follower = follower()
        _ = follower.take(subscribed(50))
        _ = follower.take(added(51, "m2"))
        guard case .snapshot(let snapshot) = follower.take(subscribed(3, epoch: "e2")) else {
            Issue.record("there was no snapshot")
            return
        }
        #expect(snapshot.view.seq == 3)
        #expect(snapshot.view["m2"] == nil)
        #expect(follower.position == Position(epoch: "e2", seq: 3))
        #expect(follower.take(added(4)) == .event(change(4)))
    }

    @Test("takes the fresh subscribed after lagged for all, and says why it comes")
    func lagged() {
        var follower = follower()
        _ = follower.take(subscribed(5))
        #expect(follower.take(.lagged(channel: "chat:42", from: 6, to: 900)) == nil)
        guard case .snapshot(let snapshot) = follower.take(subscribed(900)) else {
            Issue.record("there was no snapshot")
            return
        }
        #expect(snapshot.reason == .lagged)
        #expect(follower.take(added(900)) == nil)
        #expect(follower.take(added(901)) == .event(change(901)))
    }

    @Test("tells that a channel was frozen while it was away")
    func frozen() {
        var follower = follower()
        _ = follower.take(subscribed(5))
        #expect(follower.take(subscribed(5, isRecovered: true, isFrozen: true)) == .frozen(true, by: ""))
        #expect(follower.view.isFrozen)
        #expect(follower.take(.frozen(channel: "chat:42", isFrozen: false, by: "mod")) == .frozen(false, by: "mod"))
        #expect(!follower.view.isFrozen)
    }

    @Test("moves on with summaries as with events")
    func summaries() {
        var follower = follower()
        _ = follower.take(subscribed(5))
        let delta = SummaryDelta(message: "m1", total: 9, groups: [GroupCount(reaction: thumb, count: 9, users: 9)])
        let message = BrokerMessage.summary(channel: "chat:42", seq: 9, messages: [delta])
        #expect(follower.take(message) == .summary(seq: 9, [delta]))
        #expect(follower.take(message) == nil)
        #expect(follower.position?.seq == 9)
        #expect(follower.view["m1"]?.total == 9)
    }

    @Test(
        "hands on own, occupancy and bursts",
        arguments: [
            (
                BrokerMessage.own(
                    channel: "chat:42", message: "m1", own: [OwnReaction(reaction: thumb)], seq: 4, isCounted: false),
                ChannelUpdate.own(message: "m1", [OwnReaction(reaction: thumb)], seq: 4)
            ),
            (.occupancy(channel: "chat:42", connections: 3, users: 2), .occupancy(connections: 3, users: 2)),
            (
                .burst(
                    channel: "chat:42", message: "m1", reactions: [ReactionCount(reaction: thumb, count: 7)],
                    windowMilliseconds: 100, at: 5),
                .burst(
                    Burst(
                        message: "m1", counts: [ReactionCount(reaction: thumb, count: 7)], windowMilliseconds: 100,
                        at: 5))
            ),
        ])
    func others(_ message: BrokerMessage, _ update: ChannelUpdate) {
        var follower = follower()
        _ = follower.take(subscribed(5))
        #expect(follower.take(message) == update)
    }

    @Test("ignores other channels and unknown types")
    func ignored() {
        var follower = follower()
        _ = follower.take(subscribed(5))
        #expect(follower.take(added(6, in: "chat:43")) == nil)
        #expect(follower.take(.unknown(type: "confetti")) == nil)
        #expect(follower.position?.seq == 5)
    }
}
