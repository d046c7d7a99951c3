import FanfareClient
import Reactions
import Testing
import Wire

@testable import fanfare

@Suite("The lines of watch without a terminal")
struct PlainLinesTests {
    @Test("say of a subscription that is refused for now that it is, and not that the connection broke")
    func refusedForNow() {
        func line(_ why: String?) -> String? {
            ConnectionLines.line(for: .waiting(retryAfter: .milliseconds(500), .broken(why)), at: "ws://a/v1/ws")
        }
        #expect(line("unavailable: try again") == "not subscribed: unavailable: try again; next attempt in 0.5 s")
        #expect(line("reset") == "not connected: the connection broke: reset; next attempt in 0.5 s")
        #expect(line(nil) == "not connected: the connection broke; next attempt in 0.5 s")
        #expect(
            ConnectionLines.line(for: .connected(user: "ada"), at: "ws://a/v1/ws") == "connected to ws://a/v1/ws as ada"
        )
    }

    @Test(
        "say one change each, in a stable format",
        arguments: [
            (
                change(.added(group(thumb, 3), byCount: nil, data: nil)),
                "added seq=20 message=m1 reaction=👍 count=3 users=3 total=4 at=1000 user=ada"
            ),
            (
                change(.added(group(thumb, 3), byCount: 2, data: nil)),
                "added seq=20 message=m1 reaction=👍 count=3 users=3 by_count=2 total=4 at=1000 user=ada"
            ),
            (
                change(.removed(group(thumb, 2), byCount: nil), user: nil),
                "removed seq=20 message=m1 reaction=👍 count=2 users=2 total=4 at=1000"
            ),
            (
                change(.updated(group(thumb, 2), data: ReactionData(text: "{}", canonical: "{}")), message: ""),
                "updated seq=20 message= reaction=👍 count=2 users=2 total=4 at=1000 user=ada"
            ),
            (
                change(.replaced(group(heart, 1), previous: group(thumb, 2), data: nil)),
                "replaced seq=20 message=m1 reaction=❤️ count=1 users=1 previous=👍 previous_count=2 total=4 at=1000 user=ada"
            ),
            (
                change(
                    .cleared(
                        groups: [group(thumb, 0)], reaction: thumb, user: "mallory", by: "mod", removed: 1,
                        isDeletion: false), user: nil),
                "cleared seq=20 message=m1 removed=1 by=mod reaction=👍 user=mallory total=4 at=1000"
            ),
            (
                change(
                    .cleared(groups: [], reaction: nil, user: nil, by: "mod", removed: 0, isDeletion: true), user: nil),
                "deleted seq=20 message=m1 removed=0 by=mod total=4 at=1000"
            ),
        ])
    func changes(_ change: Change, _ line: String) {
        #expect(PlainLines.lines(for: .event(change)) == [line])
    }

    @Test("say a snapshot message by message, newest first")
    func snapshots() {
        let view = view([("m2", [group(thumb, 2), group(parrot, 1)]), ("m1", [group(heart, 1)])])
        #expect(
            PlainLines.lines(for: snapshot(view)) == [
                "snapshot seq=19 epoch=e1 messages=2 complete=true frozen=false",
                "state seq=19 message=m2 total=3 👍=2 party_parrot=1", "state seq=19 message=m1 total=1 ❤️=1",
            ])
    }

    @Test(
        "say everything else that happens",
        arguments: [
            (.connection(.connecting), []),
            (
                .summary(
                    seq: 30,
                    [
                        SummaryDelta(message: "m1", total: 5, groups: [group(thumb, 5), group(heart, 0)]),
                        SummaryDelta(message: "m2", total: 0, groups: [], isDeleted: true),
                    ]),
                [
                    "summary seq=30 message=m1 total=5 👍=5 ❤️=0", "summary seq=30 message=m2 total=0 deleted=true",
                ]
            ),
            (
                .own(
                    message: "m1", [OwnReaction(reaction: thumb), OwnReaction(reaction: heart, count: 7)], seq: 4),
                ["own seq=4 message=m1 own=👍,❤️×7"]
            ),
            (.occupancy(connections: 3, users: 2), ["occupancy connections=3 users=2"]),
            (
                .burst(
                    Burst(
                        message: "m1", counts: [ReactionCount(reaction: thumb, count: 153)], windowMilliseconds: 100,
                        at: 5)), ["burst at=5 message=m1 👍=153"]
            ),
            (.frozen(true, by: "mod"), ["frozen frozen=true by=mod"]),
            (.frozen(false, by: ""), ["frozen frozen=false"]),
        ] as [(ChannelUpdate, [String])])
    func others(_ update: ChannelUpdate, _ lines: [String]) {
        #expect(PlainLines.lines(for: update) == lines)
    }

    @Test("stay one line each whatever a broker sends")
    func control() {
        let evil = Reactions.Reaction(canonical: "x\n\u{1B}[2J")
        let lines = PlainLines.lines(for: .event(change(.added(group(evil, 1), byCount: nil, data: nil))))
        #expect(lines == ["added seq=20 message=m1 reaction=x??[2J count=1 users=1 total=4 at=1000 user=ada"])
    }
}
