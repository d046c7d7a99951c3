import Testing

@testable import LoadGenerator

@Suite struct HistogramTests {
    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `Percentiles are those of the sorted values, at most a thousandth higher`(seed: UInt64) {
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        var histogram = Histogram()
        var values: [UInt64] = []
        for _ in 0..<5000 {
            // Every order of magnitude is as likely as the next.
            let bits = Int.random(in: 0...25, using: &generator)
            values.append(UInt64.random(in: 0...(1 << bits), using: &generator))
        }
        values.forEach { histogram.record($0) }
        values.sort()
        #expect(histogram.count == 5000)
        #expect(histogram.max == values.last)
        for share in [0, 0.001, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 0.9999, 1] {
            let exact = values[max(0, Int((share * 5000).rounded(.up)) - 1)]
            let found = histogram.value(at: share) ?? .max
            #expect(found >= exact, "share \(share)")
            #expect(Double(found) <= Double(exact) * 1.001, "share \(share)")
        }
    }

    @Test func `Small values are exact`() {
        var histogram = Histogram()
        for value in 1...2047 as ClosedRange<UInt64> { histogram.record(value) }
        #expect(histogram.value(at: 1) == 2047)
        #expect(histogram.value(at: 1000.0 / 2047) == 1000)
        #expect(histogram.value(at: 0) == 1)
    }

    @Test func `An empty histogram has no percentiles`() {
        #expect(Histogram().value(at: 0.5) == nil)
    }

    @Test func `Values past the limit count as the limit, and the largest stays exact`() {
        var histogram = Histogram()
        histogram.record(.max)
        histogram.record(1)
        #expect(histogram.max == .max)
        let median = histogram.value(at: 1) ?? 0
        #expect(median >= Histogram.limit && Double(median) <= Double(Histogram.limit) * 1.001)
    }

    @Test func `Merging is recording all in one`() {
        var generator = SeededGenerator(seed: 9)
        var one = Histogram()
        var other = Histogram()
        var all = Histogram()
        for turn in 0..<2000 {
            let value = UInt64.random(in: 0...70_000_000, using: &generator)
            if turn % 3 == 0 { one.record(value) } else { other.record(value) }
            all.record(value)
        }
        one.merge(other)
        #expect(one == all)
        one.reset()
        #expect(one == Histogram())
    }
}
