import Foundation
import Testing

/// Whether what `fanfare-load` writes agrees with itself, and with what the broker has counted.
@Suite struct LoadOutputTests {
    @Test("the seconds add up to the totals, also those that are not whole", arguments: ["2300ms", "400ms"])
    func rows(length: String) async throws {
        try await BrokerProcess.run(["--store", "memory"]) { broker in
            try await Places.withFolder { folder in
                let path = folder.appending(path: "run.csv").path()
                let words = ["--subscribers", "20", "--rate", "200", "--for", length, "--csv", path]
                let run = try await LoadRun.run(broker.url, words)
                #expect(run.status == 0, "\(run.account)")
                let rows = try #require(run.report["timeline"] as? [[String: Any]])
                let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\r\n").map {
                    $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
                }
                #expect(lines.count == rows.count + 1)
                for (column, total) in [
                    ("opened", "connections.opened"), ("published", "published.requests"),
                    ("acked", "published.acked"), ("delivered", "delivered.events"),
                ] {
                    #expect(
                        rows.reduce(0) { $0 + ($1[column] as? Double ?? 0) } == run[total], "\(column): \(run.account)")
                    let place = try #require(lines[0].firstIndex(of: column))
                    #expect(lines[1...].reduce(0) { $0 + (Double($1[place]) ?? 0) } == run[total], "\(column)")
                }
            }
        }
    }

    @Test("what was published and delivered is within 5 % of what the broker has counted")
    func agreement() async throws {
        try await BrokerProcess.run(["--store", "memory"]) { broker in
            let metrics = broker.url.replacing("ws://", with: "http://").replacing("/v1/ws", with: "/metrics")
            let run = try await LoadRun.run(
                broker.url, ["--subscribers", "20", "--rate", "200", "--for", "2s", "--metrics", metrics])
            #expect(run.status == 0, "\(run.account)")
            let fetch = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())"
            let page = await (try Program("/usr/bin/python3", ["-c", fetch, metrics])).end().record.output
            for (own, name) in [
                ("published.acked", "fanfare_events_total "), ("delivered.events", "fanfare_deliveries_total "),
            ] {
                let line = try #require(page.split(separator: "\n").first { $0.hasPrefix(name) }, "\(page)")
                let counted = try #require(Double(line.dropFirst(name.count)))
                #expect(counted > 100 && abs(run[own] - counted) <= 0.05 * counted, "\(own) \(run[own]), \(line)")
            }
        }
    }

    @Test("who is refused for want of a token is told how to give one")
    func unauthorized() async throws {
        try await withFaultyBroker("unauthorized") { url in
            let run = try await LoadRun.run(url, ["--for", "1s", "--quiet"])
            #expect(run.status == 2 && run.errors.contains("--token"), "\(run.account)")
            let other = try await LoadRun.run(url, ["--for", "1s", "--quiet", "--token", "wrong"])
            #expect(other.status == 2 && other.errors.contains("does not accept the token"), "\(other.account)")
        }
    }

    @Test("what was to happen on purpose and did not is noted")
    func notes() async throws {
        try await BrokerProcess.run(["--store", "memory"]) { broker in
            let words = ["slow", "--subscribers", "5", "--rate", "10", "--for", "1s"]
            let run = try await LoadRun.run(broker.url, words)
            #expect(run.status == 0, "\(run.account)")
            #expect((run.report["notes"] as? [String])?.first?.hasPrefix("slow: no reader") == true, "\(run.account)")
        }
    }

    @Test("--help says what each exit code means")
    func help() async throws {
        let (status, record) = await (try Program(Places.fanfareLoad, ["--help"])).end()
        #expect(status == 0)
        let codes = try #require(record.output.split(separator: "Exit status:\n").last)
        #expect(codes.contains("\n  2    ") && codes.contains("SIGTERM"), "\(record.output)")
    }
}
