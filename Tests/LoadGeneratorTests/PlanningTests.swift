import Testing

@testable import LoadGenerator

@Suite struct ScheduleTests {
    private func all(_ schedule: Schedule) -> [UInt64] {
        var schedule = schedule
        var times: [UInt64] = []
        while let due = schedule.nextDue {
            times.append(due)
            schedule.advance()
        }
        return times
    }

    @Test func `A constant schedule is equally spaced from the start, without drift`() {
        let times = all(Schedule(.constant, rate: 3, duration: .seconds(3600), seed: 1))
        #expect(times.count == 10_800)
        #expect(times.prefix(4) == [0, 333_333_333, 666_666_666, 1_000_000_000])
        #expect(times[9000] == 3_000_000_000_000)
    }

    @Test func `A Poisson schedule has the rate, and distances spread as an exponential distribution's`() {
        let times = all(Schedule(.poisson, rate: 1000, duration: .seconds(60), seed: 42))
        // 60,000 expected, standard deviation 245.
        #expect((58_500...61_500).contains(times.count))
        let gaps = zip(times, times.dropFirst()).map { Double($1 - $0) / 1e6 }
        let mean = gaps.reduce(0, +) / Double(gaps.count)
        let variance = gaps.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(gaps.count)
        #expect(abs(mean - 1) < 0.03)
        #expect(abs(variance - 1) < 0.08)
        #expect(times == all(Schedule(.poisson, rate: 1000, duration: .seconds(60), seed: 42)))
        #expect(times != all(Schedule(.poisson, rate: 1000, duration: .seconds(60), seed: 43)))
    }
}

@Suite struct TargetTests {
    @Test(arguments: [
        ("ws://127.0.0.1:8080", "ws://127.0.0.1:8080/v1/ws"),
        ("ws://localhost", "ws://localhost:80/v1/ws"),
        ("wss://example.org/", "wss://example.org:443/v1/ws"),
        ("ws://[::1]:9000/other", "ws://[::1]:9000/other"),
    ])
    func `A URL names host, port and path`(url: String, full: String) throws {
        let target = try Target(url)
        #expect(target.url == full)
    }

    @Test(arguments: [
        "", "127.0.0.1:8080", "http://127.0.0.1:8080", "ws://", "ws://:80", "ws://h:0", "ws://h:65536", "ws://h:x",
        "ws://[::1", "ws://[::1]x", "ws://h/p?user=a", "ws://user@h", "ws://h/a b", "ws://h/#f",
    ])
    func `What is no URL of a broker is refused`(url: String) {
        #expect(throws: Target.Problem.self) { try Target(url) }
    }
}

@Suite struct ThresholdTests {
    @Test(arguments: [
        ("p99>50ms", "latency_ms.p99", 50.0), ("p99.9 >= 1.5s", "latency_ms.p99.9", 1500),
        ("max>800us", "latency_ms.max", 0.8),
        ("lost>0", "lost", 0), ("ack_ms.p50>7", "ack_ms.p50", 7),
        ("delivered.per_second<10k", "delivered.per_second", 10000),
        ("server.rss_bytes>64MiB", "server.rss_bytes", 67_108_864),
        ("generator.cpu_percent>50%", "generator.cpu_percent", 50),
        ("connections.opened!=100", "connections.opened", 100),
    ])
    func `An expression names a metric and a bound in its unit`(text: String, metric: String, bound: Double) throws {
        let threshold = try Threshold(text, scenario: .fanout)
        #expect(threshold.metric.name == metric)
        #expect(threshold.bound == bound)
        #expect(threshold.text == text)
    }

    @Test func `Short names mean the scenario's main latency`() throws {
        #expect(try Threshold("p50>1", scenario: .idle).metric.name == "welcome_ms.p50")
    }

    @Test(arguments: [
        "", "p99", "p99>", ">5", "p99>fast", "p99>5m", "p98>5", "lost>1ms", "p99=>5", "p99>5>6", "nonsense>1", "p99>-1",
        "p99>1.", "p99>1e3", "published.acked>1/s",
    ])
    func `What is no comparison is refused`(text: String) {
        #expect(throws: Threshold.Problem.self) { try Threshold(text, scenario: .fanout) }
    }

    @Test func `A metric of another scenario is refused by name`() {
        #expect(throws: Threshold.Problem.self) { try Threshold("lost>0", scenario: .idle) }
    }

    @Test(arguments: [
        (">", [false, false, true]), (">=", [false, true, true]), ("<", [true, false, false]),
        ("<=", [true, true, false]),
        ("==", [false, true, false]), ("!=", [true, false, true]),
    ])
    func `It is broken where the comparison holds`(comparison: String, expected: [Bool]) throws {
        let threshold = try Threshold("p99\(comparison)5", scenario: .fanout)
        #expect([4.0, 5.0, 6.0].map { threshold.isBroken(by: $0) } == expected)
    }

    @Test func `What was never measured breaks it`() throws {
        #expect(try Threshold("p99>5", scenario: .fanout).isBroken(by: nil))
    }
}
