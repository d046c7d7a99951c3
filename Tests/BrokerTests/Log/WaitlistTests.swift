import TestSupport
import Testing

@testable import Broker

/// The queue of requests that wait for the log.
@Suite struct WaitlistTests {
    @Test("what comes first goes first, as in an array", arguments: 1...5 as ClosedRange<UInt64>)
    func order(seed: UInt64) {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        var list = Waitlist<Int>()
        var plain: [Int] = []
        for number in 0..<2_000 {
            if plain.isEmpty || Int.random(in: 0..<100, using: &random) < (number < 1_000 ? 70 : 40) {
                list.append(number)
                plain.append(number)
            } else {
                list.removeFirst()
                plain.removeFirst()
            }
            #expect(list.first == plain.first && list.count == plain.count && list.isEmpty == plain.isEmpty)
        }
        #expect(Array(list.waiting) == plain)
    }
}
