import Foundation
import Testing

/// What `fanfare-load` says of brokers that are wrong, and how it says it.
@Suite struct LoadVerdictTests {
    private static let few = [
        "--subscribers", "5", "--publishers", "2", "--rate", "100", "--for", "1s", "--drain", "500ms",
    ]

    @Test(
        "a broker without a fault passes", arguments: ["fanout", "react", "churn", "storm", "resume", "slow", "soak"])
    func sound(scenario: String) async throws {
        try await withFaultyBroker("none") { url in
            // Nothing is waited for in vain, so a long wait only helps a slow machine.
            let run = try await LoadRun.run(url, [scenario] + Self.few.map { $0 == "500ms" ? "30s" : $0 })
            #expect(run.status == 0, "\(run.account)")
            #expect(run["counts_compared"] > 0)
            #expect(run["event_counts_compared"] > 0 && run["event_counts_wrong"] == 0, "\(run.account)")
        }
    }

    @Test(
        "each fault is noticed and named",
        arguments: [
            ("lose", "fanout", "lost"), ("lose", "react", "lost"), ("repeat", "fanout", "duplicates"),
            ("repeat", "react", "duplicates"), ("reorder", "fanout", "reordered"), ("reorder", "react", "reordered"),
            ("after-unsubscribe", "churn", "after_unsubscribe"), ("after-unsubscribe", "soak", "after_unsubscribe"),
            ("wrong-counts", "fanout", "counts_wrong"), ("wrong-counts", "react", "counts_wrong"),
            ("no-ack", "fanout", "errors"), ("wrong-result", "react", "errors"), ("false-recovery", "resume", "lost"),
            ("wrong-event-count", "fanout", "event_counts_wrong"), ("wrong-event-users", "react", "event_counts_wrong"),
            ("wrong-event-total", "churn", "event_counts_wrong"), ("wrong-for-some", "fanout", "event_counts_wrong"),
            ("drop", "fanout", "connections.dropped"), ("lose", "storm", "lost"), ("lose", "slow", "lost"),
        ])
    func faulty(fault: String, scenario: String, metric: String) async throws {
        try await withFaultyBroker(fault) { url in
            var run = try await LoadRun.run(url, [scenario] + Self.few)
            // A slow machine may not come to what goes wrong within a second.
            if run[metric] == 0 {
                run = try await LoadRun.run(url, [scenario] + Self.few.map { $0 == "1s" ? "10s" : $0 })
            }
            #expect(run.status == 1, "\(run.account)")
            #expect(run[metric] > 0, "\(run.account)")
            let words = metric.replacing(/[._]/, with: " ")
            #expect(run.failures.contains { $0.hasPrefix(words) }, "\(run.account)")
        }
    }

