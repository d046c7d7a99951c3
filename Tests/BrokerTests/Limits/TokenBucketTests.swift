import TestSupport
import Testing

@testable import Broker

@Suite struct TokenBucketTests {
    private static let millisecond: Int64 = 1_000_000

    /// A request at each of these times, in nanoseconds; those that got a token.
    private func accepted(_ times: [Int64], _ rate: Rate) -> [Int64] {
        var bucket = TokenBucket()
        return times.filter { time in
            guard bucket.wait(at: time, rate) == nil else { return false }
            bucket.take(at: time, rate)
            return true
        }
    }

    @Test("over any window no more is accepted than the burst and what the rate gives", arguments: 0..<40)
    func bound(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let rates: [Double] = [0.001, 0.5, 1, 3, 7.7, 10, 999, 100_000, 1_000_000]
        let rate = Rate(
            perSecond: rates.randomElement(using: &random) ?? 1, burst: Int.random(in: 1...50, using: &random))
        let step = Int64(2_000_000_000 / rate.perSecond)
        var time = Int64.random(in: 0...1_000_000_000_000, using: &random)
        let times = (0..<400).map { _ in
            // Now and then a long rest, and bursts at one moment.
            switch Int.random(in: 0..<10, using: &random) {
            case 0: time += step * Int64.random(in: 1...100, using: &random)
            case 1...4: time += Int64.random(in: 0...step, using: &random)
            default: break
            }
            return time
        }
        let accepted = accepted(times, rate)
        for first in accepted.indices {
            for last in accepted[first...].indices {
                let window = Double(accepted[last] - accepted[first]) / 1_000_000_000
                let most = Double(rate.burst) + rate.perSecond * window
                #expect(Double(last - first + 1) <= most + 0.000_001, "seed \(seed), \(rate), window \(window)")
            }
        }
        // And what the rate gives is given: a burst at once is accepted by a bucket that has rested.
        #expect(self.accepted(Array(repeating: time, count: 60), rate).count == rate.burst)
    }

    @Test("a retry after exactly the time that was told succeeds, one a millisecond earlier fails", arguments: 0..<40)
    func retryTime(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let rate = Rate(
            perSecond: Double.random(in: 0.1...400, using: &random), burst: Int.random(in: 1...20, using: &random))
        var time = Int64.random(in: 0...1_000_000, using: &random)
        var bucket = TokenBucket()
        for _ in 0..<200 {
            time += Int64.random(in: 0...100, using: &random) * Self.millisecond / 10
            guard let wait = bucket.wait(at: time, rate) else {
                bucket.take(at: time, rate)
                continue
            }
            #expect(wait > 0)
            let retry = time + wait * Self.millisecond
            #expect(bucket.wait(at: retry, rate) == nil, "seed \(seed), \(rate)")
            #expect(bucket.wait(at: retry - Self.millisecond, rate) != nil, "seed \(seed), \(rate)")
        }
    }

    @Test("a bucket that was emptied at a slow rate is no more than empty at a fast one")
    func changedRate() {
        let slow = Rate(perSecond: 0.01, burst: 100)
        var bucket = TokenBucket()
        for _ in 0..<100 { bucket.take(at: 0, slow) }
        #expect(bucket.wait(at: 0, slow) == 100_000)
        #expect(bucket.wait(at: 0, Rate(perSecond: 10, burst: 5)) == 100)
    }

    @Test(
        "the ends of the ranges do not overflow", arguments: [(0.001, 1_000_000), (1_000_000.0, 1_000_000), (0.001, 1)])
    func extremes(perSecond: Double, burst: Int) {
        let rate = Rate(perSecond: perSecond, burst: burst)
        var bucket = TokenBucket()
        let time = Int64(1) << 61
        #expect(bucket.wait(at: time, rate) == nil)
        for _ in 0..<min(burst, 1000) { bucket.take(at: time, rate) }
        #expect((bucket.wait(at: time, rate) == nil) == (burst > 1000))
    }

    @Test("a rate outside of the ranges is brought into them")
    func clamped() {
        #expect(Rate(perSecond: 0, burst: 0) == Rate(perSecond: 0.001, burst: 1))
        #expect(Rate(perSecond: 1e9, burst: .max) == Rate(perSecond: 1_000_000, burst: 1_000_000))
    }

    @Test("users who have rested leave the table")
    func tableIsBounded() {
        let users = SharedBuckets()
        let rate = Rate(perSecond: 10, burst: 1)
        for index in 0..<200_000 {
            let key = SharedBuckets.Key(namespace: "chat", holder: .user("u\(index)"))
            #expect(users.take(key, at: Int64(index) * Self.millisecond, rate) == nil)
        }
        // A bucket is full again after 100 ms, so 100 are not; each of the 64 parts may hold some that could go.
        #expect(users.count < 64 * 600)
    }
}
