import Reactions
import Storage
import Testing
import Transport

@testable import Broker

/// What a settings file may say, and what stops the start.
@Suite struct SettingsFileTests {
    private func read(_ text: String, defaults: Namespace = .usual) throws -> SettingsFile {
        try SettingsFile(Array(text.utf8), defaults: defaults)
    }

    @Test("all names of the settings page are understood")
    func everything() throws {
        let file = try read(
            """
            {
              "listen": [{"address": "127.0.0.1:8080"},
                         {"address": ":8443", "tls": {"cert": "cert.pem", "key": "key.pem"}}],
              "data": "./elsewhere",
              "store": {"kind": "memory"},
              "tokens": {"hs256_secret": "s3cret", "jwks_file": "keys.json", "issuer": "me", "audience": null,
                         "leeway_s": 5},
              "server_keys": ["k1", "k2"],
              "origins": ["https://Example.org", "http://127.0.0.1:3000"],
              "limits": {"connections": 5, "connections_per_address": null, "message_bytes": 1000, "subscriptions": 2,
                         "outbound_bytes": 4096, "heartbeat_ms": 1000, "identify_ms": 2000, "stall_ms": 3000},
              "drain": {"notice_ms": 5000, "within_ms": 20000, "spread_ms": 0},
              "namespaces": {
                "chat": {
                  "policy": "unique", "reactions": {"kind": "any", "allowed": ["\\u2764", "❤️", "party"], "fold_skin_tones": true},
                  "max_kinds_per_message": 3, "max_per_user_and_message": 2, "anonymous": true,
                  "summary_interval_ms": 50, "history": {"events": 10, "seconds": 20}, "durability": "synced", "expire_days": 30,
                  "rate": {"user": {"per_second": 0.5, "burst": 3}, "channel": {"per_second": 1e3, "burst": 7},
                           "connection": {"per_second": 2, "burst": 5}, "address": {}},
                  "webhook": null
                },
                "*": {}
              }
            }
            """)
        #expect(file.listen?.map(\.address) == [try .parse("127.0.0.1:8080"), .any(port: 8443)])
        #expect(file.listen?.map(\.tls) == [nil, .init(certificate: .init(certificate: "cert.pem", key: "key.pem"))])
        #expect(file.data == "./elsewhere")
        #expect(file.store == .memory)
        #expect(file.tokenSecret == "s3cret")
        #expect(file.issuer == "me")
        #expect(file.audience == nil)
        #expect(file.keyFile == "keys.json")
        #expect(file.leewaySeconds == 5)
        #expect(file.serverKeys == ["k1", "k2"])
        #expect(file.origins == ["https://example.org", "http://127.0.0.1:3000"])
        #expect(
            file.limits == [
                .connections: 5, .connectionsPerAddress: .max, .messageBytes: 1000, .subscriptions: 2,
                .outboundBytes: 4096, .heartbeat: 1000, .identify: 2000, .stall: 3000,
            ])
        let chat = Namespace(
            rules: Rules(
                policy: .unique, kind: .any, allowed: [Reaction(canonical: "❤️"), Reaction(canonical: "party")],
                foldSkinTones: true, maxKindsPerMessage: 3, maxPerUserAndMessage: 2),
            isAnonymous: true, summaryIntervalMilliseconds: 50, historyEvents: 10, historySeconds: 20,
            durability: .synced, expiryDays: 30,
            rates: Rates(
                user: Rate(perSecond: 0.5, burst: 3), connection: Rate(perSecond: 2, burst: 5),
                address: .usualForAddress,
                channel: Rate(perSecond: 1000, burst: 7)))
        #expect(file.namespaces == ["chat": chat, "*": .usual])
        #expect(
            file.drain == DrainSettings(noticeMilliseconds: 5_000, withinMilliseconds: 20_000, spreadMilliseconds: 0))
        #expect(file.line(of: "listen[1].tls.key") == 3)
        #expect(file.line(of: "namespaces.chat.history.seconds") == 17)
        #expect(file.line(of: "namespaces.*.policy") == nil)
    }

    @Test(
        "rates: what is left out is the default, null is none",
        arguments: [
            (#"{}"#, Rate.usualForUser, Rate.usualForChannel), (#"{"rate": null}"#, nil, nil),
            (#"{"rate": {}}"#, .usualForUser, .usualForChannel),
            (#"{"rate": {"user": null}}"#, nil, .usualForChannel),
            (#"{"rate": {"user": {"burst": 2}}}"#, Rate(perSecond: 10, burst: 2), .usualForChannel),
            (#"{"rate": {"channel": {"per_second": 2}}}"#, .usualForUser, Rate(perSecond: 2, burst: 100_000)),
        ] as [(String, Rate?, Rate?)])
    func rates(text: String, user: Rate?, channel: Rate?) throws {
        let namespace = try #require(try read(#"{"namespaces": {"chat": \#(text)}}"#).namespaces?["chat"])
        #expect(namespace.rates.user == user)
        #expect(namespace.rates.channel == channel)
    }

    @Test("in development mode a rate is off unless the file sets it")
    func developmentRates() throws {
        let file = try read(
            #"{"namespaces": {"a": {}, "b": {"rate": {"user": {"per_second": 1}}}}}"#, defaults: Namespace())
        #expect(file.namespaces?["a"]?.rates.user == nil)
        #expect(file.namespaces?["b"]?.rates.user == Rate(perSecond: 1, burst: 30))
        #expect(file.namespaces?["b"]?.rates.channel == nil)
    }

    @Test(
        "an unknown name stops the start, with its line and the names that there are",
        arguments: [
            ("{\n\"lisen\": []}", "lisen", "listen"),
            ("{\n\"limits\": {\n\"conections\": 5}}", "conections", "connections"),
            ("{\"namespaces\":\n{\"chat\":\n{\"polcy\": \"unique\"}}}", "polcy", "policy"),
            ("{\"namespaces\":{\"chat\":{\"policy\":\n\"uniqe\"}}}", "uniqe", "unique"),
            ("{\"namespaces\":{\"chat\":{\"reactions\":\n{\"kinds\": \"any\"}}}}", "kinds", "kind"),
            ("{\"namespaces\":{\"chat\":{\"rate\":\n{\"users\": null}}}}", "users", "user"),
            ("{\"store\":\n{\"kind\": \"paper\"}}", "paper", "sqlite"),
            ("{\"tokens\":\n{\"secret\": \"x\"}}", "secret", "issuer"),
            ("{\"limits\":\n{\"handshake\": 1}}", "handshake", "handshake_ms"),
            ("{\"listen\":[{\"address\":\":1\",\n\"TLS\":null}]}", "TLS", "tls"),
        ])
    func unknown(text: String, word: String, known: String) {
        let error = #expect(throws: SettingsError.self) { try read(text) }
        #expect(error?.line == text.split(separator: "\n").firstIndex { $0.contains(word) }.map { $0 + 1 })
        #expect(error?.unknown == word)
        #expect(error?.known.contains(known) == true)
        #expect(error?.reason.contains(word) == true)
    }

    @Test(
        "a value of the wrong kind or out of range stops the start, and the words name the setting",
        arguments: [
            (#"[]"#, "settings"), (#"{"listen": "x"}"#, "listen"), (#"{"listen": []}"#, "listen"),
            (#"{"listen": [{"address": "nowhere"}]}"#, "listen[0].address"), (#"{"listen": [{}]}"#, "address"),
            (#"{"listen": [{"address": ":1", "tls": {"cert": "c"}}]}"#, "key"), (#"{"data": ""}"#, "data"),
            (#"{"data": 5}"#, "data"), (#"{"store": "sqlite"}"#, "store"), (#"{"store": {}}"#, "kind"),
            (#"{"tokens": {"hs256_secret": 5}}"#, "tokens.hs256_secret"), (#"{"server_keys": [""]}"#, "server_keys[0]"),
            (#"{"tokens": {"jwks_file": 5}}"#, "tokens.jwks_file"),
            (#"{"tokens": {"leeway_s": -1}}"#, "tokens.leeway_s"),
            (#"{"tokens": {"leeway_s": 301}}"#, "300"),
            (#"{"server_keys": ["a b"]}"#, "server_keys[0]"), (#"{"origins": null}"#, "origins"),
            (#"{"origins": ["example.org"]}"#, "origins[0]"), (#"{"origins": ["https://a/b"]}"#, "origins[0]"),
            (#"{"limits": {"connections": 0}}"#, "limits.connections"),
            (#"{"limits": {"handshake_ms": 99}}"#, "limits.handshake_ms"),
            (#"{"limits": {"memory_percent": 0}}"#, "from 1 to 100"),
            (#"{"limits": {"memory_percent": null}}"#, "limits.memory_percent"),
            (#"{"limits": {"memory_bytes": 1000}}"#, "limits.memory_bytes"),
            (#"{"trusted_proxies": "127.0.0.1"}"#, "trusted_proxies"),
            (#"{"trusted_proxies": ["127.0.0.1", "10.0.0.1/8"]}"#, "trusted_proxies[1]"),
            (#"{"listen": [{"address": ":1", "proxy_protocol": "yes"}]}"#, "listen[0].proxy_protocol"),
            (#"{"origins": ["https://a b"]}"#, "or * for any, not \"https://a b\""),
            (#"{"origins": ["https://a/"]}"#, "without the slash or path behind it, not \"https://a/\""),
            (#"{"origins": ["https://a:1?b"]}"#, "without what stands behind it, not \"https://a:1?b\""),
            (#"{"metrics": "x"}"#, "metrics"),
            (#"{"limits": {"connections": null}}"#, "limits.connections"),
            (#"{"limits": {"connections": 1.5}}"#, "1.5"), (#"{"limits": {"connections": "5"}}"#, "limits.connections"),
            (#"{"limits": {"message_bytes": 99999999999999999999}}"#, "16777216"),
            (#"{"namespaces": []}"#, "namespaces"),
            (#"{"namespaces": {"": {}}}"#, "namespace"), (#"{"namespaces": {"a:b": {}}}"#, "a:b"),
            (#"{"namespaces": {"chat": null}}"#, "namespaces.chat"), (#"{"namespaces": {"*x": {}}}"#, "*x"),
            (#"{"namespaces": {"chat": {"expire_days": 0}}}"#, "namespaces.chat.expire_days"),
            (#"{"origins": ["https://*"]}"#, "origins[0] is compared whole"),
            (#"{"origins": ["*", "https://*.example.org"]}"#, "origins[1] is compared whole"),
            (#"{"origins": ["ftp://x"]}"#, "none comes by ftp"), (#"{"origins": ["WSS://x"]}"#, "none comes by wss"),
            (#"{"drain": {"within_ms": 99}}"#, "drain.within_ms"),
            (#"{"drain": {"notice_ms": -1}}"#, "drain.notice_ms"),
            (#"{"drain": 5}"#, "drain"),
            (#"{"namespaces": {"chat": {"anonymous": "yes"}}}"#, "namespaces.chat.anonymous"),
            (#"{"namespaces": {"chat": {"history": {"events": -1}}}}"#, "history.events"),
            (#"{"namespaces": {"chat": {"rate": {"user": {"per_second": 0}}}}}"#, "rate.user.per_second"),
            (#"{"namespaces": {"chat": {"rate": {"user": {"burst": 0}}}}}"#, "rate.user.burst"),
            (#"{"namespaces": {"chat": {"rate": {"connection": {"burst": 0}}}}}"#, "rate.connection.burst"),
            (#"{"namespaces": {"chat": {"rate": {"address": 5}}}}"#, "rate.address"),
            (#"{"namespaces": {"chat": {"rate": {"host": null}}}}"#, "rate.host"),
            (#"{"store": {"kind": "nats"}}"#, "\"nats\": {\"servers\""),
            (#"{"nats": {"servers": []}}"#, "1 to 16 servers"),
            (#"{"nats": {"servers": ["127.0.0.1:4222"]}}"#, "nats.servers[0] is the URL of a NATS server"),
            (#"{"nats": {"servers": ["nats://a:0"]}}"#, "nats.servers[0] is the URL of a NATS server"),
            (#"{"nats": {"servers": ["nats://a:99999"]}}"#, "nats.servers[0] is the URL of a NATS server"),
            (#"{"nats": {"servers": ["nats://a:4222/foo"]}}"#, "nats.servers[0] is the URL of a NATS server"),
            (#"{"nats": {"servers": ["nats://ada:p@"]}}"#, "nats.servers[0] is the URL of a NATS server"),
            (
                #"{"nats": {"servers": ["nats://a", "tls://b"]}}"#,
                "nats.servers has tls:// in all of its URLs, or in none"
            ),
            (#"{"nats": {"servers": ["nats://a"], "name": "a.b"}}"#, "letters, digits"),
            (#"{"nats": {"servers": ["nats://a"], "replicas": 6}}"#, "from 1 to 5"),
            (#"{"nats": {"servers": ["nats://a"], "partitions": 0}}"#, "from 1 to 64"),
            (#"{"nats": {"servers": ["nats://a"], "cert": "c.pem"}}"#, "\"cert\" and \"key\" together"),
            (#"{"nats": {"servers": ["nats://a"], "password": "p"}}"#, "no \"user\""),
            (#"{"namespaces": {"chat": {"durability": "eternal"}}}"#, "memory or committed or synced, not \"eternal\""),
            (#"{"namespaces": {"chat": {"reactions": {"allowed": ["👍", "party"]}}}}"#, "allowed[1]"),
            (
                #"{"namespaces": {"chat": {"reactions": {"allowed": ["party"]}}}}"#,
                "allowed[0] \"party\" is no reaction of the kind emoji; the kind any takes emoji and names"
            ),
            (
                #"{"namespaces": {"chat": {"reactions": {"kind": "named", "allowed": ["👍"]}}}}"#,
                "of the kind named; the kind any"
            ),
        ])
    func wrong(text: String, words: String) {
        let error = #expect(throws: SettingsError.self) { try read(text) }
        #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
    }

    /// Were each name looked for among all before it, this would take longer than a test may.
    @Test("a list of very many reactions is read, each once, in its order", .timeLimit(.minutes(5)))
    func manyReactions() throws {
        let names = (0..<100_000).map { "n\($0)" }
        let list = (names + ["n7", "n99999"]).map { "\"\($0)\"" }.joined(separator: ",")
        let file = try read(#"{"namespaces": {"chat": {"reactions": {"kind": "named", "allowed": [\#(list)]}}}}"#)
        #expect(file.namespaces?["chat"]?.rules.allowed?.map(\.text) == names)
    }

    @Test("servers of NATS may be left to the command line, the rest is read")
    func natsWithoutServers() throws {
        let nats = try #require(try read(#"{"nats": {"partitions": 4, "name": "eu"}}"#).nats)
        #expect(nats.servers.isEmpty && nats.partitions == 4 && nats.name == "eu")
    }

    @Test("a secret that is none is told by its own line, and not repeated")
    func wrongSecret() {
        let text = """
            {"namespaces": {"chat": {"webhook": {
              "url": "https://example.org/",
              "secret": "whsec_?"}}}}
            """
        let error = #expect(throws: SettingsError.self) { try read(text) }
        #expect(error?.line == 3 && error?.reason.contains("whsec_?") == false, "\(error?.reason ?? "")")
    }

    @Test("a secret of the wrong kind is not repeated")
    func secretsStaySecret() {
        let error = #expect(throws: SettingsError.self) { try read(#"{"tokens": "hunter2"}"#) }
        #expect(error?.reason.contains("hunter2") == false)
    }
}