    @Test(
        "what summaries add up to is checked for each subscriber",
        arguments: [("none", ""), ("lose", "lost"), ("repeat", "duplicates")])
    func summaries(fault: String, metric: String) async throws {
        try await withFaultyBroker(fault) { url in
            // What is lost is waited for in vain.
            let drain = fault == "lose" ? "20s" : "60s"
            let words = ["--subscribers", "5", "--publishers", "2", "--rate", "100", "--for", "1s", "--drain", drain]
            let run = try await LoadRun.run(url, words + ["--mode", "summary"])
            #expect(run.status == (metric.isEmpty ? 0 : 1), "\(run.account)")
            // Two messages, asked for once and known to five.
            #expect(run["counts_compared"] == 12, "\(run.account)")
            if metric.isEmpty { #expect(run["delivered.events"] == 500, "\(run.account)") }
            if !metric.isEmpty { #expect(run[metric] > 0, "\(run.account)") }
        }
    }

    @Test(
        "a server of another kind is measured and checked by markers",
        arguments: [("none", ""), ("lose", "lost"), ("repeat", "duplicates"), ("reorder", "reordered")])
    func raw(fault: String, metric: String) async throws {
        try await withFaultyBroker(fault) { url in
            let words = [
                "raw", "--raw-subscribe", #"{"type":"subscribe","id":{n},"channel":"{channel}"}"#, "--raw-publish",
                #"{"type":"add","id":{n},"channel":"{channel}","message":"m{n}","reaction":"x","data":{"m":"{marker}"}}"#,
                "--subscribers", "5", "--rate", "100", "--for", "1s", "--drain", metric == "lost" ? "20s" : "60s",
            ]
            let run = try await LoadRun.run(url, words)
            #expect(run.status == (metric.isEmpty ? 0 : 1), "\(run.account)")
            #expect(run["delivered.expected"] == 500)
            if metric.isEmpty { #expect(run["delivered.events"] == 500 && run["latency_ms.p50"] > 0) }
            if !metric.isEmpty { #expect(run[metric] > 0, "\(run.account)") }
        }
    }

    @Test("servers of binary and of text protocols are spoken to in their own words")
    func otherServers() async throws {
        try await runClient("other_servers.py", Places.fanfare, Places.fanfareLoad)
    }

    @Test("a threshold that breaks ends with 1, and one that holds with 0")
    func thresholds() async throws {
        try await BrokerProcess.run(["--store", "memory"]) { broker in
            let words = ["--for", "300ms", "--subscribers", "5"]
            #expect(try await LoadRun.run(broker.url, words + ["--fail-if", "p99>30s"]).status == 0)
            let run = try await LoadRun.run(broker.url, words + ["--fail-if", "p99>1us"])
            #expect(run.status == 1)
            #expect(run.failures.first?.contains("p99>1us") == true, "\(run.account)")
        }
    }

    @Test(
        "what cannot be run ends with 2 and one line that says why",
        arguments: [
            ([], "URL"), (["http://127.0.0.1:1"], "ws://"), (["ws://127.0.0.1:1"], "cannot connect"),
            (["ws://127.0.0.1:1?user=ada"], "--user"),
            (["ws://127.0.0.1:1", "nonsense"], "nonsense"), (["ws://127.0.0.1:1", "--rate", "fast"], "--rate"),
            (["ws://127.0.0.1:1", "--profile", "100@"], "100@"),
            (["ws://127.0.0.1:1", "--profile", "1@1s", "--for", "2s"], "--for"),
            (["ws://127.0.0.1:1", "--closed", "5", "--rate", "5"], "--rate"),
            (["ws://127.0.0.1:1", "--fault", "rain=5"], "rain=5"),
            (["ws://127.0.0.1:1", "idle", "--rate", "5"], "--rate"),
            (["ws://127.0.0.1:1", "--fault", "pause=1s+1s"], "--server-pid"),
            (["ws://127.0.0.1:1", "--subscribers", "900k"], "descriptors"), (["ws://192.0.2.1:80"], "--allow-remote"),
            (["ws://127.0.0.1:1", "react", "--mix", "1:2"], "--mix"),
            (["ws://127.0.0.1:1", "--fail-if", "p98>1"], "p98"),
            (["ws://127.0.0.1:1", "--html", "/dev/null/run.html"], "--html"),
            (["ws://127.0.0.1:1", "--source", "banana"], "--source"), (["ws://ada:secret@127.0.0.1:1"], "--token"),
            (["ws://127.0.0.1:1", "--save", "same.x", "--csv", "./same.x"], "same file"),
            (["ws://127.0.0.1:1", "--worker", "127.0.0.1:9", "--worker", "127.0.0.1:9"], "one and the same"),
            (["ws://127.0.0.1:1", "--worker", "127.0.0.1:9", "--csv", "x.csv"], "--csv"),
            (["ws://127.0.0.1:1", "--fault", "pause=1h+1s", "--server-pid", "1"], "comes after"),
            (["ws://127.0.0.1:1", "--fault", "throttle=1%@1k", "--fault", "throttle=2%@2k"], "throttle"),
            (["ws://127.0.0.1:1", "--metrics", "http://127.0.0.1:1"], "cannot be read"),
            (["ws://127.0.0.1:1", "--find-limit", "rate", "--closed", "5"], "--closed"),
            (["ws://127.0.0.1:1", "--find-limit", "rate", "--html", "/dev/null/run.html"], "--html"),
            (["ws://127.0.0.1:1", "--insecure"], "--insecure"), (["ws://127.0.0.1:1", "raw", "--user", "a"], "--user"),
            (["ws://127.0.0.1:1", "idle", "--channel", "a"], "--subscribe"),
            (["ws://127.0.0.1:1", "--reactions", "👍,🎉"], "--reactions"),
            (["ws://127.0.0.1:1", "--progress"], "--progress"),
            (["compare", "/dev/null/a.json", "/dev/null/b.json"], "/dev/null/a.json"), (["compare"], "BEFORE"),
        ])
    func refusals(words: [String], named: String) async throws {
        let (status, record) = await
            (try Program(Places.fanfareLoad, words + (words.first == "compare" ? [] : ["--quiet"]))).end()
        #expect(status == 2, "\(record.errors)")
        #expect(record.output.isEmpty)
        #expect(record.errors.contains(named), "\(record.errors)")
        #expect(record.errors.split(separator: "\n").count == 1, "\(record.errors)")
    }

    @Test("a run that comes to nothing leaves no file that was not there, and one that was as it was")
    func noFiles() async throws {
        try await Places.withFolder { folder in
            func path(_ name: String) -> String { folder.appending(path: name).path() }
            try "before".write(toFile: path("a.csv"), atomically: true, encoding: .utf8)
            let words = [
                "ws://127.0.0.1:1", "--for", "1s", "--save", path("a.json"), "--csv", path("a.csv"), "--quiet",
            ]
            let (status, record) = await (try Program(Places.fanfareLoad, words)).end()
            #expect(status != 0, "\(record.output)")
            #expect(!FileManager.default.fileExists(atPath: path("a.json")))
            #expect(try String(contentsOfFile: path("a.csv"), encoding: .utf8) == "before")
        }
    }

    @Test("files: JSON, CSV, JUnit and a page; and two reports compared")
    func files() async throws {
        try await BrokerProcess.run(["--store", "memory"]) { broker in
            try await Places.withFolder { folder in
                func path(_ name: String) -> String { folder.appending(path: name).path() }
                func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }
                for name in ["a.json", "b.json"] {
                    let words = [
                        broker.url, "--for", "1500ms", "--save", path(name), "--csv", path("run.csv"), "--junit",
                        path("run.xml"), "--html", path("run.html"), "--fail-if", "p99>30s",
                    ]
                    let (status, record) = await (try Program(Places.fanfareLoad, words)).end()
                    #expect(status == 0, "\(record.errors)")
                    // A machine that is busy with other tests makes a run invalid, but not wrong.
                    let isFine = record.output.hasSuffix("\nok\n") || record.output.contains("\nINVALID: ")
                    #expect(isFine, "\(record.output)")
                }
                #expect(try text("run.csv").hasPrefix("seconds,connected,"))
                #expect(try text("run.csv").split(separator: "\r\n").count >= 2)
                #expect(try text("run.xml").contains(#" failures="0" "#))
                let page = try text("run.html")
                #expect(page.contains("<svg") && page.contains("Latency by percentile") && page.hasSuffix("</html>\n"))
                #expect(!page.contains("src=") && !page.contains("href="), "one file, nothing else is loaded")

                let compare = ["compare", path("a.json"), path("b.json")]
                let same = await (try Program(Places.fanfareLoad, compare + ["--fail-if", "published.requests>+10%"]))
                    .end()
                #expect(same.status == 0, "\(same.record.output)\(same.record.errors)")
                let broken = await
                    (try Program(Places.fanfareLoad, compare + ["--fail-if", "published.requests<+10%"])).end()
                #expect(broken.status == 1, "\(broken.record.output)")
                #expect(broken.record.output.contains("FAILED: published.requests<+10% broke"))
            }
        }
    }
}
