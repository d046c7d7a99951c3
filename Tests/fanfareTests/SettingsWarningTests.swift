import CommandOptions
import Foundation
import Server
import Storage
import Testing

@testable import fanfare

/// What is refused although each setting by itself is right, and what is only warned of.
@Suite struct SettingsWarningTests {
    /// What the words and the text of a settings file, called `FILE`, come to: warnings, or the one line of a refusal.
    private func judge(_ words: [String], _ file: String, _ environment: [String: String] = [:]) throws -> [String] {
        let path = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString).json").path()
        try Data(file.utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let parsed = try ServeCommand.options.parse(words + ["--config", path], environment: environment)
        do throws(UsageError) {
            return try ServeSettings(parsed).warnings.map { $0.replacing(path, with: "FILE") }
        } catch {
            return ["refused: " + error.message.replacing(path, with: "FILE")]
        }
    }

    private static let secret = ["--token-secret", "0123456789012345678901234567890123456789"]

    @Test("a variable that is none of ours is warned of, with the one that may be meant")
    func variables() {
        let words = "is none of Fanfare's, and does nothing"
        #expect(
            VariableWarnings.lines(for: ["PATH", "FANFARE_LISTN", "FANFARE_LISTEN", "FANFARE_XYZZY"]) == [
                "the environment variable FANFARE_LISTN \(words); did you mean FANFARE_LISTEN?",
                "the environment variable FANFARE_XYZZY \(words)",
            ])
        let known = ["FANFARE_TOKEN", "FANFARE_URL", "FANFARE_SERVER_KEY", "FANFARE_TOKEN_SECRET", "FANFARE_HOOK"]
        #expect(VariableWarnings.lines(for: known, secrets: ["FANFARE_HOOK"]) == [])
        let ofKubernetes = [
            "FANFARE_PORT", "FANFARE_PORT_80_TCP_ADDR", "FANFARE_SERVICE_HOST", "FANFARE_SERVICE_PORT_WS",
        ]
        #expect(VariableWarnings.lines(for: ofKubernetes) == [])
    }

    @Test("a listener of the file that --dev does not take is told with its line, one of the words without")
    func developmentAddress() throws {
        let file = "{\"listen\": [{\"address\": \"127.0.0.1:1\"},\n{\"address\": \"0.0.0.0:8080\"}]}"
        #expect(try judge(["--dev"], file).first?.hasPrefix("refused: FILE:2: --dev listens on loopback") == true)
        let words = try judge(["--dev", "--listen", "0.0.0.0:8080"], file)
        #expect(words.first?.hasPrefix("refused: --dev listens on loopback") == true)
    }

    @Test(
        "what may not be meant is taken, and warned of with its line",
        arguments: [
            ([], "{\n\"namespaces\": {}}", "FILE:2: namespaces is empty: every channel is forbidden"),
            ([], "{\n\n\"metrics\": \"server_key\"}", "FILE:3: metrics is server_key, and there are no server_keys"),
            (
                [], "{\"namespaces\": {\"a\": {},\n\"b\": {\"reactions\": {\"allowed\": []}}}}",
                "FILE:2: namespaces.b.reactions.allowed is empty: nobody can react there"
            ),
            (
                ["--nats", "nats://a:1"],
                "{\"namespaces\": {\"a\": {\"durability\": \"synced\"},\n\"b\": {}}}",
                "FILE:1: namespaces.a.durability does nothing with NATS"
            ),
            (
                ["--nats", "nats://a:1"], "{\"namespaces\": {\"a\": {},\n\"c\": {\"expire_days\": 3}}}",
                "FILE:2: namespaces.c.expire_days does nothing with NATS"
            ),
            (
                [], "{\"origins\": [],\n\"trusted_proxies\": [\"10.0.0.0/8\", \"0.0.0.0/0\"]}",
                "FILE:2: trusted_proxies[1] is 0.0.0.0/0, which is more than any private network"
            ),
            (["--trusted-proxy", "::/0"], "{\"trusted_proxies\": [\"10.0.0.0/8\"]}", "--trusted-proxy is ::/0, which"),
        ])
    func warned(words: [String], file: String, expected: String) throws {
        let warnings = try judge(Self.secret + words, file)
        #expect(warnings.count == 1 && warnings.first?.hasPrefix(expected) == true, "\(warnings)")
    }

    @Test("a network that the environment names is told by its variable")
    func variable() throws {
        let warnings = try judge(Self.secret, "{}", ["FANFARE_TRUSTED_PROXY": "10.0.0.0/8,0.0.0.0/0"])
        #expect(
            warnings.count == 1 && warnings[0].hasPrefix("FANFARE_TRUSTED_PROXY is 0.0.0.0/0, which"), "\(warnings)")
    }

    @Test(
        "what is meant is not warned of",
        arguments: [
            ([], "{\"namespaces\": {\"*\": {}}}"), (["--dev"], "{\"namespaces\": {}}"), ([], "{}"),
            ([], "{\"metrics\": \"server_key\", \"server_keys\": [\"0123456789abcdef\"]}"),
            ([], "{\"namespaces\": {\"a\": {\"reactions\": {\"allowed\": null}}}}"),
            ([], "{\"namespaces\": {\"a\": {\"reactions\": {\"allowed\": [\"👍\"]}}}}"),
            (["--trusted-proxy", "10.0.0.0/8"], "{\"trusted_proxies\": [\"0.0.0.0/0\"]}"),
            ([], "{\"trusted_proxies\": [\"unix\", \"fc00::/7\"]}"),
            (
                [],
                "{\"listen\": [{\"address\": \"127.0.0.1:0\"}, {\"address\": \"127.0.0.1:0\"}, {\"address\": \"[::1]:1\"}]}"
            ),
        ])
    func silent(words: [String], file: String) throws {
        #expect(try judge(Self.secret + words, file).isEmpty)
    }

    @Test(
        "an address that stands twice is refused, with its line or where words name it",
        arguments: [
            (
                [],
                "{\"listen\": [{\"address\": \"127.0.0.1:1\"}, {\"address\": \":1\"},\n{\"address\": \"127.0.0.1:1\"}]}",
                "refused: FILE:2: listen[2].address is 127.0.0.1:1, as that of listen[0] is; name it once"
            ),
            (
                ["--listen", "unix:/s", "--listen", "unix:/s"], "{}",
                "refused: unix:/s stands twice among the addresses to listen at; name it once"
            ),
            (
                ["--listen", ":1", "--tls-listen", ":1", "--tls-cert", "c", "--tls-key", "k"],
                "{\"listen\": [{\"address\": \":2\"}, {\"address\": \":3\"}]}",
                "refused: :1 stands twice among the addresses to listen at; name it once"
            ),
        ])
    func twice(words: [String], file: String, expected: String) throws {
        #expect(try judge(Self.secret + words, file) == [expected])
    }

    @Test("the servers of NATS are those of the words, the environment or the file; the rest is the file's")
    func nats() throws {
        let file = "{\n\"nats\": {\"partitions\": 4}}"
        #expect(
            try judge(Self.secret, file)
                == ["refused: FILE:2: nats needs \"servers\", or --nats URL[,URL] (or FANFARE_NATS)"])
        let options = ServeCommand.options
        let path = FileManager.default.temporaryDirectory.appending(path: "nats-\(UUID().uuidString).json")
        try Data(file.utf8).write(to: path)
        defer { try? FileManager.default.removeItem(at: path) }
        for (words, environment) in [(["--nats", "nats://a:1"], [:]), ([], ["FANFARE_NATS": "nats://a:1"])] {
            let settings = try ServeSettings(
                options.parse(Self.secret + words + ["--config", path.path()], environment: environment))
            #expect(settings.server.nats?.servers == ["nats://a:1"] && settings.server.nats?.partitions == 4)
        }
    }
}
