import Testing

@testable import CommandOptions

@Suite struct QuantityTests {
    @Test(arguments: [
        ("10", 10_000_000), ("10s", 10_000_000), ("250ms", 250_000), ("1.5s", 1_500_000), ("1h", 3_600_000_000),
        ("5m", 300_000_000), ("2d", 172_800_000_000), ("20us", 20), ("0", 0),
    ])
    func `A time is a number and a unit, or plain seconds`(text: String, microseconds: Int) {
        #expect(parseDuration(text) == .microseconds(microseconds))
    }

    @Test(arguments: [
        "", "s", "-1s", "1w", "1 s", "1.s", ".5s", "1..5s", "1e3", "nan", "inf", "0x10", "1h30m",
    ])
    func `What is no time is refused`(text: String) {
        #expect(parseDuration(text) == nil)
    }

    @Test(arguments: [
        ("512", 512), ("64KiB", 65536), ("64K", 65536), ("1MiB", 1_048_576), ("64kB", 64000), ("1.5MB", 1_500_000),
        ("2GiB", 2_147_483_648), ("3b", 3),
    ])
    func `A size is in bytes, binary or decimal`(text: String, bytes: Int) {
        #expect(parseSize(text) == bytes)
    }

    @Test(arguments: ["", "KiB", "1TBx", "0.3", "-1"])
    func `What is no size is refused`(text: String) {
        #expect(parseSize(text) == nil)
    }

    @Test(arguments: [("0", 0), ("1_000", 1000), ("10k", 10000), ("2.5k", 2500), ("1M", 1_000_000), ("-5", -5)])
    func `A whole number`(text: String, number: Int) {
        #expect(parseWhole(text) == number)
    }

    @Test(arguments: ["", "1.5", "_1", "1_", "x", "1K", "111111111111111111111111111", "--5"])
    func `What is no whole number is refused`(text: String) {
        #expect(parseWhole(text) == nil)
    }

    @Test func `A range is part of the meaning`() throws {
        let syntax = CommandSyntax(
            name: "x", summary: "",
            options: [
                .value("for", "D", "", default: "10s"), .value("rate", "R", "", default: "0.5"),
                .value("n", "N", "", default: "7"), .value("size", "S", "", default: "1KiB"),
            ])
        let words = try syntax.parse(["--for", "2h"])
        #expect(throws: UsageError("--for is 500ms to 1h, not 2h")) {
            try words.duration("for", in: .milliseconds(500) ... .seconds(3600))
        }
        let long = try syntax.parse(["--for", "99999999999h", "--n", "9007199254740992", "--size", "99999999999GiB"])
        #expect(throws: UsageError("--for is 0s to 1h, not 99999999999h")) {
            try long.duration("for", in: .zero ... .seconds(3600))
        }
        #expect(throws: UsageError("--n is 0 to 9007199254740991, not 9007199254740992")) {
            try long.whole("n", in: 0...9_007_199_254_740_991)
        }
        #expect(throws: UsageError("--size is 1 to 1048576, not 99999999999GiB")) {
            try long.size("size", in: 1...1_048_576)
        }
        #expect(throws: UsageError("--rate is 1 to 2.5, not 0.5")) { try words.decimal("rate", in: 1...2.5) }
        #expect(throws: UsageError("--n is 8 to 9, not 7")) { try words.whole("n", in: 8...9) }
        #expect(try words.duration("for", in: .zero ... .seconds(7200)) == .seconds(7200))
        #expect(try words.decimal("rate", in: 0...1) == 0.5)
        #expect(try words.whole("n", in: 0...9) == 7)
        #expect(try words.size("size", in: 0...9999) == 1024)
    }

    @Test(arguments: [
        (Duration.seconds(7200), "2h"), (.seconds(120), "2m"), (.seconds(90), "90s"), (.milliseconds(1500), "1500ms"),
        (.microseconds(20), "20us"), (.zero, "0s"),
    ])
    func `A time is shown as it is typed`(duration: Duration, text: String) {
        #expect(describe(duration: duration) == text)
        #expect(parseDuration(text) == duration)
    }

    @Test(arguments: [
        ("ulr", "url"), ("subscribrs", "subscribers"), ("rat", "rate"), ("sub", "subscribers"), ("url", "url"),
    ])
    func `A near miss finds its word`(typed: String, meant: String) {
        #expect(nearest(to: typed, among: ["rate", "url", "subscribers"]) == meant)
    }

    @Test(arguments: ["", "x", "colour", "tar", String(repeating: "a", count: 5000)])
    func `What is far from all words finds none`(typed: String) {
        #expect(nearest(to: typed, among: ["rate", "url", "subscribers"]) == nil)
    }
}
