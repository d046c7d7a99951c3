import Foundation
import Testing

/// The broker on the open internet: what comes in from outside, and whose word counts.
@Suite struct EdgeTests {
    /// Runs a broker in development mode with a settings file.
    private func run(
        _ settings: String, _ words: [String] = [], listeners: Int = 1, _ body: (BrokerProcess) async throws -> Void
    ) async throws {
        try await Places.withFolder { folder in
            let file = folder.appending(path: "settings.json")
            try Data(settings.utf8).write(to: file)
            let words = ["--dev", "--config", file.path(), "--data", folder.appending(path: "data").path()] + words
            try await BrokerProcess.run(only: words, listeners: listeners, body)
        }
    }

    @Test("the HTTP upgrade: what is refused and what is not, origins, and frames behind the handshake")
    func upgrade() async throws {
        let settings = """
            {"listen": [{"address": "127.0.0.1:0"}], "origins": ["https://example.org", "http://other.example:8080"],
             "limits": {"header_bytes": 4096}}
            """
        try await run(settings) { try await runClient("upgrade.py", $0.url) }
    }

    private static let trust = #""trusted_proxies": ["127.0.0.1", "10.0.0.0/8", "unix"], "origins": []"#
    private static let twice = #""limits": {"connections_per_address": 2}"#

    @Test("trusted proxies: Forwarded and X-Forwarded-For, and those who only say so")
    func forwarded() async throws {
        let settings = #"{"listen": [{"address": "127.0.0.1:0"}], \#(Self.trust), \#(Self.twice)}"#
        try await run(settings) { try await runClient("proxies.py", $0.url, "headers") }
    }

    @Test("trusted proxies: a Unix socket")
    func unixProxy() async throws {
        try await Places.withFolder { folder in
            let socket = folder.appending(path: "socket").path()
            let settings = #"{"listen": [{"address": "unix:\#(socket)"}], \#(Self.trust), \#(Self.twice)}"#
            try await run(settings) { try await runClient("proxies.py", $0.url, "unix") }
        }
    }

    @Test("trusted proxies: the PROXY protocol, without TLS and before it", arguments: [false, true])
    func proxyProtocol(overTLS: Bool) async throws {
        try await Places.withFolder { folder in
            try await makeCertificate(in: folder)
            let files = ["cert", "key"].map { #""\#($0)": "\#(folder.appending(path: "\($0).pem").path())""# }
            let tls = overTLS ? #", "tls": {\#(files.joined(separator: ", "))}"# : ""
            let listen = #"{"address": "127.0.0.1:0", "proxy_protocol": true\#(tls)}"#
            try await run(#"{"listen": [\#(listen)], \#(Self.trust), \#(Self.twice)}"#) { broker in
                try await runClient("proxies.py", broker.url, overTLS ? "proxy-tls" : "proxy")
                // Each kind of what clients can bring about as often as they like is a few lines.
                let said = try await broker.program.wait { $0.errors }
                #expect(said.split(separator: "\n").count { $0.contains("a connection from") } < 100, "\(said)")
                for fault in [
                    "what came begins like neither version", "a command that is not known",
                    "a version that is not known",
                    "neither TCP nor a Unix stream",
                ] {
                    #expect(
                        said.contains("a connection from 127.0.0.1 was ended: it") && said.contains(fault), "\(said)")
                }
            }
        }
    }

    @Test(
        "behind a real proxy with the guide's settings: who comes, by which scheme, and a reload under load",
        arguments: ["nginx", "haproxy", "caddy"])
    func behind(proxy: String) async throws {
        try await Places.withFolder { folder in
            try await makeCertificate(in: folder)
            let guide = Places.repository.appending(path: "Sources/Server/Documentation.docc/ProxyExamples.md")
            try await runClient("behind.py", proxy, folder.path(), guide.path())
        }
    }

    /// Has scripts/dev-cert make `cert.pem` and `key.pem`.
    private func makeCertificate(in folder: URL) async throws {
        let script = Places.repository.appending(path: "scripts/dev-cert").path()
        let made = await (try Program("/bin/bash", [script, folder.path()])).end()
        try #require(made.status == 0, "\(made.record.errors)")
    }

    @Test("metrics for programs on this machine alone")
    func metrics() async throws {
        try await run(#"{"listen": [{"address": "127.0.0.1:0"}], \#(Self.trust), "metrics": "loopback"}"#) {
            try await runClient("proxies.py", $0.url, "metrics")
        }
        let listen = #"[{"address": "127.0.0.1:0", "proxy_protocol": true}]"#
        try await run(#"{"listen": \#(listen), \#(Self.trust), "metrics": "loopback"}"#) {
            try await runClient("proxies.py", $0.url, "announced")
        }
    }

    @Test("wrong settings of proxies stop the start, with a line that says what was meant")
    func wrongSettings() async throws {
        for (settings, words) in [
            (#"{"trusted_proxies": ["10.0.0.1/8"]}"#, "trusted_proxies[0]"),
            (#"{"listen": [{"address": "127.0.0.1:0", "proxy_protocol": true}]}"#, "trusted_proxies"),
            (#"{"metrics": "nobody"}"#, "loopback"), (#"{"limits": {"close_ms": 1}}"#, "limits.close_ms"),
        ] {
            try await Places.withFolder { folder in
                let file = folder.appending(path: "settings.json")
                try Data(settings.utf8).write(to: file)
                for command in ["check", "serve"] {
                    let program = try Program(Places.fanfare, [command, "--dev", "--config", file.path()])
                    let (status, record) = await program.end()
                    #expect(status == 2 && record.errors.contains(words), "\(settings): \(record.errors)")
                    #expect(record.errors.split(separator: "\n").count == 1, "\(record.errors)")
                }
            }
        }
    }
}
