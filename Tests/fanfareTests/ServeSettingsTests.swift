import Broker
import CommandOptions
import Foundation
import Reactions
import Server
import Testing
import Transport

@testable import fanfare

/// Where settings come from: a flag over the environment over the file over the default.
@Suite struct ServeSettingsTests {
    /// The settings that these words come to, with this text in the settings file.
    private func settings(
        _ words: [String], file: String? = nil, environment: [String: String] = [:]
    ) throws -> ServeSettings {
        guard let file else {
            return try ServeSettings(try ServeCommand.options.parse(words, environment: environment))
        }
        let path = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString).json")
        try Data(file.utf8).write(to: path)
        defer { try? FileManager.default.removeItem(at: path) }
        let words = words + ["--config", path.path()]
        return try ServeSettings(try ServeCommand.options.parse(words, environment: environment))
    }

    private func message(_ words: [String], file: String? = nil, environment: [String: String] = [:]) -> String? {
        do {
            _ = try settings(words, file: file, environment: environment)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private static let file = """
        {"listen": [{"address": "127.0.0.1:1"}, {"address": ":2", "tls": {"cert": "c", "key": "k"}}], "data": "/file",
         "store": {"kind": "memory"}, "tokens": {"hs256_secret": "from the file"}}
        """

    @Test(
        "a wrong value of the environment is told by its variable",
        arguments: [
            ("LISTEN", "banana"), ("TRUSTED_PROXY", "banana"), ("TLS_LISTEN", "127.0.0.1:0"), ("TLS_CERT", "x.pem"),
            ("NATS", "banana"), ("COMPRESSION", "banana"), ("LOOPS", "banana"),
        ])
    func variable(name: String, value: String) throws {
        let message = message(["--dev"], environment: ["FANFARE_\(name)": value])
        #expect(message?.hasPrefix("FANFARE_\(name)") == true, "\(message ?? "taken")")
    }

    @Test(
        "data: flag, environment, file, default",
        arguments: [
            (["--data", "/flag"], "/env", file, "/flag"), ([], "/env", file, "/env"), ([], "", file, "/file"),
            ([], "", nil, "./data"), (["--data", "./data"], "", file, "./data"),
        ] as [([String], String, String?, String)])
    func data(words: [String], environment: String, file: String?, expected: String) throws {
        #expect(try settings(words, file: file, environment: ["FANFARE_DATA": environment]).server.data == expected)
    }

    @Test(
        "store: flag, environment, file, default",
        arguments: [
            (["--store", "sqlite"], "memory", file, .sqlite), ([], "sqlite", file, .sqlite), ([], "", file, .memory),
            ([], "", nil, .sqlite),
        ] as [([String], String, String?, ServerSettings.StoreKind)])
    func store(words: [String], environment: String, file: String?, expected: ServerSettings.StoreKind) throws {
        #expect(try settings(words, file: file, environment: ["FANFARE_STORE": environment]).server.store == expected)
    }

    @Test(
        "token secret: flag, environment, file, none",
        arguments: [
            (["--token-secret", "flag"], "env", file, "flag"), ([], "env", file, "env"),
            ([], "", file, "from the file"), ([], "", nil, nil),
        ] as [([String], String, String?, String?)])
    func secret(words: [String], environment: String, file: String?, expected: String?) throws {
        let settings = try settings(words, file: file, environment: ["FANFARE_TOKEN_SECRET": environment])
        #expect(settings.tokenSecret == expected)
    }

    @Test(
        "listen: the addresses of flags and environment take the place of the file's",
        arguments: [
            ([], [:], file, ["127.0.0.1:1", ":2 c k"]), ([], [:], nil, ["127.0.0.1:8080"]),
            (["--listen", "127.0.0.1:3"], [:], file, ["127.0.0.1:3"]),
            ([], ["FANFARE_LISTEN": "127.0.0.1:4,127.0.0.1:5"], file, ["127.0.0.1:4", "127.0.0.1:5"]),
            (["--tls-cert", "d", "--tls-key", "l"], [:], file, ["127.0.0.1:1", ":2 d l"]),
            (["--tls-listen", ":6"], [:], file, [":6 c k"]),
            (["--tls-listen", ":6", "--tls-cert", "d"], ["FANFARE_TLS_KEY": "l"], file, [":6 d l"]),
        ] as [([String], [String: String], String?, [String])])
    func listen(words: [String], environment: [String: String], file: String?, expected: [String]) throws {
        let listen = try settings(words, file: file, environment: environment).server.listen
        #expect(
            listen.map { place in
                ([place.address.description]
                    + [place.tls?.certificate.certificate, place.tls?.certificate.key].compactMap(\.self))
                    .joined(separator: " ")
            } == expected)
    }

    private static let strict =
        #"{"cert": "c", "key": "k", "client_certificates": "required", "client_ca": "a", "minimum_version": "1.3"}"#
    private static let lax = #"{"cert": "c2", "key": "k2"}"#

    /// A settings file with a listener on port 1, without TLS, and one from port 2 on for each text.
    private static func listeners(_ tls: [String]) -> String {
        let places = tls.enumerated().map { "{\"address\": \":\($0 + 2)\", \"tls\": \($1)}" }
        return "{\"listen\": [{\"address\": \":1\"}, \(places.joined(separator: ", "))]}"
    }

    @Test(
        "--tls-listen has the TLS of the file's listener with its address, or what all of them agree in",
        arguments: [
            (":3", [lax, strict], [], "c", true), (":2", [lax, strict], [], "c2", false),
            (":3", [lax, strict], ["d", "l"], "d", true), (":9", [strict, strict], [], "c", true),
            (":1", [strict], [], "c", true),
            // They differ in the certificate alone, and that is of the words.
            (":9", [lax, #"{"cert": "c3", "key": "k3"}"#], ["d", "l"], "d", false),
        ] as [(String, [String], [String], String, Bool)])
    func filedTLS(address: String, tls: [String], pair: [String], certificate: String, isStrict: Bool) throws {
        let words = pair.isEmpty ? [] : ["--tls-cert", pair[0], "--tls-key", pair[1]]
        let settings = try settings(["--tls-listen", address] + words, file: Self.listeners(tls))
        let found = try #require(settings.server.listen.first?.tls)
        #expect(found.certificate.certificate == certificate)
        #expect(found.clientCertificates == (isStrict ? .required : .none))
        #expect(found.clientAuthorities == (isStrict ? "a" : nil))
        #expect(found.minimumVersion == (isStrict ? .tls1_3 : .tls1_2))
    }

    @Test(
        "--tls-listen is refused where the file's TLS listeners differ and none has its address",
        arguments: [[], ["--tls-cert", "d", "--tls-key", "l"]])
    func unclearTLS(words: [String]) throws {
        let file = Self.listeners([Self.lax, Self.strict])
        let message = try #require(self.message(["--tls-listen", ":9"] + words, file: file))
        #expect(message.hasPrefix("--tls-listen :9: the TLS listeners of '"), "\(message)")
        #expect(message.contains("differ") && message.contains("take the address of one of them"), "\(message)")
        #expect(!message.contains("\n"))
    }

    @Test("a certificate of the file that --tls-listen has is told with its own line")
    func placeOfFiledTLS() throws {
        let file = """
            {"listen": [{"address": ":1", "tls": {"cert": "/none/1", "key": "k"}},
            {"address": ":2",
            "tls": {"cert": "/none/2", "key": "k"}}]}
            """
        let settings = try settings(["--tls-listen", ":2"], file: file)
        let error = try #require(throws: UsageError.self) { try settings.checkCertificates() }
        #expect(error.message.contains(".json:3: the certificate '/none/2'"), "\(error.message)")
        let rows = SettingsReport(settings).text.split(separator: "\n")
        #expect(
            rows.contains { $0.hasPrefix("listen[0].tls.cert ") && $0.contains("/none/2") && $0.hasSuffix(".json:3") })
    }

    @Test("--config comes from FANFARE_CONFIG too")
    func configByEnvironment() {
        let message = self.message([], environment: ["FANFARE_CONFIG": "/dev/null/settings.json"])
        #expect(message?.contains("/dev/null/settings.json") == true)
    }

    @Test("an error in the file names file and line, and what was meant")
    func fileError() throws {
        let message = try #require(self.message(["--dev"], file: "{\n\"limits\":\n{\"conections\": 5}}"))
        #expect(message.contains(".json:3: "))
        #expect(message.contains("did you mean \"connections\"?"))
        #expect(!message.contains("\n"))
    }

    @Test("the file's listeners are bound to loopback addresses by --dev, too")
    func developmentListens() {
        #expect(message(["--dev"], file: Self.file)?.contains(":2") == true)
        #expect(message([], file: Self.file) == nil)
    }

    @Test("namespaces: --dev adds its own, a file's definition wins; without both every channel is allowed")
    func namespaces() throws {
        let file = #"{"namespaces": {"tap": {"policy": "multiple"}, "own": {}}}"#
        let development = try settings(["--dev"], file: file).server.broker.namespaces
        #expect(Set(development.keys) == ["chat", "tap", "clap", "burst", "anon", "any", "own"])
        #expect(development["tap"] == Namespace(rules: Rules(policy: .multiple)))
        #expect(development["own"] == Namespace())
        let plain = try settings([], file: file).server.broker.namespaces
        #expect(Set(plain.keys) == ["tap", "own"])
        #expect(plain["own"] == .usual)
        #expect(try settings([]).server.broker.namespaces == ["*": .usual])
        #expect(try settings([]).allowsAnyChannel)
        #expect(try settings([], file: #"{"namespaces": {}}"#).server.broker.namespaces.isEmpty)
        #expect(try !settings([], file: #"{"namespaces": {}}"#).allowsAnyChannel)
    }

    @Test("rates and the limit of an address are off in development mode unless the file sets them")
    func developmentLimits() throws {
        #expect(try settings(["--dev"]).server.broker.limits.connectionsPerAddress == .max)
        #expect(try settings([]).server.broker.limits.connectionsPerAddress == 1000)
        let file =
            #"{"limits": {"connections_per_address": 7, "connections": 9}, "namespaces": {"chat": {"rate": {"user": {"burst": 3}}}}}"#
        let broker = try settings(["--dev"], file: file).server.broker
        #expect(broker.limits.connectionsPerAddress == 7)
        #expect(broker.limits.connections == 9)
        #expect(broker.namespaces["chat"]?.rates.user == Rate(perSecond: 10, burst: 3))
        #expect(broker.namespaces["tap"]?.rates.user == nil)
    }

    @Test(
        "origins: any in development mode, else only its own; a file decides",
        arguments: [
            (["--dev"], nil, nil), ([], nil, []), ([], #"{"origins": ["*"]}"#, nil),
            (["--dev"], #"{"origins": ["https://a.example"]}"#, ["https://a.example"]),
            (["--dev"], #"{"origins": []}"#, []),
        ] as [([String], String?, [String]?)])
    func origins(words: [String], file: String?, expected: [String]?) throws {
        #expect(try settings(words, file: file).server.origins == expected)
    }

    @Test(
        "trusted proxies: those of flags and environment take the place of the file's",
        arguments: [
            ([], [:], #"{"trusted_proxies": ["10.0.0.0/8", "unix"]}"#, ["10.0.0.0/8", "unix"]), ([], [:], nil, []),
            (["--trusted-proxy", "::1"], [:], #"{"trusted_proxies": ["unix"]}"#, ["::1"]),
            ([], ["FANFARE_TRUSTED_PROXY": "127.0.0.1,unix"], nil, ["127.0.0.1", "unix"]),
        ] as [([String], [String: String], String?, [String])])
    func trustedProxies(words: [String], environment: [String: String], file: String?, expected: [String]) throws {
        let settings = try settings(words, file: file, environment: environment)
        #expect(settings.trustedProxies == expected)
        #expect(settings.server.trustedProxies == (try AddressSet(expected)))
    }

    @Test("a listener with the PROXY protocol needs somebody who is trusted, and a proxy is an address")
    func proxyProtocol() throws {
        let file = #"{"listen": [{"address": "127.0.0.1:0", "proxy_protocol": true}]}"#
        #expect(message([], file: file)?.contains("trusted_proxies") == true)
        #expect(try settings(["--trusted-proxy", "unix"], file: file).server.listen[0].takesProxyProtocol)
        #expect(message(["--trusted-proxy", "localhost"])?.contains("\"localhost\"") == true)
    }

    @Test("who may read metrics")
    func metrics() throws {
        #expect(try settings([]).server.metricsAccess == .anyone)
        #expect(try settings([], file: #"{"metrics": "server_key"}"#).server.metricsAccess == .serverKey)
        #expect(message([], file: #"{"metrics": "nobody"}"#)?.contains("loopback") == true)
    }

    @Test("serve needs --dev, a secret or a server key")
    func servable() throws {
        #expect(throws: UsageError.self) { try settings([]).checkServable() }
        try settings(["--dev"]).checkServable()
        try settings(["--token-secret", "s"]).checkServable()
        try settings([], file: Self.file).checkServable()
        try settings([], file: #"{"server_keys": ["k"]}"#).checkServable()
    }

    @Test("check says what is in force and from where, and shows no secret")
    func report() throws {
        let file = """
            {"data": "/file", "tokens": {"hs256_secret": "hunter2"}, "server_keys": ["hunter3", "hunter4"],
             "limits": {"connections": 5},
             "namespaces": {"chat": {"policy": "unique",
               "rate": {"user": {"per_second": 2, "burst": 3}}}, "raw": {"rate": null}}}
            """
        let settings = try settings(["--store", "memory"], file: file, environment: ["FANFARE_LISTEN": "127.0.0.1:4"])
        let text = SettingsReport(settings).text
        #expect(!text.contains("hunter"))
        let path = try #require(settings.file?.path)
        let rows = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        func row(_ name: String) -> String? {
            rows.first { $0.first == name }.map { $0.dropFirst().joined(separator: " ") }
        }
        #expect(row("listen[0].address") == "127.0.0.1:4 FANFARE_LISTEN")
        #expect(row("data") == "/file \(path):1")
        #expect(row("store.kind") == "memory --store")
        #expect(row("--log") == "text default")
        #expect(row("tokens.hs256_secret") == "••• \(path):1")
        #expect(row("server_keys") == "••• ••• \(path):1")
        #expect(row("limits.connections") == "5 \(path):2")
        #expect(row("limits.connections_per_address") == "1000 default")
        #expect(row("namespaces.chat.policy") == "unique \(path):3")
        #expect(row("namespaces.chat.anonymous") == "false default")
        #expect(row("namespaces.chat.rate.user") == "2 a second, 3 at once \(path):4")
        #expect(row("namespaces.raw.rate.user") == "none \(path):4")
    }

    @Test(
        "compression: flag, environment, file, default; check shows it",
        arguments: [
            ([], nil, nil, "off default"), (["--compression", "on"], nil, nil, "on --compression"),
            (["--compression", "above:9"], "on", nil, "above --compression"), ([], "on", nil, "on FANFARE_COMPRESSION"),
            ([], nil, true, "above FILE:2"), (["--compression", "off"], nil, true, "off --compression"),
        ] as [([String], String?, Bool?, String)])
    func compression(words: [String], environment: String?, isFiled: Bool?, expected: String) throws {
        let file = isFiled.map { _ in
            "{\"listen\": [{\"address\": \"127.0.0.1:1\",\n\"compression\": {\"mode\": \"above\", \"window_bits\": 11}}]}"
        }
        let settings = try settings(
            words, file: file, environment: environment.map { ["FANFARE_COMPRESSION": $0] } ?? [:])
        let rows = SettingsReport(settings).text.split(separator: "\n").map { $0.split(separator: " ") }
        let row = try #require(rows.first { $0.first == "listen[0].compression.mode" })
        let place = settings.file?.path ?? "no file"
        #expect(row.dropFirst().joined(separator: " ").replacing(place, with: "FILE") == expected)
        #expect(settings.server.listen[0].compression.windowBits == (isFiled == nil ? 15 : 11))
    }

    @Test("a wrong --compression says what was meant", arguments: ["always", "above:", "above:x", "above:16777217"])
    func wrongCompression(text: String) {
        let message = message(["--compression", text])
        #expect(
            message?.contains("above:BYTES, 0 to 16777216, such as above:1024, not \"\(text)\"") == true,
            "\(message ?? "")")
    }

    @Test(
        "--compression above without a number keeps that of the file, and has the default without one",
        arguments: [
            ("above", nil, 1024), ("above", 7, 7), ("above:9", 7, 9),
        ] as [(String, Int?, Int)])
    func compressionAbove(text: String, filed: Int?, expected: Int) throws {
        let file = filed.map {
            "{\"listen\": [{\"address\": \":1\", \"compression\": {\"mode\": \"off\", \"above_bytes\": \($0)}}]}"
        }
        let compression = try settings(["--compression", text], file: file).server.listen[0].compression
        #expect(compression.mode == .above)
        #expect(compression.aboveBytes == expected)
    }

    @Test(
        "how it stops: flag, environment, file, default",
        arguments: [
            ([], nil, nil, "0 default", "10000 default"),
            ([], nil, true, "250 FILE:2", "700 FILE:2"),
            (
                ["--drain-notice", "3s", "--drain-within", "1m"], "9s", true, "3000 --drain-notice",
                "60000 --drain-within"
            ),
            ([], "9s", true, "9000 FANFARE_DRAIN_NOTICE", "700 FILE:2"),
        ] as [([String], String?, Bool?, String, String)])
    func drain(words: [String], environment: String?, isFiled: Bool?, notice: String, within: String) throws {
        let file = isFiled.map { _ in "{\n\"drain\": {\"notice_ms\": 250, \"within_ms\": 700}}" }
        let settings = try settings(
            words, file: file, environment: environment.map { ["FANFARE_DRAIN_NOTICE": $0] } ?? [:])
        let place = settings.file?.path ?? "no file"
        let rows = SettingsReport(settings).text.replacing(place, with: "FILE").split(separator: "\n")
            .map { $0.split(separator: " ").joined(separator: " ") }
        #expect(rows.contains("drain.notice_ms " + notice))
        #expect(rows.contains("drain.within_ms " + within))
    }

    @Test("a wrong time to stop in says what was meant")
    func wrongDrain() {
        #expect(message(["--drain-within", "1h"])?.contains("--drain-within is 100ms to 10m") == true)
    }

    @Test("what is wrong with a listener has its line")
    func placesOfListeners() throws {
        let proxies =
            "{\"listen\": [{\"address\": \"127.0.0.1:0\"},\n{\"address\": \":0\",\n\"proxy_protocol\": true}]}"
        #expect(message([], file: proxies)?.contains(".json:3: a listener with \"proxy_protocol\"") == true)
        let tls =
            "{\"listen\": [{\"address\": \":0\",\n\"tls\": {\"cert\": \"/nowhere.pem\", \"key\": \"/nowhere.key\"}}]}"
        for (words, place) in [
            ([], ".json:2: "), (["--tls-listen", ":0"], ".json:2: "),
            (["--tls-listen", ":0", "--tls-cert", "/nowhere.pem", "--tls-key", "/nowhere.key"], "--tls-cert: "),
        ] as [([String], String)] {
            let settings = try settings(words, file: tls)
            let error = #expect(throws: UsageError.self) { try settings.checkCertificates() }
            #expect(error?.message.contains(place) == true, "\(error?.message ?? "")")
            #expect(error?.message.contains("/nowhere.pem") == true)
        }
    }

    @Test(
        "a settings file that cannot be read says why",
        arguments: [("/nowhere.json", "No such file"), ("/usr", "it is a folder")])
    func unreadable(path: String, reason: String) {
        #expect(message(["--config", path])?.contains("'\(path)' cannot be read: \(reason)") == true)
    }

    @Test("check shows every namespace of development mode")
    func developmentReport() throws {
        let text = SettingsReport(try settings(["--dev"])).text
        for name in Namespace.development.keys { #expect(text.contains("namespaces.\(name).policy")) }
        #expect(text.contains("--dev"))
    }
}
