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
        let times = all(Schedule(.constant, Profile(rate: 3, for: .seconds(3600)), seed: 1))
        #expect(times.count == 10_800)
        #expect(times.prefix(4) == [0, 333_333_333, 666_666_666, 1_000_000_000])
        #expect(times[9000] == 3_000_000_000_000)
    }

    @Test func `A Poisson schedule has the rate, and distances spread as an exponential distribution's`() {
        let profile = Profile(rate: 1000, for: .seconds(60))
        let times = all(Schedule(.poisson, profile, seed: 42))
        // 60,000 expected, standard deviation 245.
        #expect((58_500...61_500).contains(times.count))
        let gaps = zip(times, times.dropFirst()).map { Double($1 - $0) / 1e6 }
        let mean = gaps.reduce(0, +) / Double(gaps.count)
        let variance = gaps.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(gaps.count)
        #expect(abs(mean - 1) < 0.03)
        #expect(abs(variance - 1) < 0.08)
        #expect(times == all(Schedule(.poisson, profile, seed: 42)))
        #expect(times != all(Schedule(.poisson, profile, seed: 43)))
    }

    @Test func `A ramp's rate grows evenly, and a burst is due at one moment`() throws {
        let profile = try Profile("0-100@10s,0@1s,+50,100@1s", duration: readSeconds)
        #expect(profile.length == .seconds(12))
        let times = all(Schedule(.constant, profile, seed: 1))
        // 500 of the ramp, 50 at once, 100 more.
        #expect(times.count == 650)
        // Half of the time has a quarter of a ramp from nothing.
        #expect(times.count { $0 < 5_000_000_000 } == 125)
        #expect(times.count { $0 == 11_000_000_000 } == 51, "the burst, and the first of what follows")
        #expect(times == times.sorted())
    }

    @Test func `A burst at the very end is sent`() throws {
        let times = all(Schedule(.constant, try Profile("10@1s,+5", duration: readSeconds), seed: 1))
        #expect(
            times.count == 15
                && times.suffix(5) == [1_000_000_000, 1_000_000_000, 1_000_000_000, 1_000_000_000, 1_000_000_000])
    }

    @Test(arguments: ["100@5s", "100-1000@10s,0@2s,+500"])
    func `A profile is told as it is typed`(text: String) throws {
        #expect(try Profile(text, duration: readSeconds).text == text)
    }

    @Test(arguments: [
        "", "100", "100@", "@5s", "100@5s,", "-100@5s", "100-@5s", "1-2-3@5s", "fast@5s", "100@0s", "+", "+0", "+1e9",
        "300000@1s", "0@5s", "+5", "100@90000s",
    ])
    func `What is no profile is refused`(text: String) {
        #expect(throws: Profile.Problem.self) { try Profile(text, duration: readSeconds) }
    }
}

private func readSeconds(_ text: String) -> Duration? {
    text.hasSuffix("s") ? Double(text.dropLast()).map { .seconds($0) } : nil
}

