import Reactions

/// The emoji that chat systems know by short names such as `thumbsup` (Slack, Mattermost).
enum ShortNames {
    private static let emoji = table(ShortNameTable.entries)
    private static let rules = Rules(kind: .emoji)

    /// The emoji of a short name, with skin tones as Slack (`wave::skin-tone-2`) or Mattermost (`wave_light_skin_tone`)
    /// write them; `nil` for a name that is of no emoji.
    static func emoji(for name: String) -> String? {
        if let plain = plain(name) { return plain }
        guard let (base, tones) = slackTones(name) ?? mattermostTones(name), let plain = plain(base) else { return nil }
        return toned(plain, tones)
    }

    /// Each entry is an emoji and its names, with spaces between.
    private static func table(_ text: String) -> [String: String] {
        var table: [String: String] = [:]
        for entry in text.split(whereSeparator: { $0 == ";" || $0.isNewline }) {
            let words = entry.split(separator: " ")
            for name in words.dropFirst() { table[String(name)] = String(words[0]) }
        }
        return table
    }

    private static func plain(_ name: String) -> String? {
        emoji[name] ?? flag(name)
    }

    /// `flag-de`, for all regions that have a flag.
    private static func flag(_ name: String) -> String? {
        let region = name.dropFirst(5)
        guard name.hasPrefix("flag-"), region.utf8.count == 2 else { return nil }
        var text = String.UnicodeScalarView()
        for letter in region.utf8 {
            guard (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter),
                let scalar = UnicodeScalar(0x1F1E6 + UInt32(letter - UInt8(ascii: "a")))
            else { return nil }
            text.append(scalar)
        }
        return valid(text)
    }

    private static func valid(_ scalars: String.UnicodeScalarView) -> String? {
        (try? rules.reaction(from: String(scalars)))?.text
    }

    // MARK: Skin tones

    private static let tones: [UnicodeScalar] = ["\u{1F3FB}", "\u{1F3FC}", "\u{1F3FD}", "\u{1F3FE}", "\u{1F3FF}"]

    /// `NAME::skin-tone-2`, or with two people `-2-3`; 2 is the lightest and 6 the darkest.
    private static func slackTones(_ name: String) -> (String, [UnicodeScalar])? {
        guard let mark = name.firstRange(of: "::skin-tone-") else { return nil }
        let numbers = name[mark.upperBound...].split(separator: "-", omittingEmptySubsequences: false)
        let found = numbers.compactMap { number -> UnicodeScalar? in
            guard let number = decimal(number, as: Int.self), (2...6).contains(number) else { return nil }
            return tones[number - 2]
        }
        guard found.count == numbers.count, found.count <= 2 else { return nil }
        return (String(name[..<mark.lowerBound]), found)
    }

    // `medium_light` before `light`, which it ends with.
    private static let endings: [(String, UnicodeScalar)] = [
        ("_medium_light_skin_tone", tones[1]), ("_medium_dark_skin_tone", tones[3]), ("_light_skin_tone", tones[0]),
        ("_medium_skin_tone", tones[2]), ("_dark_skin_tone", tones[4]),
    ]

    /// `NAME_light_skin_tone`, with two people two endings.
    private static func mattermostTones(_ name: String) -> (String, [UnicodeScalar])? {
        var base = name
        var found: [UnicodeScalar] = []
        while found.count < 2, let (ending, tone) = endings.first(where: { base.hasSuffix($0.0) }) {
            base.removeLast(ending.count)
            found.insert(tone, at: 0)
        }
        return found.isEmpty ? nil : (base, found)
    }

    /// What stands for one scalar where two people have tones of their own.
    private static let pairs: [String: String] = [
        "🤝": "🫱\u{200D}🫲", "👫": "👩\u{200D}🤝\u{200D}👨", "👭": "👩\u{200D}🤝\u{200D}👩", "👬": "👨\u{200D}🤝\u{200D}👨",
        "💏": "🧑\u{200D}❤\u{200D}💋\u{200D}🧑", "💑": "🧑\u{200D}❤\u{200D}🧑",
    ]

    /// The emoji with one tone for all in it, or two for the two people in it; `nil` where there is none such.
    private static func toned(_ emoji: String, _ tones: [UnicodeScalar]) -> String? {
        let one = tones.count == 1 || tones[0] == tones[1]
        if one, let single = insert([tones[0]], into: emoji) { return single }
        return insert([tones[0], tones[tones.count - 1]], into: pairs[emoji] ?? emoji)
    }

    /// Puts tones behind scalars, in order, wherever that makes an emoji.
    private static func insert(_ tones: [UnicodeScalar], into emoji: String) -> String? {
        let scalars = emoji.unicodeScalars.filter { $0.value != 0xFE0F }
        for first in 1...max(1, scalars.count) {
            guard tones.count > 1 else {
                if let found = valid(putting(tones[0], at: first, into: scalars)) { return found }
                continue
            }
            for second in first..<max(first, scalars.count) {
                // The first one moves the second place on by one, and they are never side by side.
                let both = putting(tones[1], at: second + 2, into: putting(tones[0], at: first, into: scalars))
                if let found = valid(both) { return found }
            }
        }
        return nil
    }

    private static func putting(
        _ tone: UnicodeScalar, at place: Int, into scalars: String.UnicodeScalarView
    ) -> String.UnicodeScalarView {
        var scalars = scalars
        guard let index = scalars.index(scalars.startIndex, offsetBy: place, limitedBy: scalars.endIndex) else {
            return scalars
        }
        scalars.insert(tone, at: index)
        return scalars
    }
}
