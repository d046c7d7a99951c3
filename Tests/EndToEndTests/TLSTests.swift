import Foundation
import Testing

/// TLS as clients see it, and what the command says about certificates.
@Suite struct TLSTests {
    private static let localhost = "DNS:localhost,IP:127.0.0.1,IP:::1"

    @Test("faults that layers over TLS have had")
    func faults() async throws {
        try await Places.withFolder { folder in
            let authority = Authority(folder: folder)
            try await authority.make("cert", for: Self.localhost)
            let words = [
                "--loops", "2", "--tls-listen", "127.0.0.1:0", "--tls-cert", authority.path("cert.pem"), "--tls-key",
                authority.path("cert.key"),
            ]
            try await BrokerProcess.run(words, listeners: 2) { broker in
                let url = try #require(broker.addresses.first { $0.hasPrefix("wss://") })
                let plain = try #require(broker.addresses.first { $0.hasPrefix("ws://") })
                try await runClient(
                    "tls_faults.py", url, authority.path("cert.pem"), plain, "\(broker.program.processID)")
                try await runClient("tls.js", url, authority.path("cert.pem"))
                let said = try await broker.program.wait { $0.errors.contains("plain port") ? $0.errors : nil }
                #expect(said.contains("TLS with 127.0.0.1 failed: the peer speaks plain HTTP"), "\(said)")
                #expect(said.contains("127.0.0.1 speaks TLS to a plain port"), "\(said)")
                #expect(said.split(separator: "\n").count < 200, "a flood of failures is no flood of lines")
            }
        }
    }

    @Test("several certificates by name, client certificates, and both anew on SIGHUP without dropping anyone")
    func names() async throws {
        try await Places.withFolder { folder in
            let authority = Authority(folder: folder)
            try await authority.make("first", for: Self.localhost)
            try await authority.make("second", for: "DNS:two.example,DNS:*.three.example")
            try await authority.make("newer", for: "DNS:two.example")
            try await authority.make("ca", for: "DNS:ca.example")
            try await authority.make("client", for: "DNS:client.example")
            try await authority.sign("client", by: "ca")
            let settings = folder.appending(path: "settings.json")
            let text = """
                {"listen": [{"address": "127.0.0.1:0", "tls": {
                    "cert": "\(authority.path("first.pem"))", "key": "\(authority.path("first.key"))",
                    "certificates": [{"cert": "\(authority.path("second.pem"))", "key": "\(authority.path("second.key"))"}],
                    "client_certificates": "required", "client_ca": "\(authority.path("ca.pem"))",
                    "minimum_version": "1.3", "kernel_tls": true}}]}
                """
            try Data(text.utf8).write(to: settings)
            let words = ["--dev", "--config", settings.path(), "--data", folder.appending(path: "data").path()]
            let client =
                "CLIENT:\(authority.path("client.pem")):\(authority.path("client.key")):\(authority.path("first.pem"))"
            try await BrokerProcess.run(only: words) { broker in
                func check(second: String) async throws {
                    let (first, second) = (authority.path("first.pem"), authority.path(second))
                    try await runClient(
                        "tls_names.py", broker.url, client, "=\(first)", "localhost=\(first)",
                        "nobody.example=\(first)",
                        "two.example=\(second)", "TWO.example=\(second)")
                }
                try await check(second: "second.pem")
                let refused = "its certificate is not accepted: there is none, and this listener requires one"
                _ = try await broker.program.wait { $0.errors.contains(refused) ? true : nil }

                func replace(_ name: String, by other: String) throws {
                    let (old, new) = (folder.appending(path: name), folder.appending(path: other))
                    try Data(contentsOf: new).write(to: old)
                }
                try Data(contentsOf: folder.appending(path: "second.pem")).write(
                    to: folder.appending(path: "kept.pem"))
                try replace("second.pem", by: "newer.pem")
                broker.program.send(SIGHUP)
                let broken =
                    "'\(authority.path("second.key"))' is not the key of the certificate '\(authority.path("second.pem"))'"
                _ = try await broker.program.wait { $0.errors.contains(broken) ? true : nil }
                try await check(second: "kept.pem")

                try replace("second.key", by: "newer.key")
                broker.program.send(SIGHUP)
                _ = try await broker.program.wait { record in
                    record.errors.ranges(of: "were read again").count == 2 ? true : nil
                }
                try await check(second: "newer.pem")
            }
        }
    }

