import Glibc
import Testing
import Transport

@Suite(.timeLimit(.minutes(5)))
struct TimerTests {
    @Test func `timers fire in order, not early, and cancelled ones never`() async throws {
        try await withLoop { loop in
            let fired = Facts<[Int]>([])
            let start = MonotonicTime.now
            try await loop.run {
                let delays = [60, 5, 30, 90, 10]
                for (index, delay) in delays.enumerated() {
                    loop.schedule(Alarm { fired.change { $0.append(index) } }, after: .milliseconds(delay))
                }
                loop.cancel(loop.schedule(Alarm { fired.change { $0.append(99) } }, after: .milliseconds(20)))
            }
            let seen = await fired.wait { $0.count == 5 }
            #expect(seen == [1, 4, 2, 0, 3])
            #expect(MonotonicTime.now - start >= .milliseconds(90))
        }
    }

    @Test func `a handler may schedule itself again, and cancel another that is due`() async throws {
        try await withLoop { loop in
            let rounds = Facts(0)
            try await loop.run {
                let repeating = Repeating(loop, rounds)
                loop.schedule(repeating, after: .milliseconds(1))
            }
            await rounds.wait { $0 == 20 }
            let fired = Facts<[Int]>([])
            try await loop.run {
                let pair = Pair(loop, fired)
                pair.schedule()
            }
            // Both were due at once; the first to fire cancelled the other.
            let done = Facts(false)
            try await loop.run { _ = loop.schedule(Alarm { done.change { $0 = true } }, after: .milliseconds(30)) }
            await done.wait { $0 }
            #expect(fired.value.count == 1)
        }
    }

    private final class Repeating: TimerHandler {
        private let loop: EventLoop
        private let rounds: Facts<Int>

        init(_ loop: EventLoop, _ rounds: Facts<Int>) {
            self.loop = loop
            self.rounds = rounds
        }

        func timerFired(_ now: MonotonicTime) {
            rounds.change { $0 += 1 }
            if rounds.value < 20 { loop.schedule(self, after: .zero) }
        }
    }

    private final class Pair {
        private let loop: EventLoop
        private let fired: Facts<[Int]>
        private var tokens: [TimerToken] = []

        init(_ loop: EventLoop, _ fired: Facts<[Int]>) {
            self.loop = loop
            self.fired = fired
        }

        func schedule() {
            tokens = (0..<2).map { number in
                loop.schedule(
                    Alarm {
                        self.fired.change { $0.append(number) }
                        for token in self.tokens { self.loop.cancel(token) }
                    }, after: .milliseconds(8))
            }
        }
    }

    @Test func `a loop with far timers sleeps`() async throws {
        try await withLoop { loop in
            let turns = Facts(0)
            try await loop.run {
                for number in 0..<10_000 {
                    loop.schedule(Alarm {}, after: .seconds(60) + .milliseconds(number))
                }
                loop.atTurnEnd { turns.change { $0 += 1 } }
            }
            let done = Facts(false)
            try await loop.run { _ = loop.schedule(Alarm { done.change { $0 = true } }, after: .milliseconds(100)) }
            await done.wait { $0 }
            #expect(turns.value <= 3)
        }
    }

    @Test func `signals are delivered on the loop`() async throws {
        try await withLoop { loop in
            let signals = Facts<[CInt]>([])
            try await loop.run {
                // Blocked and raised in the loop's own thread only: the test program's others stay as they are.
                blockSignals([SIGUSR1, SIGUSR2])
                _ = try SignalSource(on: loop, signals: [SIGUSR1, SIGUSR2]) { number in
                    #expect(loop.isCurrent)
                    signals.change { $0.append(number) }
                }
                raise(SIGUSR1)
                raise(SIGUSR2)
            }
            #expect(await signals.wait { $0.count == 2 }.sorted() == [SIGUSR1, SIGUSR2].sorted())
        }
    }

    @Test func `the limit of descriptors is raised to the hard one, and never lowered`() {
        let first = raiseDescriptorLimit()
        #expect(first >= 64)
        #expect(raiseDescriptorLimit() == first)
    }

    @Test(arguments: [
        (Duration.seconds(1), 1_000_001_000 as UInt64), (.nanoseconds(-1), 999), (.seconds(-5), 0), (.zero, 1_000),
        (.seconds(Int64.max), .max), (.seconds(Int64.min), 0),
    ])
    func `times are added without overflow`(duration: Duration, sum: UInt64) {
        let time = MonotonicTime(nanoseconds: 1_000) + duration
        if sum == .max { #expect(time.nanoseconds >= UInt64(Int64.max)) } else { #expect(time.nanoseconds == sum) }
    }
}
