import Testing

@testable import Transport

@Suite struct LogHistogramTests {
    @Test func `A value is in the first range that it is not above`() {
        var random = SystemRandomNumberGenerator()
        for exponent in [0, 11, 15, 40] {
            for _ in 0..<2_000 {
                let value = UInt64.random(in: 0...(.max), using: &random) >> UInt64.random(in: 0..<64, using: &random)
                var histogram = LogHistogram(upTo: exponent)
                histogram.record(value)
                let expected = (0..<LogHistogram.count).first { range in
                    histogram.upperBound(of: range).map { value <= $0 } ?? true
                }
                let found = (0..<LogHistogram.count).filter { histogram[$0] == 1 }
                #expect(found == [expected], "\(value) from 2^\(exponent) on")
            }
        }
    }

    @Test(arguments: [
        (0 as UInt64, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (4_194_304, 22), (4_194_305, 23), (.max, 23),
    ])
    func `The bounds belong to the ranges below them`(_ value: UInt64, _ range: Int) {
        var histogram = LogHistogram(upTo: 0)
        histogram.record(value, times: 3)
        #expect(histogram[range] == 3)
    }

    @Test func `A sum of two counts what each has counted`() {
        var (one, other, both) = (LogHistogram(upTo: 15), LogHistogram(upTo: 15), LogHistogram(upTo: 15))
        for value in [1, 40_000, 1_000_000, 40_000] as [UInt64] {
            one.record(value)
            both.record(value)
        }
        other.record(77, times: 5)
        both.record(77, times: 5)
        one += other
        #expect(one == both)
        #expect(one.sum == 1_080_001 + 385)
    }

    @Test func `A time that seems to run backwards is none`() {
        var histogram = LogHistogram(upTo: 0)
        histogram.record(from: 10, to: MonotonicTime(nanoseconds: 5))
        #expect(histogram[0] == 1)
        #expect(histogram.sum == 0)
    }
}
