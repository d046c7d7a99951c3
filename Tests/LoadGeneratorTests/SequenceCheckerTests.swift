import Testing

@testable import LoadGenerator

@Suite struct SequenceCheckerTests {
    @Test func `What follows starts at seq plus 1`() {
        var checker = SequenceChecker(subscribed: 17)
        #expect(checker.see(18) == .next)
        #expect(checker.see(19) == .next)
        #expect(checker.see(17) == .duplicate)
        #expect(checker.missing(through: 19) == 0)
        #expect(checker.missing(through: 22) == 3)
        #expect(checker.overtaken(through: 22) == 0)
        #expect(checker.missing(through: 5) == 0)
    }

    @Test func `A gap is lost until it is filled, and only then`() {
        var checker = SequenceChecker(subscribed: 0)
        #expect(checker.see(4) == .gap(3))
        #expect(checker.missing(through: 4) == 3)
        #expect(checker.missing(through: 2) == 2)
        #expect(checker.missing(through: 6) == 5)
        #expect(checker.overtaken(through: 6) == 3)
        #expect(checker.see(2) == .late)
        #expect(checker.see(2) == .duplicate)
        #expect(checker.see(1) == .late)
        #expect(checker.missing(through: 4) == 1)
        #expect(checker.see(3) == .late)
        #expect(checker.missing(through: 4) == 0)
        #expect(checker.see(4) == .duplicate)
        #expect(checker.see(5) == .next)
    }

    @Test func `What the broker says it left out stays lost`() {
        var checker = SequenceChecker(subscribed: 10)
        #expect(checker.skip(through: 14) == 4)
        #expect(checker.skip(through: 14) == 0)
        #expect(checker.see(15) == .next)
        #expect(checker.missing(through: 15) == 4)
    }

    @Test(arguments: [11, 12, 13, 14] as [UInt64])
    func `Counts agree with a set, in any order of arrival`(seed: UInt64) {
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        var checker = SequenceChecker(subscribed: 100)
        var seen: Set<UInt64> = []
        var highest: UInt64 = 100
        for _ in 0..<400 {
            let near = highest - min(highest, 8)...highest + 3
            let seq = UInt64.random(in: near, using: &generator)
            let verdict = checker.see(seq)
            if seq <= 100 || seen.contains(seq) {
                #expect(verdict == .duplicate)
            } else if seq == highest + 1 {
                #expect(verdict == .next)
            } else if seq > highest {
                #expect(verdict == .gap(seq - highest - 1))
            } else {
                #expect(verdict == .late)
            }
            if seq > 100 { seen.insert(seq) }
            highest = max(highest, seq)
            let missing = (101...highest + 2).count { !seen.contains($0) }
            // Gaps further back than 64 are given up, but stay in the count.
            #expect(checker.missing(through: highest + 2) == UInt64(missing))
        }
    }

    @Test func `Gaps past the bound stay lost`() {
        var checker = SequenceChecker(subscribed: 0)
        for seq in stride(from: 2 as UInt64, through: 200, by: 2) { #expect(checker.see(seq) == .gap(1)) }
        #expect(checker.missing(through: 200) == 100)
        #expect(checker.see(1) == .duplicate)
        #expect(checker.see(199) == .late)
        #expect(checker.missing(through: 200) == 99)
    }

    @Test func `A slow reader is told what it will not see, and only what was not told is missing`() {
        var checker = SequenceChecker(subscribed: 10)
        #expect(checker.jump(from: 11, through: 14) == 4)
        #expect(checker.missing(through: 14) == 0)
        #expect(checker.jump(from: 17, through: 20) == 4)
        #expect(checker.missing(through: 20) == 2)
        #expect(checker.jump(from: 15, through: 20) == 0)
        #expect(checker.see(21) == .next)
    }
}
