import Foundation
import Testing

/// What operators look at: status, dashboard, `fanfare top`, alert rules, graphs, traces in the log.
@Suite struct OperationsTests {
    static let serverKey = "a-server-key-of-more-than-16-bytes"

    /// Runs a broker for users with tokens; gives what it logged.
    private func run(
        _ settings: String, words: [String] = [], _ body: (BrokerProcess, URL) async throws -> Void
    ) async throws -> String {
        try await Places.withFolder { folder in
            let file = folder.appending(path: "settings.json")
            try Data(settings.utf8).write(to: file)
            let words =
                words + [
                    "--config", file.path(), "--listen", "127.0.0.1:0", "--data", folder.appending(path: "data").path(),
                ]
            var program: Program?
            try await BrokerProcess.run(only: words) { broker in
                program = broker.program
                try await body(broker, folder)
            }
            return try #require(await program?.end().record.errors)
        }
    }

    @Test("alert rules, graphs and the page of metrics are true to /metrics")
    func metrics() async throws {
        let settings = """
            {"namespaces": {"chat": {
                "webhook": {"url": "http://127.0.0.1:1/", "secret": "s"},
                "hooks": {"react": {"url": "http://127.0.0.1:1/", "secret": "s", "when_down": "allow"}}}}}
            """
        _ = try await run(settings, words: ["--dev"]) { broker, _ in
            try await runClient(
                "operations.py", broker.url, Places.repository.appending(path: "Sources/Operations").path(),
                Places.repository.appending(path: "Sources/Server/Documentation.docc/Metrics.md").path())
        }
    }

    @Test("the status, its key, the settings without secrets, traces in the log", arguments: ["text", "json"])
    func status(log: String) async throws {
        let secret = "a token secret of more than thirty-two bytes"
        let settings = """
            {"tokens": {"hs256_secret": "\(secret)"}, "server_keys": ["\(Self.serverKey)"],
             "limits": {"outbound_bytes": 65536, "stall_ms": 600000, "heartbeat_ms": 300000},
             "namespaces": {"chat": {"rate": null}, "burst": {"policy": "ephemeral", "rate": null}, "anon": {"anonymous": true},
                 "hooked": {"hooks": {"react": {"url": "http://127.0.0.1:1/", "secret": "hook-secret-of-some-length"}}}}}
            """
        let said = try await run(settings, words: ["--log", log]) { broker, _ in
            try await runClient("status.py", broker.url, Places.fanfare, secret, Self.serverKey, log)
        }
        for hidden in [secret, Self.serverKey, "hook-secret", "4bf92f3577b34da6a3ce929d0e0eXXXX", "ghost"] {
            #expect(!said.contains(hidden), "\(hidden) is in the log: \(said)")
        }
        #expect(said.contains("4bf92f3577b34da6a3ce929d0e0e4736"), "\(said)")
    }

    @Test("no line of a log has a secret, data, or who reacts where nobody is named", arguments: ["text", "json"])
    func logs(form: String) async throws {
        try await Places.withFolder { folder in
            let script = Places.repository.appending(path: "scripts/dev-cert").path()
            let made = await (try Program("/bin/bash", [script, folder.path()])).end()
            try #require(made.status == 0, "\(made.record.errors)")
            try await runClient("logs.py", Places.fanfare, folder.path(), form)
        }
    }

    @Test("a log that nobody reads, and standard descriptors that are closed")
    func deafLog() async throws {
        try await Places.withFolder { try await runClient("deaf_log.py", Places.fanfare, $0.path()) }
    }

    @Test("fanfare top: a live view on a terminal, else lines; keys, signals, wrong words")
    func top() async throws {
        _ = try await run(#"{"server_keys": ["\#(Self.serverKey)"], "namespaces": {"chat": {}}}"#) { broker, _ in
            try await runClient("top.py", broker.url, Places.fanfare, Self.serverKey)
        }
    }
}

extension BrowserTests {
    @Test("the dashboard: key, figures, tables, tail, kick, settings; keyboard, light and dark, a phone's width")
    func dashboard() async throws {
        try await Places.withFolder { try await runClient("Browser/dashboard.py", Places.fanfare, $0.path()) }
    }
}
