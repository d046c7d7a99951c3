import Reactions
import Testing

@testable import fanfare

/// Which emoji short names stand for.
@Suite struct ShortNamesTests {
    @Test(
        "a short name is its emoji, fully qualified",
        arguments: [
            ("+1", "👍"), ("thumbsup", "👍"), ("-1", "👎"), ("heart", "❤️"), ("joy", "😂"), ("tada", "🎉"),
            ("white_check_mark", "✅"), ("eyes", "👀"), ("100", "💯"), ("bow", "🙇"), ("man-bowing", "🙇‍♂️"),
            ("ok_woman", "🙆"), ("woman-gesturing-ok", "🙆‍♀️"), ("family", "👪"), ("man-woman-boy", "👨‍👩‍👦"),
            ("saluting_face", "🫡"), ("melting_face", "🫠"), ("simple_smile", "🙂"), ("thinking", "🤔"),
            ("thinking_face", "🤔"), ("rofl", "🤣"), ("de", "🇩🇪"), ("flag-de", "🇩🇪"), ("flag-aq", "🇦🇶"),
            ("flag-scotland", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"), ("keycap_star", "*️⃣"), ("x-ray", "🩻"),
        ])
    func names(name: String, emoji: String) {
        #expect(ShortNames.emoji(for: name)?.unicodeScalars.elementsEqual(emoji.unicodeScalars) == true)
    }

    @Test(
        "skin tones as Slack and Mattermost write them",
        arguments: [
            ("+1::skin-tone-2", "👍🏻"), ("+1::skin-tone-6", "👍🏿"), ("v::skin-tone-3", "✌🏼"),
            ("man-shrugging::skin-tone-4", "🤷🏽‍♂️"), ("couplekiss::skin-tone-5", "💏🏾"),
            ("handshake::skin-tone-3", "🤝🏼"), ("handshake::skin-tone-2-4", "🫱🏻‍🫲🏽"),
            ("handshake::skin-tone-3-3", "🤝🏼"), ("people_holding_hands::skin-tone-2-6", "🧑🏻‍🤝‍🧑🏿"),
            ("couple::skin-tone-2-4", "👩🏻‍🤝‍👨🏽"), ("woman-heart-man::skin-tone-2-4", "👩🏻‍❤️‍👨🏽"),
            ("wave_light_skin_tone", "👋🏻"), ("wave_medium_light_skin_tone", "👋🏼"), ("wave_medium_skin_tone", "👋🏽"),
            ("wave_medium_dark_skin_tone", "👋🏾"), ("+1_dark_skin_tone", "👍🏿"),
            ("people_holding_hands_medium_skin_tone_medium_light_skin_tone", "🧑🏽‍🤝‍🧑🏼"),
        ])
    func tones(name: String, emoji: String) {
        #expect(ShortNames.emoji(for: name)?.unicodeScalars.elementsEqual(emoji.unicodeScalars) == true)
    }

    @Test(
        "a name of no emoji stands for none, and nothing is made up for a skin tone that an emoji does not take",
        arguments: [
            "", "party_parrot", "thumbsup_all", "flag-", "flag-xx", "flag-d1", "flag-deu", "+1::skin-tone-1",
            "+1::skin-tone-7", "+1::skin-tone-", "+1::skin-tone-2-3", "+1::skin-tone-2-3-4", "tada::skin-tone-2",
            "::skin-tone-2", "_light_skin_tone", "tada_dark_skin_tone", "👍",
        ])
    func unknown(name: String) {
        #expect(ShortNames.emoji(for: name) == nil)
    }

    @Test("every entry of the table is an emoji in its canonical form, and no name is there twice")
    func table() throws {
        let rules = Rules(kind: .emoji)
        var seen: Set<String> = []
        for entry in ShortNameTable.entries.split(whereSeparator: { $0 == ";" || $0.isNewline }) {
            let words = entry.split(separator: " ").map(String.init)
            #expect(try rules.reaction(from: words[0]) == Reaction(canonical: words[0]))
            for name in words.dropFirst() { #expect(seen.insert(name).inserted, "\(name)") }
        }
        #expect(seen.count > 1_700)
    }
}
