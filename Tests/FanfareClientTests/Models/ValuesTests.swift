import Foundation
import Testing

@testable import FanfareClient

@Suite("The values of reactions")
struct ValuesTests {
    @Test(
        "know an emoji in all its forms, a name, and what is neither",
        arguments: [
            ("❤", .emoji("❤️")), ("❤️", .emoji("❤️")), ("👍\u{FE0E}", .emoji("👍")), ("👍🏽", .emoji("👍🏽")),
            ("party_parrot", .named("party_parrot")), ("+1", .named("+1")), ("sticker:12", .other("sticker:12")),
            ("ABC", .other("ABC")), ("", .other("")), ("ü", .emoji("ü")),
        ] as [(String, ReactionType)])
    func types(_ text: String, _ type: ReactionType) {
        #expect(ReactionType(text) == type)
        #expect(ReactionType(Reactions.Reaction(canonical: type.text)) == type)
        #expect(type.id == type.text && "\(type)" == type.text)
    }

    @Test("give the emoji, where there is one")
    func emoji() {
        #expect(ReactionType("❤").emoji == "❤️")
        #expect(ReactionType("party_parrot").emoji == nil)
        #expect(ReactionType.common.map(\.text) == ["❤️", "👍", "👎", "😂", "‼️", "❓"])
    }

    @Test("go through JSON and back")
    func coding() throws {
        let draft = DraftReaction(
            id: "k1", message: "m1", createdAt: Date(timeIntervalSince1970: 5), type: "party_parrot", action: .remove)
        let reaction = Reaction(
            message: "m1", user: "ada", createdAt: Date(timeIntervalSince1970: 6), type: "👍", count: 2,
            status: .failed(draft))
        let json = try JSONEncoder().encode([reaction])
        #expect(try JSONDecoder().decode([Reaction].self, from: json) == [reaction])
        #expect(String(decoding: json, as: UTF8.self).contains("\"party_parrot\""))
    }

    @Test("have an id that no other reaction has, whatever their status")
    func ids() {
        let at = Date(timeIntervalSince1970: 0)
        let sent = Reaction(message: "m1", user: "ada", createdAt: at, type: "👍")
        let sending = Reaction(message: "m1", user: "ada", createdAt: at, type: "👍", status: .sending)
        let others = [
            Reaction(message: "m2", user: "ada", createdAt: at, type: "👍"),
            Reaction(message: "m1", user: "bob", createdAt: at, type: "👍"),
            Reaction(message: "m1", user: "ada", createdAt: at, type: "❤️"),
        ]
        #expect(sent.id == sending.id)
        #expect(Set(others.map(\.id) + [sent.id]).count == 4)
    }

    @Test("say in a line what they are")
    func lines() {
        let failure = ClientError(.refused, "the channel is frozen", refusal: .frozen)
        let groups = [
            ReactionGroup("👍", count: 3, users: 3), ReactionGroup("👍", count: 3, users: 3, ownCount: 1),
            ReactionGroup("👏", count: 9, users: 2, ownCount: 5, status: .sending),
            ReactionGroup("🎉", count: 0, users: 0, status: .failed(failure)),
        ]
        #expect(
            groups.map(\.description) == [
                "👍 3", "👍 3 (yours)", "👏 9 (5 yours, sending)", "🎉 0 (failed: the channel is frozen)",
            ])
    }

    @Test(
        "split badges: all up to the limit, beyond it one fewer and the rest behind +N",
        arguments: [
            (0, 5, 0, nil), (1, 5, 1, nil), (5, 5, 5, nil), (6, 5, 4, "+2"), (9, 5, 4, "+5"), (3, 1, 0, "+3"),
            (1, 1, 1, nil), (2, 0, 0, "+2"), (2, -3, 0, "+2"),
        ] as [(Int, Int, Int, String?)])
    func badges(_ count: Int, _ limit: Int, _ shown: Int, _ overflow: String?) {
        let split = BadgeSplit(Array(0..<count), limit: limit)
        #expect(split.shown == Array(0..<shown))
        #expect(split.hidden == Array(shown..<count))
        #expect(split.overflow == overflow)
    }

    @Test("tint the overflow badge where one of the person's own is behind it")
    func tint() {
        let groups = ["👍", "❤️", "🎉"].map {
            ReactionGroup(ReactionType($0), count: 1, users: 1, ownCount: $0 == "🎉" ? 1 : 0)
        }
        #expect(BadgeSplit(groups, limit: 2).hidesOwn)
        #expect(!BadgeSplit(groups.reversed(), limit: 2).hidesOwn)
        #expect(!BadgeSplit(groups, limit: 3).hidesOwn)
    }

    @Test(
        "pop in as a wave: 0.03 s for each before, 0.18 s at most",
        arguments: [(-1, 0), (0, 0), (1, 0.03), (3, 0.09), (6, 0.18), (7, 0.18), (.max, 0.18)] as [(Int, Double)])
    func popIn(_ index: Int, _ delay: Double) {
        #expect(abs(PopIn.delay(at: index) - delay) < 1e-9)
    }
}
