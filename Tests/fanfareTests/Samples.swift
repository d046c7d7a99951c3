import FanfareClient
import Reactions
import Wire

@testable import fanfare

let thumb = Reactions.Reaction(canonical: "👍")
let heart = Reactions.Reaction(canonical: "❤️")
let parrot = Reactions.Reaction(canonical: "party_parrot")

/// Groups with as many users as reactions.
func group(_ reaction: Reactions.Reaction, _ count: UInt64) -> GroupCount {
    GroupCount(reaction: reaction, count: count, users: count)
}

/// One of ada's changes on `m1`, at 1970-01-01 00:00:01.
func change(_ kind: Change.Kind, seq: UInt64 = 20, message: String = "m1", user: String? = "ada") -> Change {
    Change(seq: seq, message: message, user: user, at: 1000, total: 4, kind: kind)
}

/// A view in which each message has the groups given.
func view(_ messages: [(String, [GroupCount])], seq: UInt64 = 19, isComplete: Bool = true) -> ChannelView {
    ChannelView(
        messages.map { message, groups in
            Summary(
                message: message, total: groups.reduce(0) { $0 + $1.count },
                groups: groups.map {
                    .init(reaction: $0.reaction, count: $0.count, users: $0.users, first: 0, last: 0, latest: nil)
                }, own: nil)
        }, seq: seq, isComplete: isComplete)
}

/// A snapshot as it comes first.
func snapshot(_ view: ChannelView) -> ChannelUpdate {
    .snapshot(ChannelSnapshot(view: view, epoch: "e1", allowed: nil, reason: .subscribed))
}
