import Foundation
import Testing

/// What the settings file sets, seen from outside.
@Suite struct SettingsTests {
    /// Runs a broker in development mode with a settings file, which the body may write anew.
    private func run(_ settings: String, _ body: (BrokerProcess, URL) async throws -> Void) async throws {
        try await Places.withFolder { folder in
            let file = folder.appending(path: "settings.json")
            try Data(settings.utf8).write(to: file)
            let words = ["--config", file.path(), "--loops", "2"]
            try await BrokerProcess.run(words, in: folder.appending(path: "data")) { try await body($0, file) }
        }
    }

    @Test("section 8: rate_limited, true to the bucket")
    func rates() async throws {
        let settings = """
            {"namespaces": {"chat": {"rate": {"user": {"per_second": 5, "burst": 10}, "channel": null}},
                            "live": {"rate": {"user": null, "channel": {"per_second": 20, "burst": 5}}},
                            "line": {"rate": {"connection": {"per_second": 0.5, "burst": 4}}},
                            "host": {"rate": {"address": {"per_second": 0.5, "burst": 6}}},
                            "both": {"rate": {"user": {"per_second": 20, "burst": 3},
                                              "connection": {"per_second": 1, "burst": 3}}}, "tap": {}}}
            """
        try await run(settings) { broker, _ in try await runClient("rates.py", broker.url) }
    }

