import Broker
import CommandOptions
import Foundation
import Server
import Testing

@testable import fanfare

/// What `fanfare check` prints is true.
@Suite struct SettingsReportTests {
    private static let full = """
        {"listen": [{"address": "127.0.0.1:1", "proxy_protocol": true, "compression": {"mode": "above"}},
          {"address": "127.0.0.1:2", "tls": {"cert": "c", "key": "k", "client_ca": "a", "client_certificates": "optional",
            "certificates": [{"cert": "c2", "key": "k2"}, {"cert": "c3", "key": "k3"}]}}],
         "nats": {"servers": ["nats://127.0.0.1:4222", "nats://127.0.0.1:4223"]}, "trusted_proxies": ["127.0.0.1"],
         "tokens": {"hs256_secret": "s"},
         "hooks": {"connect": {"url": "http://127.0.0.1:9/", "secret": "s"}},
         "namespaces": {"chat": {"webhook": {"url": "http://127.0.0.1:9/", "secret": "s"},
           "hooks": {"react": {"url": "http://127.0.0.1:9/", "secret": "s"}}}}}
        """

    private func rows(_ words: [String], file: String? = nil) throws -> [SettingRow] {
        guard let file else { return SettingsReport(try ServeSettings(try ServeCommand.options.parse(words))).rows }
        let path = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString).json")
        try Data(file.utf8).write(to: path)
        defer { try? FileManager.default.removeItem(at: path) }
        let settings = try ServeSettings(try ServeCommand.options.parse(words + ["--config", path.path()]))
        return SettingsReport(settings).rows.map {
            SettingRow(name: $0.name, value: $0.value, source: $0.source.replacing(path.path(), with: "FILE"))
        }
    }

    @Test(
        "each row is a setting that a file may have, or an option that alone can set it, and says which",
        arguments: [
            ([], full), (["--dev"], nil), (["--dev", "--moderator", "ada", "--loops", "1", "--log", "json"], nil),
        ]
            as [([String], String?)])
    func names(words: [String], file: String?) throws {
        let settings = Set(SettingHelp.all.map(\.path))
        // What stands for a whole object that is not there, or for one of the keys in a file.
        let others: Set = ["nats", "nats.servers[]", "tokens.jwks_file.key", "hooks.connect"]
        for row in try rows(words, file: file) {
            guard !row.name.hasPrefix("--") else {
                let option = String(row.name.dropFirst(2))
                #expect(ServeCommand.options.help.contains("  --\(option) "), "\(row.name)")
                #expect(!settings.contains(option), "a file can set it, too")
                continue
            }
            var path = row.name.replacing(/\[[0-9]+\]/, with: "[]")
            if path.hasPrefix("namespaces.") { path.replace(/^namespaces\.[^.]+\./, with: "namespaces.NAMESPACE.") }
            let isWhole = settings.contains { $0.hasPrefix(path + ".") }
            #expect(settings.contains(path) || others.contains(path) || isWhole, "\(row.name)")
        }
    }

    @Test("each listener has its number, as in the file, and no two rows have one name")
    func listeners() throws {
        let rows = try rows([], file: Self.full)
        let addresses = rows.filter { $0.name.hasSuffix("].address") }
        #expect(addresses.map(\.name) == ["listen[0].address", "listen[1].address"])
        #expect(addresses.map(\.value) == ["127.0.0.1:1", "127.0.0.1:2"])
        #expect(addresses.map(\.source) == ["FILE:1", "FILE:2"])
        let certificates = rows.filter { $0.name.hasSuffix("].cert") }
        #expect(certificates.map(\.name) == [0, 1].map { "listen[1].tls.certificates[\($0)].cert" })
        #expect(Set(rows.map(\.name)).count == rows.count)
    }

    @Test("where words name the listeners, what the file says of its own ones is not in force, but for TLS")
    func words() throws {
        let rows = try rows(["--listen", "127.0.0.1:8", "--tls-listen", "127.0.0.1:9"], file: Self.full)
        let found = Dictionary(uniqueKeysWithValues: rows.map { ($0.name, "\($0.value) \($0.source)") })
        #expect(found["listen[0].address"] == "127.0.0.1:8 --listen")
        #expect(found["listen[0].proxy_protocol"] == "off default")
        #expect(found["listen[0].compression.mode"] == "off default")
        #expect(found["listen[1].address"] == "127.0.0.1:9 --tls-listen")
        #expect(found["listen[1].tls.cert"] == "c FILE:2")
    }

    @Test("a wrong choice lists what there is once")
    func choice() throws {
        let error = #expect(throws: UsageError.self) {
            _ = try rows([], file: #"{"namespaces": {"chat": {"policy": "x"}}}"#)
        }
        let message = error?.message ?? ""
        #expect(message.components(separatedBy: "ephemeral").count == 2, "\(message)")
        #expect(message.hasSuffix("not \"x\""))
    }

    @Test("a name that is long or steers a terminal is repeated in part, escaped", arguments: ["name", "value"])
    func echo(place: String) throws {
        let long = #"\u001b[2J"# + String(repeating: "n", count: 5_000)
        let file = place == "name" ? #"{"\#(long)": 1}"# : #"{"namespaces": {"chat": {"policy": "\#(long)"}}}"#
        let error = #expect(throws: UsageError.self) { _ = try rows([], file: file) }
        let message = error?.message ?? ""
        #expect(message.utf8.count < 500 && message.contains(#"\u001b[2Jnnn"#) && message.contains("…"), "\(message)")
    }
}
