import Testing
import Transport

@Suite struct MonotonicTimeTests {
    @Test(
        "milliseconds are added up to the end of the clock, and none are taken away",
        arguments: [
            (10, 0, 10), (10, -1, 10), (10, .min, 10), (10, 3, 3_000_010), (.max, 1, .max), (.max - 1, 1, .max),
            (0, .max, .max),
        ] as [(UInt64, Int, UInt64)])
    func adding(nanoseconds: UInt64, milliseconds: Int, sum: UInt64) {
        #expect(MonotonicTime(nanoseconds: nanoseconds).adding(milliseconds: milliseconds).nanoseconds == sum)
    }
}
