import Testing

import class Transport.EventLoop

@testable import LoadGenerator

@Suite struct LoopWatchTests {
    @Test func `A loop that is held up is noticed once, whenever it is asked`() throws {
        let loop = try EventLoop(name: "watched")
        let watch = LoopBound(LoopWatch(on: loop), on: loop)
        let told = Inbox<[UInt64]>()
        let later = Clock.now() + 600_000_000_000
        watch.run { watch in
            watch.begin()
            told.post([watch.take(at: later), watch.take(at: later), watch.take(at: later + 5)])
        }
        loop.start()
        var delays: [UInt64] = []
        while delays.isEmpty { delays = told.take(until: Clock.now() + 1_000_000_000).first ?? [] }
        loop.stop()
        // As long as it was not asked, less the 100 ms after which its time is due.
        #expect(delays[0] > 0 && delays[0] <= 599_900_000_000)
        #expect(Array(delays[1...]) == [0, 5])
    }
}

@Suite struct StageRowTests {
    @Test func `All that is counted stands in one row, the last and partial one included`() throws {
        let plan = Plan(.idle, target: try Target("ws://127.0.0.1:8080"))
        let setting = Setting(plan, dial: try Dial(plan))
        let stage = Stage(setting, interruption: nil, gate: nil, display: nil)
        defer { stage.end() }
        let group = try stage.add("idlers") { loop in
            Idlers(0..<0, setting, connector: Connector(prefix: "sub", setting, loop: loop))
        }
        for round in 1...3 as ClosedRange<UInt64> {
            group.run { group in
                group.connector.tally.delivered += round * 10
                group.connector.tally.count("x")
            }
            stage.wait(until: Clock.now() + 600_000_000_000) { stage.rows.count >= round }
            #expect(stage.rows.reduce(0) { $0 + $1.delivered } == stage.total.delivered)
        }
        group.run { $0.connector.tally.requests += 7 }
        stage.finish()
        let rows = stage.rows
        #expect(rows.count > 3 && rows.last?.published == 7)
        #expect(rows.reduce(0) { $0 + $1.delivered } == 60 && stage.total.delivered == 60)
        #expect(rows.reduce(0) { $0 + $1.errors } == 3)
        // The rows join: each begins where the last one ended.
        #expect(zip(rows, rows.dropFirst()).allSatisfy { $0.elapsed == $1.elapsed - $1.length })
        #expect(rows.first.map { $0.elapsed == $0.length } == true)
    }

    @Test func `The first rate is that of the ramp, whoever comes back later`() {
        #expect(Ramp(opened: 50, nanoseconds: 500_000_000).perSecond == 100)
        #expect(Ramp(opened: 0, nanoseconds: 0).perSecond == 0)
    }
}

@Suite struct BalanceTests {
    @Test func `What throttled readers have not come to is apart, and what others have not is missing`() throws {
        var plan = Plan(.fanout, target: try Target("ws://127.0.0.1:8080"))
        plan.subscribers = 10
        plan.faults = [.throttled(percent: 10, bytesPerSecond: 1000)]
        let setting = Setting(plan, dial: try Dial(plan))
        let loop = try EventLoop(name: "readers")
        let group = Subscribers(0..<10, setting, connector: Connector(prefix: "sub", setting, loop: loop))
        let throttled = group.readers.indices.filter { group.readers[$0].isThrottled }
        #expect(throttled.contains(0) && throttled.count < 10)
        for index in group.readers.indices {
            var checker = SequenceChecker(subscribed: 0)
            _ = checker.see(1)
            // A gap is a loss for all of them.
            _ = checker.see(3)
            group.readers[index].checker = checker
        }
        let balance = group.balance(through: [10])
        let behind = UInt64(throttled.count)
        #expect(balance.behind == behind * 7)
        #expect(balance.missing == 10 + (10 - behind) * 7)
        #expect(balance.expected == behind * 3 + (10 - behind) * 10)
        group.connector.close()
    }
}
