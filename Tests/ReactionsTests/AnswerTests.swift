import Reactions
import Testing

@Suite("What an operation did") struct AnswerTests {
    private static let thumb = Reaction(canonical: "👍")

    @Test(
        "is told in a line",
        arguments: [
            (Answer(.added, message: "m1", seq: 3, reaction: thumb, count: 2), "added 👍 to m1, which makes 2"),
            (Answer(.removed, message: "m1", seq: 3, reaction: thumb, count: 0), "removed 👍 from m1, which leaves 0"),
            (
                Answer(
                    .replaced, message: "", seq: 3, reaction: thumb, previous: Reaction(canonical: "🎉"), count: 1),
                "replaced 🎉 by 👍 on the channel, which makes 1"
            ),
            (Answer(.updated, message: "m1", seq: 3, reaction: thumb, count: 1), "updated 👍 on m1"),
            (Answer(.unchanged, message: "m1", seq: 3, reaction: thumb, count: 4), "unchanged: 👍 on m1, there are 4"),
            (Answer(.unchanged, message: "m1", seq: 3, own: []), "unchanged"),
            (
                Answer(
                    .changed, message: "m1", seq: 3,
                    own: [
                        OwnReaction(reaction: thumb), OwnReaction(reaction: Reaction(canonical: "👏"), count: 3),
                    ]),
                "you have on m1 now: 👍 3 × 👏"
            ),
            (Answer(.changed, message: "m1", seq: 3, own: []), "you have on m1 now: nothing"),
            (Answer(.changed, message: "", seq: 3, frozen: true), "frozen"),
            (Answer(.changed, message: "", seq: 3, frozen: false), "no longer frozen"),
            (Answer(.cleared, message: "*", seq: 3, removed: 7), "cleared 7 from *"),
            (Answer(.deleted, message: "m1", seq: 3, removed: 7), "deleted m1, with 7 reactions"),
        ] as [(Answer, String)])
    func lines(_ answer: Answer, _ line: String) {
        #expect("\(answer)" == line)
    }
}
