import Testing

@testable import fanfare

@Suite("Cells of a terminal")
struct CellWidthTests {
    @Test(
        "are counted by what is drawn",
        arguments: [
            ("", 0), ("m1", 2), ("party_parrot", 12), ("👍", 2), ("👍🏽", 2), ("❤️", 2), ("❤", 1), ("👨‍👩‍👧‍👦", 2), ("🇩🇪", 2),
            ("1️⃣", 2), ("🏳️‍🌈", 2), ("☺️", 2), ("a👍b", 4), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("█▏", 2), ("…", 1),
            ("\u{7}", 0),
        ])
    func width(_ text: String, _ cells: Int) {
        #expect(cellWidth(text) == cells)
    }

    @Test(
        "hold as much of a text as fits",
        arguments: [
            ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("👍👍", 4, "👍👍"), ("👍👍👍", 4, "👍…"), ("👍👍", 3, "👍…"), ("abc", 1, "…"),
            ("abc", 0, ""), ("", 0, ""),
        ])
    func fitting(_ text: String, _ cells: Int, _ kept: String) {
        #expect(fitted(text, into: cells) == kept)
        #expect(cellWidth(kept) <= cells)
    }

    @Test(
        "are not steered by what a broker sends",
        arguments: [
            ("plain 👍", "plain 👍"), ("a\u{1B}[2Jb", "a?[2Jb"), ("a\nb\r\nc", "a?b??c"), ("a\u{9B}b", "a?b"),
            ("a\u{2028}b", "a?b"),
            ("\u{7F}\u{0}", "??"),
        ])
    func printing(_ text: String, _ clean: String) {
        #expect(printable(text) == clean)
    }
}

@Suite("A bar")
struct BarTests {
    @Test(
        "shows a share in eighths of a cell",
        arguments: [
            (8, 8, 4, "████"), (4, 8, 4, "██"), (1, 8, 1, "▏"), (7, 8, 1, "▉"), (5, 8, 2, "█▎"),
            (1, 1_000_000, 10, "▏"),
            (0, 8, 4, ""), (3, 0, 4, ""), (3, 8, 0, ""), (9, 8, 2, "██"), (UInt64.max, UInt64.max, 3, "███"),
        ] as [(UInt64, UInt64, Int, String)])
    func share(_ count: UInt64, _ most: UInt64, _ cells: Int, _ text: String) {
        #expect(bar(count, of: most, cells: cells) == text)
    }

    @Test("is never wider than its cells", arguments: 1...30)
    func width(cells: Int) {
        for count in 0...100 as ClosedRange<UInt64> {
            let width = cellWidth(bar(count, of: 100, cells: cells))
            #expect(width <= cells)
            #expect((width > 0) == (count > 0))
        }
    }
}
