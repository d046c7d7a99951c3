import TestSupport
import Testing

@testable import Transport

/// The wheel alone, against a plain list of deadlines.
struct TimerWheelTests {
    final class Handler: TimerHandler {
        let number: Int
        init(_ number: Int) { self.number = number }
        func timerFired(_ now: MonotonicTime) {}
    }

    static let origin = MonotonicTime(nanoseconds: 1_000_000_007)

    static func number(_ handler: (any TimerHandler)?) -> Int? { (handler as? Handler)?.number }

    @Test func `an empty wheel never wants a turn`() {
        var wheel = TimerWheel(origin: Self.origin)
        #expect(wheel.nextTurn == nil)
        let token = wheel.schedule(Handler(1), at: Self.origin + .seconds(1))
        #expect(wheel.nextTurn != nil)
        wheel.cancel(token)
        #expect(wheel.nextTurn == nil)
        #expect(wheel.takeDue(at: Self.origin + .seconds(100)) == nil)
    }

    @Test(arguments: [1, 3, 4, 5, 100, 255, 256, 257, 2_000, 16_384, 25_000, 3_600_000, 86_400_000])
    func `a timer is never early and at most one tick late`(milliseconds: Int) {
        var wheel = TimerWheel(origin: Self.origin)
        let deadline = Self.origin + .milliseconds(milliseconds)
        _ = wheel.schedule(Handler(1), at: deadline)
        // Asking when the wheel wants to be asked must lead to the timer, in a few steps.
        var turns = 0
        var now = Self.origin
        var fired: Int?
        while fired == nil, let next = wheel.nextTurn, turns < 10 {
            now = max(now, next)
            fired = Self.number(wheel.takeDue(at: now))
            turns += 1
        }
        #expect(fired == 1)
        #expect(now >= deadline)
        #expect(now <= deadline + .milliseconds(4))
        #expect(wheel.nextTurn == nil)
    }

    @Test func `a cancelled token stays dead when its place is used again`() {
        var wheel = TimerWheel(origin: Self.origin)
        let old = wheel.schedule(Handler(1), at: Self.origin + .seconds(1))
        wheel.cancel(old)
        _ = wheel.schedule(Handler(2), at: Self.origin + .seconds(1))
        wheel.cancel(old)
        #expect(Self.number(wheel.takeDue(at: Self.origin + .seconds(2))) == 2)
    }

    @Test func `far and endless delays are kept`() {
        var wheel = TimerWheel(origin: Self.origin)
        _ = wheel.schedule(Handler(1), at: MonotonicTime(nanoseconds: .max))
        _ = wheel.schedule(Handler(2), at: MonotonicTime(nanoseconds: 0))
        #expect(Self.number(wheel.takeDue(at: Self.origin + .milliseconds(4))) == 2)
        #expect(wheel.takeDue(at: Self.origin + .seconds(86_400 * 365)) == nil)
        #expect(wheel.count == 1)
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `random schedules, cancellations and turns agree with a list`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var wheel = TimerWheel(origin: Self.origin)
        var model: [(number: Int, deadline: MonotonicTime, token: TimerToken)] = []
        var now = Self.origin
        for number in 0..<20_000 {
            switch random.next() % 8 {
            case 0...3:
                let span = [10, 300, 20_000, 2_000_000, 100_000_000][Int(random.next() % 5)]
                let deadline = now + .microseconds(Int(random.next() % UInt64(span * 1000)))
                model.append((number, deadline, wheel.schedule(Handler(number), at: deadline)))
            case 4:
                guard !model.isEmpty else { continue }
                let victim = model.remove(at: Int(random.next() % UInt64(model.count)))
                wheel.cancel(victim.token)
            default:
                now = now + .microseconds(Int(random.next() % [5_000, 400_000, 30_000_000][Int(random.next() % 3)]))
                var fired: Set<Int> = []
                var last = MonotonicTime(nanoseconds: 0)
                while let number = Self.number(wheel.takeDue(at: now)) {
                    guard let entry = model.first(where: { $0.number == number }) else {
                        Issue.record("seed \(seed): \(number) fired twice or after its cancellation")
                        return
                    }
                    // In order, up to the tick.
                    #expect(entry.deadline + .milliseconds(4) > last, "seed \(seed)")
                    last = max(last, entry.deadline)
                    fired.insert(number)
                }
                #expect(model.filter { fired.contains($0.number) }.allSatisfy { $0.deadline <= now }, "seed \(seed)")
                model.removeAll { fired.contains($0.number) }
                #expect(model.allSatisfy { $0.deadline + .milliseconds(4) > now }, "seed \(seed)")
            }
            #expect(wheel.count == model.count)
        }
    }
}