    @Test("the limits of connections, of one address, of messages and subscriptions")
    func limits() async throws {
        for (limits, most) in [(#""connections": 3"#, "3"), (#""connections_per_address": 2"#, "2")] {
            let settings = "{\"limits\": {\(limits), \"message_bytes\": 256, \"subscriptions\": 2}}"
            try await run(settings) { broker, _ in try await runClient("limits.py", broker.url, most) }
        }
    }

    @Test("SIGHUP takes a new file, and keeps the old settings where the new ones are wrong")
    func reload() async throws {
        try await run(#"{"namespaces": {"old": {}}}"#) { broker, file in
            func reload(_ settings: String, until words: String) async throws {
                try Data(settings.utf8).write(to: file)
                broker.program.send(SIGHUP)
                _ = try await broker.program.wait { $0.errors.contains(words) ? true : nil }
            }
            try await runClient("reload.py", broker.url, "old")
            try await reload("{\n\"namespaces\": {\"new\": {\"polcy\": \"unique\"}}}", until: ":2: ")
            try await runClient("reload.py", broker.url, "old")
            try await reload(
                #"{"store": {"kind": "memory"}, "namespaces": {"new": {"policy": "unique"}}}"#,
                until: "were read again")
            try await runClient("reload.py", broker.url, "new")
            let said = try await broker.program.wait { $0.errors.contains("'store'") ? $0.errors : nil }
            #expect(said.contains("started again"), "\(said)")
        }
    }

    @Test("SIGHUP ends the subscriptions to namespaces that are gone, and changes what is there for those who stay")
    func reloadWhileConnected() async throws {
        try await run(#"{"namespaces": {"old": {}, "kept": {}}}"#) { broker, file in
            let new = #"{"namespaces": {"kept": {"reactions": {"allowed": ["🎉"]}}}}"#
            try await runClient(
                "reload.py", broker.url, "connected", file.path(), new, String(broker.program.processID))
        }
    }

    @Test("SIGHUP takes a new certificate, and keeps the old one where the new one cannot be read")
    func reloadCertificate() async throws {
        try await Places.withFolder { folder in
            let certificate = folder.appending(path: "cert.pem")
            func makeCertificate(in folder: URL) async throws {
                let script = Places.repository.appending(path: "scripts/dev-cert").path()
                let made = await (try Program("/bin/bash", [script, "--force", folder.path()])).end()
                try #require(made.status == 0, "\(made.record.errors)")
            }
            try await makeCertificate(in: folder)
            let words = [
                "--tls-listen", "127.0.0.1:0", "--tls-cert", certificate.path(), "--tls-key",
                folder.appending(path: "key.pem").path(),
            ]
            try await BrokerProcess.run(words, listeners: 2, in: folder.appending(path: "data")) { broker in
                let url = try #require(broker.addresses.first { $0.hasPrefix("wss://") })
                let old = folder.appending(path: "old.pem")
                try FileManager.default.copyItem(at: certificate, to: old)
                try Data("nothing".utf8).write(to: certificate)
                broker.program.send(SIGHUP)
                _ = try await broker.program.wait { $0.errors.contains("stays as it was") ? true : nil }
                try await runClient("listeners.py", url, "tls", old.path())

                try FileManager.default.removeItem(at: certificate)
                try await makeCertificate(in: folder)
                broker.program.send(SIGHUP)
                _ = try await broker.program.wait { record in
                    record.errors.ranges(of: "were read again").count == 2 ? true : nil
                }
                try await runClient("listeners.py", url, "tls", certificate.path())
            }
        }
    }

    @Test("check says what is in force and ends with 0")
    func check() async throws {
        try await Places.withFolder { folder in
            let file = folder.appending(path: "settings.json")
            try Data(
                #"{"tokens": {"hs256_secret": "hunter2, and long enough not to be guessed"}, "namespaces": {"chat": {}}}"#
                    .utf8
            ).write(to: file)
            let words = ["check", "--config", file.path()]
            let (status, record) = await (try Program(Places.fanfare, words)).end()
            #expect(status == 0, "\(record.errors)")
            #expect(record.output.contains("namespaces.chat.policy"))
            #expect(record.output.contains("•••"))
            #expect(!record.output.contains("hunter2"))
            #expect(record.errors.isEmpty, "\(record.errors)")
        }
    }

    @Test("check warns of what may not be meant, and serve does so too; what cannot be meant ends with 2")
    func checkJudges() async throws {
        let secret = ["--token-secret", "0123456789012345678901234567890123456789"]
        try await Places.withFolder { folder in
            let file = folder.appending(path: "settings.json")
            func check(_ text: String, _ words: [String] = []) async throws -> (status: Int32, errors: String) {
                try Data(text.utf8).write(to: file)
                let (status, record) = await
                    (try Program(Places.fanfare, ["check", "--config", file.path()] + secret + words))
                    .end()
                return (status, record.errors.replacing(file.path(), with: "FILE"))
            }
            let odd = """
                {"listen": [{"address": "127.0.0.1:0"}],
                 "trusted_proxies": ["0.0.0.0/0"],
                 "metrics": "server_key",
                 "namespaces": {"chat": {"reactions": {"allowed": []}}}}
                """
            let warned = try await check(odd)
            #expect(warned.status == 0, "\(warned.errors)")
            let lines = warned.errors.split(separator: "\n")
            #expect(lines.count == 3, "\(warned.errors)")
            for (line, words) in zip(
                lines,
                [
                    "FILE:2: trusted_proxies[0] is 0.0.0.0/0", "FILE:3: metrics is server_key",
                    "FILE:4: namespaces.chat.reactions.allowed is empty",
                ])
            {
                #expect(line.contains("warning: " + words), "\(line)")
            }
            try await BrokerProcess.run(["--config", file.path()], in: folder.appending(path: "data")) { broker in
                let said = try await broker.program.wait {
                    $0.errors.contains("metrics is server_key") ? $0.errors : nil
                }
                #expect(said.contains(":2: trusted_proxies[0] is 0.0.0.0/0, which is more than any private network"))
            }
            let empty = try await check(#"{"namespaces": {}}"#)
            #expect(empty.status == 0 && empty.errors.contains("namespaces is empty"), "\(empty.errors)")
            for (text, words) in [
                ("\u{FEFF}{}", "FILE:1: a byte-order mark stands before the text"),
                (#"{"listen": [{"address": ":1"}, {"address": ":1"}]}"#, "FILE:1: listen[1].address is :1"),
                (#"{"nats": {"partitions": 4}}"#, "FILE:1: nats needs \"servers\""),
            ] {
                let wrong = try await check(text)
                #expect(wrong.status == 2 && wrong.errors.contains(words), "\(wrong.errors)")
            }
            try Data("{\"listen\": [\n{\"address\": \"0.0.0.0:1\"}]}".utf8).write(to: file)
            let open = try Program(Places.fanfare, ["serve", "--dev", "--store", "memory", "--config", file.path()])
            let (status, record) = await open.end()
            #expect(
                status == 2 && record.errors.contains(":2: --dev listens on loopback addresses"), "\(record.errors)")
            let nats = try await check(#"{"nats": {"partitions": 4}}"#, ["--nats", "nats://127.0.0.1:4222"])
            #expect(nats.status == 0 && nats.errors.isEmpty, "\(nats.errors)")
        }
    }
}
