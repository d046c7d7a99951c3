import Testing

@testable import fanfare

/// What lines repeat of others' texts, and numbers without a sign.
@Suite struct BriefTests {
    @Test(
        "a name is cut off, on one line, and steers no terminal",
        arguments: [
            ("general", "general"), ("", ""), ("a\u{1B}[2Jb\nc", #"a\u001b[2Jb\u000ac"#), ("x\u{202E}y", #"x\u202ey"#),
            ("\u{85}\u{2028}", #"\u0085\u2028"#), ("👩‍🚀 ä", "👩‍🚀 ä"),
            (String(repeating: "x", count: 80), String(repeating: "x", count: 80)),
            (String(repeating: "x", count: 1_000_000), String(repeating: "x", count: 80) + "…"),
            // One character for Swift, and a megabyte.
            ("e" + String(repeating: "\u{301}", count: 500_000), "e" + String(repeating: "\u{301}", count: 79) + "…"),
        ])
    func names(text: String, expected: String) {
        #expect(Array(brief(text).utf8) == Array(expected.utf8))
    }

    @Test("digits alone are a number", arguments: ["+5", "-5", "", " 5", "5 ", "0x5", "٥", "18446744073709551616"])
    func signs(text: String) {
        #expect(decimal(text, as: UInt64.self) == nil)
    }

    @Test("numbers up to the largest are taken")
    func numbers() {
        #expect(decimal("0", as: UInt64.self) == 0)
        #expect(decimal("18446744073709551615", as: UInt64.self) == .max)
    }
}
