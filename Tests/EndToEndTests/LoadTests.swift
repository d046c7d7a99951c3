import Foundation
import Testing

/// `fanfare-load` against a real broker: each scenario does what it says, and finds nothing wrong.
@Suite struct LoadTests {
    private static let few = ["--subscribers", "20", "--publishers", "4", "--rate", "200", "--for", "1s"]

    @Test(
        "every scenario delivers all, once, in order, with counts that are right",
        arguments: [
            ["fanout"], ["fanout", "--schedule", "poisson"], ["fanout", "--channels", "4", "--loops", "2"], ["react"],
            ["react", "--channels", "5", "--zipf", "0.5", "--mix", "1:1:1"],
            ["churn", "--churn-rate", "50", "--away", "20ms"],
            ["storm", "--storms", "2"], ["resume", "--away", "100ms"], ["slow", "--slow-percent", "20"],
            ["soak", "--churn-rate", "40", "--away", "50ms"],
        ])
    func scenarios(words: [String]) async throws {
        try await BrokerProcess.run(["--store", "memory"]) { broker in
            let run = try await LoadRun.run(broker.url, words + Self.few)
            #expect(run.status == 0, "\(run.account)")
            #expect(run["published.requests"] == (words.contains("poisson") ? run["published.requests"] : 200))
            #expect(run["published.acked"] == run["published.requests"])
            #expect(
                run["lost"] == 0 && run["duplicates"] == 0 && run["reordered"] == 0 && run["after_unsubscribe"] == 0)
            #expect(run["counts_compared"] > 0 && run["counts_wrong"] == 0)
            // In the storms that a slow machine takes long to ride out, nobody is there for most of it.
            #expect(run["delivered.events"] > (words.contains("storm") ? 0 : 200), "\(run.account)")
            #expect(run["latency_ms.p50"] > 0)
        }
    }

    @Test("connections that do nothing are held, and what each costs is told")
    func idle() async throws {
        try await BrokerProcess.run(["--store", "memory"]) { broker in
            let run = try await LoadRun.run(
                broker.url,
                [
                    "idle", "--connections", "200", "--subscribe", "--for", "200ms", "--server-pid",
                    "\(broker.program.processID)",
                ])
            #expect(run.status == 0, "\(run.account)")
            #expect(run["connections.opened"] == 200)
            #expect(run["server.rss_bytes"] > 1_000_000)
        }
    }

    @Test("a storm tells how long it took until all were back")
    func storm() async throws {
        try await BrokerProcess.run(["--store", "memory"]) { broker in
            let run = try await LoadRun.run(broker.url, ["storm"] + Self.few)
            #expect(run["connections.left"] == 20, "\(run.account)")
            #expect(run["connections.opened"] == 44)
            #expect(run["reconnect_ms.max"] > 0)
        }
    }

    @Test("who resumes misses nothing, and what it missed is counted apart")
    func resume() async throws {
        try await BrokerProcess.run(["--store", "memory"]) { broker in
            let run = try await LoadRun.run(broker.url, ["resume", "--away", "200ms"] + Self.few)
            #expect(run["resumed.recovered"] == 20, "\(run.account)")
            #expect(run["resumed.refused"] == 0)
            #expect(run["resumed.replayed"] > 100, "\(run.account)")
        }
    }

    @Test("a closed loop keeps so many requests under way, and sends as fast as it is answered")
    func closed() async throws {
        try await BrokerProcess.run(["--store", "memory"]) { broker in
            let run = try await LoadRun.run(broker.url, ["--subscribers", "2", "--closed", "8", "--for", "2s"])
            #expect(run.status == 0, "\(run.account)")
            #expect(run["published.requests"] > 16, "\(run.account)")
            #expect(run["lag_ms.max"] == 0)
        }
    }

    @Test("a profile's pauses, ramps and bursts are sent as they say")
    func profile() async throws {
        try await BrokerProcess.run(["--store", "memory"]) { broker in
            let run = try await LoadRun.run(
                broker.url, ["--subscribers", "5", "--profile", "100@200ms,0@100ms,+50,0-200@300ms"])
            #expect(run.status == 0, "\(run.account)")
            #expect(run["published.requests"] == 100)
        }
    }

    @Test(
        "what goes wrong on purpose does not make a sound broker fail",
        arguments: [
            "reset=20", "bytewise=20%", "half-open=5", "throttle=10%@20k", "throttle=20%@100", "pause=300ms+300ms",
        ])
    func faults(fault: String) async throws {
        try await BrokerProcess.run(["--store", "memory"]) { broker in
            let run = try await LoadRun.run(
                broker.url, Self.few + ["--fault", fault, "--server-pid", "\(broker.program.processID)"])
            #expect(run.status == 0, "\(run.account)")
            #expect(run["lost"] == 0)
            if fault.hasPrefix("pause") { #expect(run["latency_ms.max"] > 250, "\(run.account)") }
            // A hundred bytes a second are less than one event.
            if fault == "throttle=20%@100" { #expect(run["slow.behind"] > 0, "\(run.account)") }
            if fault.hasPrefix("reset") { #expect(run["connections.left"] > 5, "\(run.account)") }
        }
    }

    @Test("the server's processor, memory and queues stand on the time line")
    func timeline() async throws {
        try await BrokerProcess.run(["--store", "memory"]) { broker in
            let metrics = broker.url.replacing("ws://", with: "http://").replacing("/v1/ws", with: "/metrics")
            let run = try await LoadRun.run(
                broker.url, ["--for", "2500ms", "--server-pid", "\(broker.program.processID)", "--metrics", metrics])
            let rows = try #require(run.report["timeline"] as? [[String: Any]])
            #expect(rows.count >= 2, "\(run.account)")
            #expect(rows.last?["server_rss_bytes"] as? Int ?? 0 > 1_000_000)
            #expect(rows.last?["published_per_second"] as? Int ?? 0 > 0)
            #expect(run.errors.contains("published/s"), "plain lines where there is no terminal")
        }
    }

    @Test("Ctrl-C or SIGTERM ends a run early with 2, and the report is still printed", arguments: [SIGINT, SIGTERM])
    func interrupted(signal: Int32) async throws {
        try await BrokerProcess.run(["--store", "memory"]) { broker in
            let program = try Program(Places.fanfareLoad, [broker.url, "--for", "50s", "--json"])
            // Two rows with all connections: a second of publishing lies between them.
            _ = try await program.wait { $0.errors.ranges(of: "      110 ").count > 1 ? true : nil }
            program.send(signal)
            let run = try await LoadRun.end(program)
            #expect(run.status == 2, "\(run.account)")
            #expect(run.report["interrupted"] as? Bool == true)
            #expect(run.report["ok"] as? Bool == false && run.failures.isEmpty, "\(run.account)")
            #expect(run["published.requests"] > 20 && run["published.requests"] < 4500)
            #expect(run["lost"] == 0)
        }
    }

    @Test(
        "a run whose generator was held up is marked invalid, with the reason, also where no schedule shows it",
        arguments: [[], ["--closed", "8"], ["idle", "--connections", "110"]])
    func invalid(kind: [String]) async throws {
        try await BrokerProcess.run(["--store", "memory"]) { broker in
            // A program of its own does it: on a busy machine a test may go on long after what it waits for.
            let path = Places.clients.appending(path: "hold_up.py").path()
            let words = [Places.fanfareLoad, broker.url, "--for", "8s", "--json"] + kind
            let run = try await LoadRun.end(try Program("/usr/bin/python3", ["-B", path] + words))
            #expect(run.report["valid"] as? Bool == false, "\(run.account)")
            #expect((run.report["doubts"] as? [String])?.first?.contains("late") == true, "\(run.account)")
            #expect(run["generator.loop_delay_ms"] > 2000, "\(run.account)")
        }
    }
}
