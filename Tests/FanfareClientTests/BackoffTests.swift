import TestSupport
import Testing

@testable import FanfareClient

@Suite("The back-off")
struct BackoffTests {
    @Test(
        "draws each wait from zero to a ceiling that doubles from 0.5 s to 20 s",
        arguments: [1, 2, 3, 0xFA17] as [UInt64])
    func bounds(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var backoff = Backoff()
        for ceiling in [500, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000, 20_000] {
            #expect(backoff.ceiling == .milliseconds(ceiling))
            let wait = backoff.next(using: &generator)
            #expect(wait >= .zero && wait <= .milliseconds(ceiling), "seed \(seed)")
        }
        backoff.reset()
        #expect(backoff.ceiling == .milliseconds(500))
    }

    @Test("uses the whole range, so that many clients do not come back in step")
    func jitter() {
        var generator = SeededGenerator(seed: 7)
        let waits = (0..<400).map { _ in
            var backoff = Backoff()
            return backoff.next(using: &generator)
        }
        for quarter in 0..<4 {
            let range = Duration.milliseconds(quarter * 125)..<Duration.milliseconds((quarter + 1) * 125)
            #expect(waits.count { range.contains($0) } > 50)
        }
    }
}