    @Test(
        "certificates that cannot be used are named by serve and check alike, with exit code 2",
        arguments: [
            ("nowhere.pem", "good.key", "cannot be read: No such file or directory"),
            ("good.pem", "nowhere.key", "cannot be read: No such file or directory"),
            ("good.pem", "other.key", "is not the key of the certificate"), ("empty.pem", "good.key", "is empty"),
            ("good.key", "good.pem", "are the two exchanged?"), ("good.pem", "locked.key", "is encrypted"),
            ("text.pem", "good.key", "holds no certificate"), ("good.pem", "text.pem", "holds no private key"),
        ])
    func unusable(certificate: String, key: String, words: String) async throws {
        try await Places.withFolder { folder in
            let authority = Authority(folder: folder)
            for name in ["good", "other"] { try await authority.make(name, for: Self.localhost) }
            try await authority.encrypt("good", as: "locked")
            try Data().write(to: folder.appending(path: "empty.pem"))
            try Data("no PEM".utf8).write(to: folder.appending(path: "text.pem"))
            let options = [
                "--dev", "--store", "memory", "--tls-listen", "127.0.0.1:0", "--tls-cert", authority.path(certificate),
                "--tls-key", authority.path(key),
            ]
            for command in ["serve", "check"] {
                let (status, record) = await (try Program(Places.fanfare, [command] + options)).end()
                #expect(status == 2, "\(command): \(record.errors)")
                #expect(record.errors.contains(words), "\(command): \(record.errors)")
                #expect(record.errors.split(separator: "\n").count == 1, "\(command): \(record.errors)")
            }
        }
    }

    @Test("an expired certificate, and kernel TLS that the kernel has not, are warnings of serve and check")
    func warnings() async throws {
        try await Places.withFolder { folder in
            let authority = Authority(folder: folder)
            try await authority.make("ca", for: "DNS:ca.example")
            try await authority.make("old", for: Self.localhost)
            try await authority.sign("old", by: "ca", days: -1)
            let settings = folder.appending(path: "settings.json")
            let text = """
                {"listen": [{"address": "127.0.0.1:0", "tls": {"cert": "\(authority.path("old.pem"))",
                    "key": "\(authority.path("old.key"))", "kernel_tls": true}}]}
                """
            try Data(text.utf8).write(to: settings)
            let options = ["--dev", "--store", "memory", "--config", settings.path()]
            let (status, record) = await (try Program(Places.fanfare, ["check"] + options)).end()
            #expect(status == 0)
            #expect(record.output.contains("listen[0].tls.kernel_tls"), "\(record.output)")
            try await BrokerProcess.run(only: options) { broker in
                let said = try await broker.program.wait { $0.errors.contains("expired on 2") ? $0.errors : nil }
                for line in record.errors.split(separator: "\n") {
                    #expect(said.contains(line), "\(said)")
                }
            }
            #expect(record.errors.contains("a certificate in '\(authority.path("old.pem"))' expired on 2"))
            let hasKernel = FileManager.default.fileExists(atPath: "/sys/module/tls")
            #expect(record.errors.contains("kernel_tls has no effect: ") != hasKernel, "\(record.errors)")
        }
    }

