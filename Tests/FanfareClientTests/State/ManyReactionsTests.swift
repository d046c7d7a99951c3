import Reactions
import Testing
import Wire

@testable import FanfareClient

@Suite("A message of many reactions")
struct ManyReactionsTests {
    private static func reaction(_ number: Int) -> Reactions.Reaction { .init(canonical: "kind_\(number)") }

    /// A channel of a message with so many groups of one, of which these, from the first on, are told to be the person's.
    private static func state(groups: Int, own: Int, lost: Int = 0, policy: Policy = .distinct) -> ChannelState {
        let groups = (lost..<groups).map { number in
            Summary.Group(reaction: reaction(number), count: 1, users: 1, first: 1, last: 1, latest: ["ada"])
        }
        let summary = Summary(
            message: "m1", total: UInt64(groups.count), groups: groups,
            own: (0..<own).map { OwnReaction(reaction: reaction($0)) })
        var state = ChannelState("chat:42", user: "ada")
        state.connected(true)
        _ = state.receive(
            .subscribed(
                Subscribed(
                    id: nil, channel: "chat:42", epoch: "e1", seq: 5, mode: .events, policy: policy,
                    intervalMilliseconds: 100, allowed: nil, maxKinds: 20, maxPerUser: 10, isFrozen: false,
                    isRecovered: false, messages: [summary], more: nil, isCounted: false)))
        return state
    }

    @Test("counts nothing below zero, and takes nothing from others, where what the person takes back was lost")
    func lost() {
        var state = Self.state(groups: 4, own: 2, lost: 1)
        #expect(state.view(of: "m1").total == 3)
        state.act(.remove, [Self.reaction(0)], on: "m1", key: "k1")
        let sight = state.view(of: "m1")
        #expect(sight.total == 3 && sight.groups.map(\.group.count) == [1, 1, 1])
        #expect(sight.own.reactions == [Self.reaction(1)])
        state.act(.remove, [Self.reaction(1)], on: "m1", key: "k2")
        #expect(state.view(of: "m1").total == 2)
    }

    @Test(
        "has every sum of groups as its total while changes are laid over it",
        arguments: [Policy.distinct, .unique, .multiple])
    func sums(_ policy: Policy) {
        var state = Self.state(groups: 8, own: policy == .unique ? 1 : 4, lost: 1, policy: policy)
        for number in 0..<10 {
            state.act(number % 3 == 0 ? .remove : .add, [Self.reaction(number % 5)], on: "m1", key: "k\(number)")
            let sight = state.view(of: "m1")
            #expect(sight.total == sight.groups.reduce(0) { $0 + $1.group.count })
            #expect(sight.groups.allSatisfy { $0.group.count >= 0 && $0.group.users >= 0 })
        }
    }

    @Test("is shown, and moved by a summary, without a search for each of them", .timeLimit(.minutes(1)))
    func many() {
        // A search for each takes 10,000,000,000 steps: far over the limit.
        let count = 100_000
        var state = Self.state(groups: count, own: count)
        #expect(state.view(of: "m1").own.reactions.count == count)
        let deltas = (0..<count).map { GroupCount(reaction: Self.reaction($0), count: UInt64($0 % 2), users: 1) }
        _ = state.receive(
            .summary(
                channel: "chat:42", seq: 6,
                messages: [SummaryDelta(message: "m1", total: UInt64(count / 2), groups: deltas, isDeleted: false)]))
        #expect(state.state(of: "m1").groups.count == count / 2)
        state.act(.set, [], on: "m1", key: "k1")
        #expect(state.view(of: "m1").own.isEmpty)
    }
}
