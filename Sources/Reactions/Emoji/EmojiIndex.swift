/// Finds the canonical form of an emoji (PROTOCOL.md section 7, UTS #51).
///
/// The forms that Unicode's data lists for one emoji differ only in variation selectors, so the index is by the
/// scalars without them.
struct EmojiIndex: Sendable {
    /// The index of all emoji that this program knows; made at first use.
    static let all = EmojiIndex(EmojiTable.fullyQualified, count: EmojiTable.count)

    private let reactions: [Reaction]
    /// For each reaction the one without skin tones, or itself where there is none.
    private var folded: [Int]
    /// An open hash table of indices of `reactions`; twice as large at least, so that every probe ends.
    private var table: [Int]

    /// Makes an index of the `count` emoji in a text, which are separated by white space.
    init(_ text: String, count: Int) {
        reactions = text.split(whereSeparator: \.isWhitespace).map { Reaction(canonical: String($0)) }
        folded = Array(reactions.indices)
        var capacity = 16
        while capacity < 2 * max(count, reactions.count) { capacity *= 2 }
        table = Array(repeating: -1, count: capacity)
        for index in reactions.indices {
            table[place(of: Form(reactions[index].text))] = index
        }
        for index in reactions.indices {
            if let plain = find(Form(reactions[index].text, dropsSkinTones: true)) { folded[index] = plain }
        }
    }

    /// The canonical form of exactly one emoji; `nil` for anything else.
    func reaction(for text: String, foldSkinTones: Bool) -> Reaction? {
        guard let index = find(Form(text)) else { return nil }
        return reactions[foldSkinTones ? folded[index] : index]
    }

    private func find(_ form: Form) -> Int? {
        let index = table[place(of: form)]
        return index < 0 ? nil : index
    }

    /// Where in the table an emoji is, or would be.
    private func place(of form: Form) -> Int {
        let mask = table.count - 1
        var place = Int(truncatingIfNeeded: form.hash) & mask
        while table[place] >= 0, !form.isForm(of: reactions[table[place]].text) {
            place = (place + 1) & mask
        }
        return place
    }
}

/// A text seen without variation selectors and, on request, without skin tones.
private struct Form {
    let text: String
    let dropsSkinTones: Bool

    init(_ text: String, dropsSkinTones: Bool = false) {
        self.text = text
        self.dropsSkinTones = dropsSkinTones
    }

    /// FNV-1a over the scalars that are left.
    var hash: UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for scalar in text.unicodeScalars where keeps(scalar) {
            hash = (hash ^ UInt64(scalar.value)) &* 0x0000_0100_0000_01B3
        }
        return hash ^ hash >> 32
    }

    /// Whether the scalars that are left are those of an emoji without its variation selectors.
    func isForm(of emoji: String) -> Bool {
        var expected = emoji.unicodeScalars.makeIterator()
        for scalar in text.unicodeScalars where keeps(scalar) {
            var next = expected.next()
            while let selector = next, selector.isVariationSelector { next = expected.next() }
            if next != scalar { return false }
        }
        while let rest = expected.next() {
            if !rest.isVariationSelector { return false }
        }
        return true
    }

    private func keeps(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isVariationSelector && !(dropsSkinTones && scalar.isSkinTone)
    }
}

extension Unicode.Scalar {
    /// Text or emoji presentation (UTS #51, ED-8a and ED-9a).
    fileprivate var isVariationSelector: Bool { value == 0xFE0E || value == 0xFE0F }

    /// An emoji modifier (UTS #51, ED-11).
    fileprivate var isSkinTone: Bool { (0x1F3FB...0x1F3FF).contains(value) }
}
