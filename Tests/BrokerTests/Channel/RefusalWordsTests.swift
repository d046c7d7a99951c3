import Reactions
import Testing

@testable import Broker

@Suite("What a person is told of a text that is no reaction")
struct RefusalWordsTests {
    private func words(_ texts: String..., kind: ReactionKind = .emoji) -> String {
        Refusal.invalidReaction.words(on: texts, by: Rules(kind: kind))
    }

    @Test("names the text, and what the channel takes")
    func kinds() {
        let names = "1–64 of a–z, 0–9, _, + and -"
        #expect(words("nope") == "'nope' is no emoji, and this channel takes emoji only, one at a time")
        #expect(words("👍", kind: .named) == "'👍' is no name, and this channel takes names only: \(names)")
        #expect(
            words("Party Parrot", kind: .any)
                == "'Party Parrot' is neither an emoji nor a name (\(names)), and this channel takes nothing else")
        #expect(words("").hasPrefix("an empty text is no emoji"))
    }

    @Test("names the one of several that is none")
    func several() {
        #expect(words("👍", "x", "y").hasPrefix("'x' is no emoji"))
    }

    @Test(
        "repeats no more than 32 scalars, and nothing that is not seen or is mark-up",
        arguments: [
            (String(repeating: "a", count: 32), String(repeating: "a", count: 32)),
            (String(repeating: "a", count: 65_536), String(repeating: "a", count: 32) + "…"),
            (String(repeating: "\u{301}", count: 40), String(repeating: "\u{301}", count: 32) + "…"),
            ("a\u{0}\n\u{1B}[31m\u{85}b", "a\u{FFFD}\u{FFFD}\u{FFFD}[31m\u{FFFD}b"),
            ("\u{202E}abc\u{2066}\u{200B}\u{2028}\u{2029}", "\u{FFFD}abc\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("\u{E000}\u{FFFF}\u{10FFFF}", "\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("<b>&\"'`\\", "\u{FFFD}b\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("👩\u{200D}🚀👍", "👩\u{200D}🚀👍"),
        ] as [(String, String)])
    func harmless(_ text: String, _ shown: String) {
        let told = words(text)
        #expect(
            Array(told.unicodeScalars)
                == Array("'\(shown)' is no emoji, and this channel takes emoji only, one at a time".unicodeScalars))
    }
}
