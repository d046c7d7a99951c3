import Foundation
import Testing

@testable import Broker

/// What a settings file may say of webhooks and hooks.
@Suite struct OutboundSettingsTests {
    private func read(_ text: String) throws -> SettingsFile {
        try SettingsFile(Array(text.utf8), defaults: Namespace())
    }

    private func chat(_ text: String) throws -> OutboundSettings? {
        let file = try read(#"{"namespaces": {"chat": \#(text)}}"#)
        return try #require(file.namespaces?["chat"]).outbound
    }

    @Test("a webhook with all it may have, and with the defaults")
    func webhook() throws {
        let text = #"""
            {"webhook": {"url": "https://example.org/x", "secret": "s", "batch": 7, "interval_ms": 8, "timeout_ms": 900,
                         "max_retry_ms": 1000, "max_pending": 11, "ca_file": null}}
            """#
        let full = try #require(try chat(text)?.webhook)
        #expect(full.endpoint.url == OutboundURL("https://example.org/x"))
        #expect(full.endpoint.secret == SigningSecret("s"))
        #expect(full.batch == 7)
        #expect(full.intervalMilliseconds == 8)
        #expect(full.endpoint.timeoutMilliseconds == 900)
        #expect(full.maxRetryMilliseconds == 1_000)
        #expect(full.maxPending == 11)
        let usual = try #require(try chat(#"{"webhook": {"url": "http://a/", "secret": "s"}}"#)?.webhook)
        #expect(usual.batch == 100)
        #expect(usual.intervalMilliseconds == 1_000)
        #expect(usual.endpoint.timeoutMilliseconds == 5_000)
        #expect(usual.maxRetryMilliseconds == 300_000)
        #expect(usual.maxPending == nil)
        #expect(usual.endpoint.caFile == nil)
    }

    @Test("hooks with all they may have, and with the defaults")
    func hooks() throws {
        let text = #"""
            {"hooks": {"subscribe": {"url": "http://a/", "secret": "s"},
                       "react": {"url": "http://b/", "secret": "s", "timeout_ms": 20, "when_down": "allow", "cache_ms_max": 0}}}
            """#
        let outbound = try #require(try chat(text))
        let usual = try #require(outbound.subscribeHook)
        #expect(usual.endpoint.url == OutboundURL("http://a/"))
        #expect(usual.endpoint.timeoutMilliseconds == 1_000)
        #expect(!usual.isAllowedWhenDown)
        #expect(usual.maxCacheMilliseconds == 60_000)
        let full = try #require(outbound.reactHook)
        #expect(full.endpoint.timeoutMilliseconds == 20)
        #expect(full.isAllowedWhenDown)
        #expect(full.maxCacheMilliseconds == 0)
        let connect = try read(#"{"hooks": {"connect": {"url": "http://c/", "secret": "s"}}}"#).connectHook
        #expect(connect?.endpoint.url == OutboundURL("http://c/"))
    }

    @Test(
        "null, and leaving it out, are none",
        arguments: [
            "{}", #"{"webhook": null}"#, #"{"hooks": null}"#, #"{"hooks": {}}"#, #"{"hooks": {"react": null}}"#,
        ])
    func none(text: String) throws {
        #expect(try chat(text) == nil)
        #expect(try read(#"{"hooks": null}"#).connectHook == nil)
    }

    @Test("hooks are looked for only where a namespace has one")
    func hasHooks() throws {
        let authenticator = Authenticator(tokens: nil, development: .init())
        for (text, has) in [
            ("{}", false), (#"{"webhook": {"url": "http://a/", "secret": "s"}}"#, false),
            (#"{"hooks": {"react": {"url": "http://a/", "secret": "s"}}}"#, true),
            (#"{"hooks": {"subscribe": {"url": "http://a/", "secret": "s"}}}"#, true),
        ] {
            let namespaces = try #require(try read(#"{"namespaces": {"a": {}, "b": \#(text)}}"#).namespaces)
            var settings = BrokerSettings(namespaces: [:], authenticator: authenticator)
            #expect(!settings.hasHooks)
            settings.namespaces = namespaces
            #expect(settings.hasHooks == has)
            #expect(BrokerSettings(namespaces: namespaces, authenticator: authenticator).hasHooks == has)
        }
    }

    @Test("a secret may stand in a file or in the environment")
    func secrets() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "fanfare-\(UUID().uuidString)")
        try Data("from a file\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let filed = try chat(#"{"webhook": {"url": "http://a/", "secret_file": "\#(file.path())"}}"#)
        #expect(filed?.webhook?.endpoint.secret == SigningSecret("from a file"))
        let variable = try #require(ProcessInfo.processInfo.environment["PATH"])
        let set = try chat(#"{"webhook": {"url": "http://a/", "secret_env": "PATH"}}"#)
        #expect(set?.webhook?.endpoint.secret == SigningSecret(variable))
        #expect(
            try read(#"{"hooks": {"connect": {"url": "http://a/", "secret_env": "PATH"}}}"#).secretVariables == ["PATH"]
        )
    }

    @Test("a secret that is none is told with its own line, wherever it stands")
    func secretLine() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "fanfare-\(UUID().uuidString)")
        try Data("whsec_".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        for (object, path) in [("namespaces\": {\"chat", "namespaces.chat.hooks.react"), ("hooks", "hooks.connect")] {
            let open = path == "hooks.connect" ? "" : "{\"hooks\": "
            for (name, value) in [("secret", "whsec_!!"), ("secret_file", file.path())] {
                let last = path.split(separator: ".").last ?? ""
                let text = """
                    {"\(object)": \(open){"\(last)": {
                    "url": "http://a/",
                    "\(name)": "\(value)"}}\(open.isEmpty ? "" : "}}")}
                    """
                let error = #expect(throws: SettingsError.self) { try read(text) }
                #expect(
                    error?.line == 3 && error?.reason.hasPrefix("the secret of \(path) is whsec_") == true,
                    "\(error?.reason ?? "")")
            }
        }
    }

    @Test(
        "what is wrong stops the start, and the words name the setting",
        arguments: [
            (#"{"webhook": "http://a/"}"#, "webhook"), (#"{"webhook": {}}"#, "url"),
            (#"{"webhook": {"url": "http://a/"}}"#, "secret_env"),
            (#"{"webhook": {"url": "a", "secret": "s"}}"#, "webhook.url"),
            (#"{"webhook": {"url": "ftp://a/", "secret": "s"}}"#, "webhook.url"),
            (#"{"webhook": {"url": "http://a:b@c/", "secret": "s"}}"#, "webhook.url"),
            (#"{"webhook": {"url": "http://a/", "secret": ""}}"#, "webhook.secret"),
            (#"{"webhook": {"url": "http://a/", "secret": "s", "secret_env": "PATH"}}"#, "one of"),
            (#"{"webhook": {"url": "http://a/", "secret_file": "/dev/null/secret"}}"#, "/dev/null/secret"),
            (#"{"webhook": {"url": "http://a/", "secret_env": "FANFARE_NO_SUCH_NAME"}}"#, "FANFARE_NO_SUCH_NAME"),
            (#"{"webhook": {"url": "http://a/", "secret": "s", "batch": 0}}"#, "webhook.batch"),
            (#"{"webhook": {"url": "http://a/", "secret": "s", "batch": 1001}}"#, "1000"),
            (#"{"webhook": {"url": "http://a/", "secret": "s", "interval_ms": -1}}"#, "webhook.interval_ms"),
            (#"{"webhook": {"url": "http://a/", "secret": "s", "timeout_ms": 9}}"#, "webhook.timeout_ms"),
            (#"{"webhook": {"url": "http://a/", "secret": "s", "max_retry_ms": 499}}"#, "webhook.max_retry_ms"),
            (#"{"webhook": {"url": "http://a/", "secret": "s", "max_pending": 0}}"#, "webhook.max_pending"),
            (#"{"webhook": {"url": "http://a/", "secret": "s", "ca_file": "/dev/null/ca"}}"#, "/dev/null/ca"),
            (#"{"webhook": {"url": "http://a/", "secret": "s", "when_down": "allow"}}"#, "when_down"),
            (#"{"hooks": {"connect": {"url": "http://a/", "secret": "s"}}}"#, "connect"),
            (#"{"hooks": {"react": {"url": "http://a/", "secret": "s", "when_down": "maybe"}}}"#, "react.when_down"),
            (#"{"hooks": {"react": {"url": "http://a/", "secret": "s", "cache_ms_max": -1}}}"#, "react.cache_ms_max"),
            (#"{"hooks": {"react": {"url": "http://a/", "secret": "s", "batch": 5}}}"#, "batch"),
        ])
    func wrong(text: String, words: String) {
        let error = #expect(throws: SettingsError.self) { try chat(text) }
        #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
    }
}
