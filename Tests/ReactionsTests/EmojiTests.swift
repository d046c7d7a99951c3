import Foundation
import Reactions
import Testing

/// PROTOCOL.md section 7.
@Suite struct EmojiTests {
    static let emoji = Rules(kind: .emoji)

    @Test func `Every form in Unicode's data is its fully-qualified form`() throws {
        let lines = try EmojiData.load()
        var qualified: [String: String] = [:]
        for line in lines where line.status == "fully-qualified" {
            qualified[line.text.withoutSelectors] = line.text
        }
        #expect(qualified.count > 3_600)
        for line in lines {
            let expected = line.status == "component" ? nil : qualified[line.text.withoutSelectors]
            #expect((line.status == "component") == (expected == nil))
            #expect(bytes(reaction(line.text)) == expected.map { Array($0.utf8) }, "\(line.text) \(line.status)")
        }
    }

    @Test func `Skin tones fold to the emoji without them, where there is one`() throws {
        let folding = Rules(kind: .emoji, foldSkinTones: true)
        let texts = try EmojiData.load().filter { $0.status == "fully-qualified" }.map(\.text)
        let all = Set(texts.map { Array($0.utf8) })
        var folded = 0
        for text in texts {
            let result = try #require(reaction(text, folding))
            #expect(all.contains(Array(result.utf8)))
            if Array(result.utf8) != Array(text.utf8) {
                folded += 1
                #expect(result.withoutSelectors.scalars == text.withoutSelectors.scalars.filter { !isSkinTone($0) })
            } else if text.scalars.contains(where: isSkinTone) {
                // Two people of one kind hold hands as one emoji; without tones there is no such sequence.
                #expect(reaction(String(String.UnicodeScalarView(text.scalars.filter { !isSkinTone($0) }))) == nil)
            }
        }
        #expect(folded > 1_500)
    }

    @Test(
        arguments: [
            ([0x2764], [0x2764, 0xFE0F]),
            ([0x2764, 0xFE0F], [0x2764, 0xFE0F]),
            ([0x2764, 0xFE0E], [0x2764, 0xFE0F]),
            ([0x1F44D], [0x1F44D]),
            ([0x1F44D, 0xFE0F], [0x1F44D]),
            ([0x1F44D, 0xFE0E], [0x1F44D]),
            ([0xFE0F, 0x1F44D, 0xFE0F, 0xFE0E], [0x1F44D]),
            ([0x1F44D, 0x1F3FD], [0x1F44D, 0x1F3FD]),
            ([0x1F44D, 0xFE0F, 0x1F3FD], [0x1F44D, 0x1F3FD]),
            ([0x261D, 0x1F3FD], [0x261D, 0x1F3FD]),
            ([0x31, 0x20E3], [0x31, 0xFE0F, 0x20E3]),
            ([0x31, 0xFE0F, 0x20E3], [0x31, 0xFE0F, 0x20E3]),
            ([0x1F1E8, 0x1F1FF], [0x1F1E8, 0x1F1FF]),
            ([0x1F441, 0x200D, 0x1F5E8], [0x1F441, 0xFE0F, 0x200D, 0x1F5E8, 0xFE0F]),
            ([0x1F441, 0xFE0F, 0x200D, 0x1F5E8], [0x1F441, 0xFE0F, 0x200D, 0x1F5E8, 0xFE0F]),
            ([0x1F3F4, 0x200D, 0x2620], [0x1F3F4, 0x200D, 0x2620, 0xFE0F]),
            (
                [0x1F3F4, 0xE0067, 0xE0062, 0xE0065, 0xE006E, 0xE0067, 0xE007F],
                [0x1F3F4, 0xE0067, 0xE0062, 0xE0065, 0xE006E, 0xE0067, 0xE007F]
            ),
        ] as [([UInt32], [UInt32])])
    func `All forms of an emoji are one reaction`(_ sent: [UInt32], _ canonical: [UInt32]) {
        #expect(reaction(text(sent))?.unicodeScalars.map(\.value) == canonical)
    }

    @Test(
        arguments: [
            [], [0x20], [0x31], [0x23], [0x2A], [0x61], [0xFE0F], [0xFE0E, 0xFE0F], [0x200D], [0x20E3], [0x1F3FD],
            [0x1F9B0], [0x1F1E8], [0x1F1E8, 0x1F1FF, 0x1F1E8, 0x1F1FF], [0x1F44D, 0x1F44D], [0x1F44D, 0x20],
            [0x20, 0x1F44D], [0x1F4A9, 0x200D, 0x1F4A9], [0x1F44D, 0x200D], [0x1F44D, 0x1F3FD, 0x1F3FD],
            [0x1F44D, 0x1F3FD, 0x1F3FB], [0x1F4A9, 0x1F3FD], [0xE007F], [0x1F3F4, 0xE0067, 0xE007F], [0x0],
            [0x1F44D, 0x0],
            [0xFEFF, 0x1F44D], [0x10FFFF], [0x1F44D, 0x0301], [0x212A], [0xE9], [0x65, 0x0301],
        ] as [[UInt32]])
    func `Anything else is invalid_reaction`(_ scalars: [UInt32]) {
        let sent = text(scalars)
        #expect(throws: Refusal.invalidReaction) { try Self.emoji.reaction(from: sent) }
        #expect(throws: Refusal.invalidReaction) { try Rules(kind: .emoji, foldSkinTones: true).reaction(from: sent) }
    }

