import Foundation
import Testing

/// Runs of `fanfare-load` that belong together: the search for a limit, and workers.
@Suite struct LoadTogetherTests {
    private static let few = [
        "--subscribers", "5", "--publishers", "2", "--rate", "100", "--for", "1s", "--drain", "500ms",
    ]

    @Test("the search for the limit ends at the knee and says what broke")
    func limit() async throws {
        try await BrokerProcess.run(["--store", "memory"]) { broker in
            let run = try await LoadRun.run(
                broker.url,
                [
                    "--find-limit", "rate", "--rate", "50", "--for", "200ms", "--subscribers", "5", "--fail-if",
                    "published.requests>30",
                ])
            #expect(run.status == 0, "\(run.account)")
            #expect((140...150).contains(run["held"]), "\(run.account)")
            #expect((151...165).contains(run["broke"]), "\(run.account)")
            #expect((run.report["reason"] as? String)?.contains("published.requests>30") == true, "\(run.account)")
        }
    }

    @Test("a search leaves its steps in the files that are asked for")
    func limitFiles() async throws {
        try await BrokerProcess.run(["--store", "memory"]) { broker in
            try await Places.withFolder { folder in
                func path(_ name: String) -> String { folder.appending(path: name).path() }
                func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }
                let run = try await LoadRun.run(
                    broker.url,
                    [
                        "--find-limit", "rate", "--rate", "50", "--for", "200ms", "--subscribers", "5", "--fail-if",
                        "published.requests>12", "--save", path("a.json"), "--csv", path("a.csv"), "--junit",
                        path("a.xml"), "--html", path("a.html"),
                    ])
                #expect(run.status == 0, "\(run.account)")
                #expect(try text("a.json") == run.output)
                let steps = try #require(run.report["steps"] as? [[String: Any]])
                #expect(try text("a.csv").split(separator: "\r\n").count == steps.count + 1)
                #expect(try text("a.xml").contains("limit: "))
                let page = try text("a.html")
                #expect(page.contains("<svg") && page.contains("published.requests&gt;12"))
            }
        }
    }

    @Test("a search that is interrupted has found no limit, says so, and ends with 2")
    func limitInterrupted() async throws {
        try await BrokerProcess.run(["--store", "memory"]) { broker in
            let words = ["--find-limit", "rate", "--rate", "20", "--for", "2s", "--fail-if", "p99>600s"]
            let program = try Program(Places.fanfareLoad, [broker.url] + words)
            _ = try await program.wait { $0.errors.contains("holds") ? true : nil }
            program.send(SIGTERM)
            let (status, record) = await program.end()
            #expect(status == 2, "\(record.output)\(record.errors)")
            #expect(record.output.hasPrefix("interrupted: the limit was not found"), "\(record.output)")
            #expect(!record.output.contains("nothing broke"))
        }
    }

    /// Starts workers, and ends them by force behind the body.
    private func withWorkers(_ count: Int, _ body: ([Program], [String]) async throws -> Void) async throws {
        var workers: [Program] = []
        var addresses: [String] = []
        defer { for worker in workers { worker.send(SIGKILL) } }
        for _ in 0..<count {
            let worker = try Program(Places.fanfareLoad, ["worker", "--listen", "127.0.0.1:0"])
            workers.append(worker)
            addresses.append(
                try await worker.wait { record in
                    record.errors.split(separator: "\n").first { $0.hasPrefix("listening on ") }.map {
                        String($0.dropFirst(13))
                    }
                })
        }
        try await body(workers, addresses)
    }

    @Test("a worker that dies leaves the others' result, which is marked incomplete")
    func workerDies() async throws {
        try await BrokerProcess.run(["--store", "memory"]) { broker in
            try await withWorkers(2) { workers, addresses in
                let words = Self.few.map { $0 == "1s" ? "20s" : $0 } + addresses.flatMap { ["--worker", $0] }
                let program = try Program(Places.fanfareLoad, [broker.url, "--json"] + words)
                _ = try await program.wait { $0.errors.contains("start together") ? true : nil }
                workers[1].send(SIGKILL)
                let run = try await LoadRun.end(program)
                #expect(run.status == 1, "\(run.account)")
                #expect(run.report["incomplete"] as? Bool == true && run.report["ok"] as? Bool == false)
                #expect(run.failures.first?.contains(addresses[1]) == true, "\(run.account)")
                #expect(run["connections.opened"] == 7 && run["published.requests"] == 2000, "\(run.account)")
            }
        }
    }

    @Test("a coordinator ends on SIGTERM with what its workers have found; a worker is one's at a time")
    func coordinatorInterrupted() async throws {
        try await BrokerProcess.run(["--store", "memory"]) { broker in
            try await withWorkers(1) { _, addresses in
                let words = [broker.url, "--json", "--worker", addresses[0], "--for", "200s"]
                let program = try Program(Places.fanfareLoad, words)
                _ = try await program.wait { $0.errors.contains("start together") ? true : nil }
                let other = await (try Program(Places.fanfareLoad, words)).end()
                #expect(other.status == 2 && other.record.errors.contains("busy with another run"), "\(other.record)")
                program.send(SIGTERM)
                let run = try await LoadRun.end(program)
                #expect(run.status == 2, "\(run.account)")
                #expect(run.report["interrupted"] as? Bool == true && run.report["ok"] as? Bool == false)
                #expect((run.report["notes"] as? [String])?.first?.hasPrefix("1 worker,") == true, "\(run.account)")
            }
        }
    }

    @Test("several workers start together, and what they find is one report")
    func workers() async throws {
        try await BrokerProcess.run(["--store", "memory"]) { broker in
            var workers: [Program] = []
            var addresses: [String] = []
            defer { for worker in workers { worker.send(SIGKILL) } }
            for _ in 0..<2 {
                let worker = try Program(Places.fanfareLoad, ["worker", "--listen", "127.0.0.1:0"])
                workers.append(worker)
                addresses.append(
                    try await worker.wait { record in
                        record.errors.split(separator: "\n").first { $0.hasPrefix("listening on ") }.map {
                            String($0.dropFirst(13))
                        }
                    })
            }
            let words = addresses.flatMap { ["--worker", $0] }
            let run = try await LoadRun.run(broker.url, Self.few + words)
            #expect(run.status == 0, "\(run.account)")
            #expect(run["connections.opened"] == 14)
            #expect(run["published.requests"] == 200)
            // Each subscriber has the events of both, and both know it.
            #expect(run["delivered.events"] == 2_000, "\(run.account)")
            #expect(run["delivered.expected"] == 2_000, "\(run.account)")
            #expect((run.report["notes"] as? [String])?.first?.contains("clock error") == true, "\(run.account)")

            let far = try await LoadRun.run("ws://192.0.2.1:80", ["--allow-remote"] + words)
            #expect(far.status == 2, "\(far.account)")
            #expect(far.errors.contains("192.0.2.1 is not this machine"), "\(far.account)")

            workers[0].send(SIGINT)
            #expect(await workers[0].end().status == 0)
        }
    }
}
