import Foundation
import Testing

/// Who is who, and for how long: tokens that others made, keys, revocation, the audit.
@Suite struct IdentityTests {
    static let secret = "a token secret of more than thirty-two bytes"
    static let serverKey = "a-server-key-of-more-than-16-bytes"

    /// Runs a broker with these settings beside the usual ones, its files in a folder; gives all that it wrote.
    private func run(
        _ settings: String, in folder: URL, words: [String] = [], _ body: (BrokerProcess) async throws -> Void
    ) async throws -> String {
        let file = folder.appending(path: "settings.json")
        try Data(settings.utf8).write(to: file)
        let words =
            words + [
                "--config", file.path(), "--listen", "127.0.0.1:0", "--data", folder.appending(path: "data").path(),
            ]
        var program: Program?
        try await BrokerProcess.run(only: words) { broker in
            program = broker.program
            try await body(broker)
        }
        let record = await program?.end().record
        return try #require(record).errors + #require(record).output
    }

    /// No token and no key is in a log, whole or in part.
    private func expectNoSecrets(in log: String, _ folder: URL) throws {
        let text = try String(contentsOf: folder.appending(path: "secrets.txt"), encoding: .utf8)
        var secrets = text.split(separator: "\n").map(String.init) + [Self.secret, Self.serverKey]
        secrets += secrets.flatMap { $0.split(separator: ".").map(String.init) }
        #expect(secrets.count > 50)
        for secret in Set(secrets) where secret.utf8.count > 12 {
            #expect(!log.contains(secret), "a secret is in the log")
        }
    }

    @Test("RS256, ES256, EdDSA and HS256 by keys of a file that changes", arguments: ["text", "json"])
    func algorithms(log: String) async throws {
        try await Places.withFolder { folder in
            try await runClient("minting.py", folder.path())
            let settings = """
                {"tokens": {"hs256_secret": "\(Self.secret)", "jwks_file": "\(folder.appending(path: "keys.json").path())",
                            "issuer": "me", "audience": "fanfare", "leeway_s": 5},
                 "server_keys": ["\(Self.serverKey)"], "namespaces": {"chat": {}}}
                """
            let said = try await run(settings, in: folder, words: ["--log", log]) { broker in
                try await runClient(
                    "identity.py", broker.url, folder.path(), String(broker.program.processID), Places.fanfare,
                    Self.secret)
            }
            #expect(said.contains("read again"), "\(said)")
            try expectNoSecrets(in: said, folder)
        }
    }

    @Test("revocation and the audit, before and after a restart, and without a broker")
    func revocation() async throws {
        try await Places.withFolder { folder in
            let settings = """
                {"tokens": {"hs256_secret": "\(Self.secret)"}, "server_keys": ["\(Self.serverKey)"],
                 "namespaces": {"chat": {"rate": null}, "anon": {"anonymous": true}}}
                """
            let data = folder.appending(path: "data").path()
            let words = [folder.path(), Places.fanfare, Self.secret, Self.serverKey, data]
            var said = try await run(settings, in: folder) { broker in
                try await runClient("revocation.py", broker.url, words[0], words[1], words[2], words[3], words[4])
            }
            said += try await run(settings, in: folder) { broker in
                try await runClient(
                    "revocation.py", broker.url, words[0], words[1], words[2], words[3], words[4], "again")
            }
            try expectNoSecrets(in: said, folder)
            let (status, record) = await (try Program(Places.fanfare, ["audit", "--data", data])).end()
            #expect(status == 0 && record.output.contains("revoked mallory"), "\(record.errors)")
        }
    }

    @Test("audit says in one line where there is no store of Fanfare's")
    func noStore() async throws {
        try await Places.withFolder { folder in
            func audit() async throws -> Program.Record {
                await (try Program(Places.fanfare, ["audit", "--data", folder.path()])).end().record
            }
            let missing = try await audit()
            #expect(missing.status == 1 && missing.errors.contains("no store"), "\(missing.errors)")
            try Data("another program's".utf8).write(to: folder.appending(path: "fanfare.db"))
            let other = try await audit()
            #expect(other.status == 1 && other.errors.split(separator: "\n").count == 1, "\(other.errors)")
        }
    }

    @Test("a short secret is warned about at the start, and not repeated", arguments: [true, false])
    func shortSecret(isShort: Bool) async throws {
        try await Places.withFolder { folder in
            let secret = isShort ? "hunter2" : Self.secret
            let said = try await run(#"{"tokens": {"hs256_secret": "\#(secret)"}}"#, in: folder) { _ in }
            #expect(said.contains("fewer than 32 bytes") == isShort, "\(said)")
            #expect(!said.contains(secret))
        }
    }

    @Test(
        "a key file that is wrong stops the start with its line", arguments: ["{\n\"keys\": 5}", "{\"keys\": []}", ""])
    func wrongKeys(text: String) async throws {
        try await Places.withFolder { folder in
            let file = folder.appending(path: "keys.json")
            try Data(text.utf8).write(to: file)
            for command in ["serve", "check"] {
                let (status, record) = await (try Program(Places.fanfare, [command, "--jwks-file", file.path()])).end()
                #expect(status == 2 && record.errors.contains("keys.json"), "\(record.errors)")
                #expect(record.errors.split(separator: "\n").count == 1, "\(record.errors)")
            }
        }
    }

    @Test("in development mode a revoked user's connections end, too")
    func development() async throws {
        try await Places.withFolder { folder in
            let settings = #"{"server_keys": ["\#(Self.serverKey)"]}"#
            _ = try await run(settings, in: folder, words: ["--dev"]) { broker in
                let watch = try Program(
                    Places.fanfare, ["watch", "chat:1", "--url", broker.url, "--user", "eve", "--json"])
                _ = try await watch.wait { $0.output.contains("subscribed") ? true : nil }
                let words = ["revoke", "--user", "eve", "--key", Self.serverKey, "--url", broker.url]
                let (status, record) = await (try Program(Places.fanfare, words)).end()
                #expect(status == 0, "\(record.errors)")
                let ended = await watch.end()
                #expect(ended.status == 1 && ended.record.errors.contains("revoked"), "\(ended.record.errors)")
            }
        }
    }
}