    @Test func `Very long texts are invalid_reaction`() {
        for part in ["👍", "\u{200D}", "a", "🏽"] {
            let text = String(repeating: part, count: 20_000)
            #expect(throws: Refusal.invalidReaction) { try Self.emoji.reaction(from: text) }
            #expect(throws: Refusal.invalidReaction) { try Rules(kind: .any).reaction(from: text) }
        }
    }

    @Test(arguments: ["a", "party_parrot", "+1", "-1", "100", String(repeating: "z", count: 64)])
    func `A name is 1 to 64 of a-z, 0-9, underscore, plus and minus`(_ name: String) throws {
        #expect(reaction(name, Rules(kind: .named)) == name)
        #expect(reaction(name, Rules(kind: .any)) == name)
        #expect(reaction(name) == nil)
    }

    @Test(arguments: [
        "", "A", "a b", "a.b", ":a:", "é", "a\u{FE0F}", "a\0", String(repeating: "z", count: 65), "👍", "❤",
    ])
    func `Anything else is no name`(_ text: String) {
        #expect(throws: Refusal.invalidReaction) { try Rules(kind: .named).reaction(from: text) }
    }

    @Test func `In an any namespace a reaction is a name or an emoji`() throws {
        let rules = Rules(kind: .any)
        #expect(try rules.reaction(from: "❤").text == "❤\u{FE0F}")
        #expect(try rules.reaction(from: "tada").text == "tada")
        #expect(throws: Refusal.invalidReaction) { try rules.reaction(from: "Ta da") }
    }

    @Test func `fold_skin_tones counts a toned thumb as a thumb`() throws {
        let rules = Rules(kind: .emoji, foldSkinTones: true)
        #expect(reaction("👍🏽", rules) == "👍")
        #expect(reaction("👍", rules) == "👍")
        #expect(reaction("☝🏽", rules) == "☝\u{FE0F}")
        #expect(reaction("👍🏽") == "👍🏽")
    }

    @Test func `Lists compare canonical forms`() throws {
        var rules = Rules(kind: .emoji, allowed: [Reaction(canonical: "❤"), Reaction(canonical: "👍🏽")])
        #expect(reaction("❤\u{FE0F}", rules) == "❤\u{FE0F}")
        #expect(throws: Refusal.reactionNotAllowed) { try rules.reaction(from: "👍") }
        #expect(throws: Refusal.reactionNotAllowed) { try rules.reaction(from: "🎉") }
        #expect(throws: Refusal.invalidReaction) { try rules.reaction(from: "x") }
        rules.foldSkinTones = true
        #expect(reaction("👍🏿", rules) == "👍")
        rules.allowed = []
        #expect(throws: Refusal.reactionNotAllowed) { try rules.reaction(from: "👍") }
    }

    @Test func `Two reactions are the same when their bytes are`() {
        #expect(Reaction(canonical: "\u{E9}") != Reaction(canonical: "e\u{301}"))
        #expect(Reaction(canonical: "👍") == Reaction(canonical: "\u{1F44D}"))
        #expect(Set([Reaction(canonical: "a"), Reaction(canonical: "a"), Reaction(canonical: "b")]).count == 2)
    }

    private func reaction(_ text: String, _ rules: Rules = Self.emoji) -> String? {
        try? rules.reaction(from: text).text
    }

    private func bytes(_ text: String?) -> [UInt8]? {
        text.map { Array($0.utf8) }
    }

    private func text(_ scalars: [UInt32]) -> String {
        String(String.UnicodeScalarView(scalars.compactMap(Unicode.Scalar.init)))
    }

    private func isSkinTone(_ scalar: Unicode.Scalar) -> Bool {
        (0x1F3FB...0x1F3FF).contains(scalar.value)
    }
}

/// The data that the table was made from.
private enum EmojiData {
    static func load() throws -> [(text: String, status: String)] {
        let path = "/usr/share/unicode/emoji/emoji-test.txt"
        let file = try #require(
            try? String(contentsOfFile: path, encoding: .utf8),
            "\(path) is missing: install the Debian package unicode-data")
        return file.split(separator: "\n").compactMap { line in
            let fields = line.prefix { $0 != "#" }.split(separator: ";")
            guard fields.count == 2 else { return nil }
            let scalars = fields[0].split(separator: " ").compactMap { UInt32($0, radix: 16) }
                .compactMap(Unicode.Scalar.init)
            return (String(String.UnicodeScalarView(scalars)), fields[1].trimmingCharacters(in: .whitespaces))
        }
    }
}

extension String {
    fileprivate var scalars: [Unicode.Scalar] { Array(unicodeScalars) }

    fileprivate var withoutSelectors: String {
        String(String.UnicodeScalarView(scalars.filter { $0.value != 0xFE0E && $0.value != 0xFE0F }))
    }
}