    @Test("a certificate that ends soon is warned of, /metrics says when, and counts clients that do not trust it")
    func endsSoon() async throws {
        try await Places.withFolder { folder in
            let authority = Authority(folder: folder)
            try await authority.make("ca", for: "DNS:ca.example")
            try await authority.make("cert", for: Self.localhost)
            try await authority.sign("cert", by: "ca", days: 3)
            let words = [
                "--dev", "--store", "memory", "--tls-listen", "127.0.0.1:0", "--listen", "127.0.0.1:0", "--tls-cert",
                authority.path("cert.pem"), "--tls-key", authority.path("cert.key"),
            ]
            try await BrokerProcess.run(only: words, listeners: 2) { broker in
                #expect(try await broker.program.wait { $0.errors.contains(", in less than 14 days") ? true : nil })
                let plain = try #require(broker.addresses.first { $0.hasPrefix("ws://") })
                let secure = try #require(broker.addresses.first { $0.hasPrefix("wss://") })
                let react = ["react", "chat:1", "m", "👍", "--user", "ada", "--url", secure]
                #expect(await (try Program(Places.fanfare, react)).end().status == 1)
                let fetch = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())"
                let url = plain.replacing("ws://", with: "http://").replacing("/v1/ws", with: "/metrics")
                let page = await (try Program("/usr/bin/python3", ["-c", fetch, url])).end().record.output
                let lines = page.split(separator: "\n")
                let name = "fanfare_tls_certificate_expiry_timestamp_seconds "
                let line = try #require(lines.first { $0.hasPrefix(name) })
                let left = try #require(Double(line.dropFirst(name.count))) - Date.now.timeIntervalSince1970
                #expect((2 * 86_400.0...3 * 86_400).contains(left), "\(line)")
                #expect(lines.contains("fanfare_tls_failures_total{reason=\"peer\"} 1"), "\(page)")
            }
        }
    }

    @Test("SIGHUP tells a broken certificate of several listeners once, and of kernel TLS nothing again")
    func toldOnce() async throws {
        try await Places.withFolder { folder in
            let authority = Authority(folder: folder)
            for name in ["cert", "other"] { try await authority.make(name, for: Self.localhost) }
            let settings = folder.appending(path: "settings.json")
            let listener = """
                {"address": "127.0.0.1:0", "tls": {"cert": "\(authority.path("cert.pem"))",
                    "key": "\(authority.path("cert.key"))", "kernel_tls": true}}
                """
            try Data("{\"listen\": [\(listener), \(listener)]}".utf8).write(to: settings)
            let options = ["--dev", "--store", "memory", "--config", settings.path()]
            try await BrokerProcess.run(only: options, listeners: 2) { broker in
                try Data(contentsOf: folder.appending(path: "other.pem")).write(to: folder.appending(path: "cert.pem"))
                broker.program.send(SIGHUP)
                let said = try await broker.program.wait { record in
                    record.errors.contains("failed in part: settings were read again, one certificate stays as it was")
                        ? record.errors : nil
                }
                #expect(said.ranges(of: "is not the key of the certificate").count == 1, "\(said)")
                let hasKernel = FileManager.default.fileExists(atPath: "/sys/module/tls")
                #expect(said.ranges(of: "kernel_tls has no effect").count == (hasKernel ? 0 : 1), "\(said)")
            }
        }
    }

    @Test("a client that comes to a TLS port without TLS shows what the port says")
    func plainClient() async throws {
        try await Places.withFolder { folder in
            let authority = Authority(folder: folder)
            try await authority.make("cert", for: Self.localhost)
            let words = [
                "--dev", "--store", "memory", "--tls-listen", "127.0.0.1:0", "--tls-cert", authority.path("cert.pem"),
                "--tls-key", authority.path("cert.key"),
            ]
            try await BrokerProcess.run(only: words) { broker in
                let url = broker.url.replacing("wss://", with: "ws://")
                let words = ["react", "chat:1", "m", "👍", "--user", "ada", "--url", url]
                let (status, record) = await (try Program(Places.fanfare, words)).end()
                #expect(status == 1)
                #expect(
                    record.errors.contains("HTTP status 400: This port speaks TLS: use https:// or wss://."),
                    "\(record.errors)")
            }
        }
    }

    @Test(
        "settings of TLS that cannot be are told with their line",
        arguments: [
            (#""client_certificates": "required""#, "needs \"client_ca\""),
            (#""client_ca": "ca.pem""#, "client_certificates"), (#""minimum_version": "1.1""#, "1.2 or 1.3"),
            (#""kernel_tls": "yes""#, "true or false"), (#""certificates": [{"cert": "x"}]"#, "\"key\""),
            (#""client_certificates": "maybe""#, "none or optional or required"),
            (#""cipher": "x""#, "there is no setting"),
        ])
    func wrongSettings(setting: String, words: String) async throws {
        try await Places.withFolder { folder in
            let settings = folder.appending(path: "settings.json")
            let text =
                "{\"listen\": [{\"address\": \"127.0.0.1:0\", \"tls\": {\"cert\": \"c\", \"key\": \"k\",\n\(setting)}}]}"
            try Data(text.utf8).write(to: settings)
            let (status, record) = await (try Program(Places.fanfare, ["check", "--dev", "--config", settings.path()]))
                .end()
            #expect(status == 2)
            #expect(record.errors.contains(words), "\(record.errors)")
            #expect(record.errors.contains("settings.json:"), "\(record.errors)")
        }
    }

    @Test("check ends with 2 where serve would not start for want of a secret")
    func checkWithoutSecret() async throws {
        let (status, record) = await (try Program(Places.fanfare, ["check", "--listen", "127.0.0.1:0"])).end()
        #expect(status == 2)
        #expect(record.errors.contains("--token-secret"), "\(record.errors)")
        #expect(record.output.contains("namespaces.*.policy"), "what is in force is shown none the less")
    }
}