@Suite struct ZipfTests {
    @Test func `The n-th is picked as often as 1 / n says`() {
        var generator = SeededGenerator(seed: 5)
        let law = Zipf(count: 4, exponent: 1)
        var counts = [0, 0, 0, 0]
        for _ in 0..<25_000 { counts[law.pick(using: &generator)] += 1 }
        // Of 25: 12, 6, 4, 3.
        for (count, share) in zip(counts, [12_000, 6000, 4000, 3000]) { #expect(abs(count - share) < 400) }
    }

    @Test func `The exponent 0 makes all equally likely, and one thing is always picked`() {
        var generator = SeededGenerator(seed: 6)
        let law = Zipf(count: 5, exponent: 0)
        var counts = [0, 0, 0, 0, 0]
        for _ in 0..<25_000 { counts[law.pick(using: &generator)] += 1 }
        for count in counts { #expect(abs(count - 5000) < 350) }
        #expect(Zipf(count: 1, exponent: 3).pick(using: &generator) == 0)
    }
}

@Suite struct FaultTests {
    @Test(arguments: [
        ("reset=5", Fault.resets(perSecond: 5)), ("half-open=20", .halfOpen(connections: 20)),
        ("bytewise=10%", .bytewise(percent: 10)), ("throttle=5%@2k", .throttled(percent: 5, bytesPerSecond: 2000)),
        ("pause=3s+1s", .pause(after: .seconds(3), for: .seconds(1))),
    ])
    func `A fault is read from its word`(text: String, fault: Fault) throws {
        #expect(try Fault(text, duration: readSeconds) == fault)
    }

    @Test(arguments: [
        "", "reset", "reset=", "reset=0", "bytewise=10", "bytewise=101%", "throttle=5%", "pause=3s", "pause=3s+0s",
        "rain=1",
    ])
    func `What is no fault is refused`(text: String) {
        #expect(throws: Fault.Problem.self) { try Fault(text, duration: readSeconds) }
    }
}

@Suite struct MetricsAddressTests {
    @Test(arguments: [
        ("http://127.0.0.1:8080", "127.0.0.1:8080", "/metrics"), ("http://h/m?x=1", "h:80", "/m?x=1"),
    ])
    func `A URL names host, port and path`(url: String, authority: String, path: String) throws {
        let address = try MetricsAddress(url)
        #expect(address.authority == authority && address.path == path)
    }

    @Test(arguments: ["", "https://h", "http://", "http://h/a b", "127.0.0.1:80"])
    func `What is no such URL is refused`(url: String) {
        #expect(throws: Target.Problem.self) { try MetricsAddress(url) }
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nA: b\r\n\r\nfanfare_queue_bytes 7\n", Scraper.Answer.waiting(7)),
        ("HTTP/1.1 200 OK\r\n\r\nother 7\n", .silent),
        ("HTTP/1.1 401 Unauthorized\r\n\r\nfanfare_queue_bytes 7\n", .unreadable("it answers with 401")),
        ("fanfare_queue_bytes 7\n", .unreadable("it does not answer by HTTP")),
    ])
    func `What cannot be read is told from what says nothing`(page: String, answer: Scraper.Answer) {
        #expect(Scraper.answer(in: page) == answer)
    }

    @Test func `Metrics that nobody serves are refused before the run`() throws {
        var plan = Plan(.fanout, target: try Target("ws://127.0.0.1:1"))
        plan.metrics = try MetricsAddress("http://127.0.0.1:1/metrics")
        #expect {
            try plan.run()
        } throws: { error in
            guard case LoadError.contradiction(let words) = error else { return false }
            return words.hasPrefix("--metrics: http://127.0.0.1:1/metrics cannot be read: ")
        }
    }

    @Test func `What waits is the sum of the samples that speak of it`() {
        let page =
            "# TYPE a gauge\nfanfare_queued_bytes{loop=\"0\"} 10\nfanfare_queued_bytes{loop=\"1\"} 5\nfanfare_queue_total 9\nother 7\n"
        #expect(Scraper.queueBytes(in: page) == 15)
        #expect(Scraper.queueBytes(in: "other 7\n") == nil)
    }
}

@Suite struct TargetTests {
    @Test(arguments: [
        ("ws://127.0.0.1:8080", "ws://127.0.0.1:8080/v1/ws"),
        ("ws://localhost", "ws://localhost:80/v1/ws"),
        ("wss://example.org/", "wss://example.org:443/v1/ws"),
        ("ws://[::1]:9000/other", "ws://[::1]:9000/other"),
        ("ws://h/p?user=a", "ws://h:80/p?user=a"), ("ws://h?a", "ws://h:80/?a"),
    ])
    func `A URL names host, port and path`(url: String, full: String) throws {
        let target = try Target(url)
        #expect(target.url == full)
    }

    @Test(arguments: ["ws://user:secret@127.0.0.1:8080", "wss://secret@h/p", "ws://a@secret@h"])
    func `A user and a password in a URL are refused and not said again`(url: String) {
        #expect {
            try Target(url)
        } throws: { error in
            guard let problem = error as? Target.Problem else { return false }
            return problem.message.contains("--token") && !problem.message.contains("secret")
        }
    }

    @Test(arguments: [
        "", "127.0.0.1:8080", "http://127.0.0.1:8080", "ws://", "ws://:80", "ws://h:0", "ws://h:65536", "ws://h:x",
        "ws://[::1", "ws://[::1]x", "ws://user@h", "ws://h/a b", "ws://h/#f",
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
