import Testing

@testable import LoadGenerator

@Suite struct ComparisonTests {
    private func report(p99: Double, lost: Int = 0, scenario: String = "fanout", valid: Bool = true) -> String {
        #"{"tool":"fanfare-load","report":1,"scenario":"\#(scenario)","valid":\#(valid),"lost":\#(lost),"latency_ms":{"p99":\#(p99)}}"#
    }

    @Test(arguments: [
        ("p99>+10%", 109.0, true), ("p99>+10%", 111, false), ("p99<-5%", 96, true), ("p99<-5%", 94, false),
        ("p99>=+0%", 100, false), ("p99>120", 119, true), ("p99>120ms", 121, false),
    ])
    func `A bound for the change holds or breaks`(bound: String, after: Double, holds: Bool) throws {
        let comparison = try Comparison(report(p99: 100), report(p99: after), bounds: [bound])
        #expect(comparison.failures.isEmpty == holds, "\(comparison.text)")
        #expect(comparison.text.hasSuffix("\nok\n") == holds)
    }

    @Test func `A rise from nothing breaks every bound, and so does what was not measured`() throws {
        let comparison = try Comparison(
            report(p99: 1), report(p99: 1, lost: 1), bounds: ["lost>+10%", "p50>+10%"])
        #expect(comparison.failures.count == 2)
    }

    @Test func `Invalid runs are pointed out`() throws {
        let text = try Comparison(report(p99: 1), report(p99: 1, valid: false), bounds: []).text
        #expect(text.contains("NOTE: the second report is invalid"))
    }

    @Test(arguments: [
        ("{", "p99>+10%"), ("{}", "p99>+10%"), (#"{"tool":"fanfare-load","report":1,"scenario":"idle"}"#, "p99>+10%"),
        (#"{"tool":"fanfare-load","report":1,"scenario":"fanout"}"#, "p98>+10%"),
        (#"{"tool":"fanfare-load","report":1,"scenario":"fanout"}"#, "p99>+%"),
    ])
    func `What cannot be compared is refused`(before: String, bound: String) {
        #expect(throws: Comparison.Problem.self) {
            try Comparison(before, report(p99: 1), bounds: [bound])
        }
    }
}

@Suite struct JSONReadingTests {
    @Test(arguments: [
        "null", "true", "-1.5", "[1,2,[]]", #"{"a":{"b":[true,null]},"c":"x"}"#, #""a\"b\\c\n👍""#, "{}",
    ])
    func `What is written is read`(text: String) throws {
        #expect(try JSON(reading: text).description == text)
    }

    @Test func `Escapes and spaces are understood`() throws {
        #expect(try JSON(reading: #" { "a" : "\u00e9\ud83d\udc4d\/" } "#)["a"]?.text == "é👍/")
        #expect(try JSON(reading: "1e3").number == 1000)
    }

    @Test(arguments: [
        "", "{", "[1,", #"{"a"}"#, #""x"#, "tru", "1 2", #"{"a":1,}"#, "\"\u{1}\"", #""\x""#, #""\u12""#, "--1",
        String(repeating: "[", count: 100),
    ])
    func `What is no JSON is refused`(text: String) {
        #expect(throws: JSON.Unreadable.self) { try JSON(reading: text) }
    }
}

@Suite struct BracketTests {
    @Test(arguments: [1.0, 7, 99, 100, 101, 1234, 99_999])
    func `The bracket closes around the limit`(limit: Double) {
        var bracket = Bracket(start: 100)
        var turns = 0
        while let amount = bracket.next(1.1, 1...1_000_000) {
            turns += 1
            bracket.take(amount, held: amount <= limit)
        }
        #expect(turns <= 24)
        #expect((bracket.held ?? 0) <= limit)
        #expect((bracket.broke ?? 0) > limit)
        #expect((bracket.broke ?? 0) <= (bracket.held ?? 0) * 1.1 || (bracket.broke ?? 0) - (bracket.held ?? 0) <= 1)
    }

    @Test func `Where everything holds it ends at the bound, and where nothing does at the lower one`() {
        var high = Bracket(start: 100)
        while let amount = high.next(1.1, 1...500) { high.take(amount, held: true) }
        #expect(high.held == 500 && high.broke == nil)
        var low = Bracket(start: 100)
        while let amount = low.next(1.1, 1...500) { low.take(amount, held: false) }
        #expect(low.held == nil && low.broke == 1)
    }
}
