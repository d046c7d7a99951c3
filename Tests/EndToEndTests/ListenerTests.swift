import Foundation
import Testing

/// The kinds of listeners, and who may come in.
@Suite struct ListenerTests {
    @Test("TLS, with a certificate of scripts/dev-cert")
    func tls() async throws {
        try await Places.withFolder { folder in
            let script = Places.repository.appending(path: "scripts/dev-cert").path()
            let made = await (try Program("/bin/bash", [script, folder.path()])).end()
            try #require(made.status == 0, "\(made.record.errors)")
            let certificate = folder.appending(path: "cert.pem").path()
            let words = [
                "--tls-listen", "127.0.0.1:0", "--tls-cert", certificate, "--tls-key",
                folder.appending(path: "key.pem").path(),
            ]
            try await BrokerProcess.run(words, listeners: 2) { broker in
                let url = try #require(broker.addresses.first { $0.hasPrefix("wss://") })
                try await runClient("listeners.py", url, "tls", certificate)
            }
        }
    }

    @Test("a unix socket")
    func unixSocket() async throws {
        try await Places.withFolder { folder in
            let socket = folder.appending(path: "socket").path()
            try await BrokerProcess.run(["--listen", "unix:\(socket)"], listeners: 2) { _ in
                try await runClient("listeners.py", "ws://localhost/v1/ws", "unix", socket)
            }
        }
    }

    @Test("IPv6")
    func ipv6() async throws {
        try await BrokerProcess.run(["--listen", "[::1]:0"], listeners: 2) { broker in
            let url = try #require(broker.addresses.first { $0.hasPrefix("ws://[::1]:") })
            try await runClient("listeners.py", url, "plain")
        }
    }

    @Test("section 2: identity and rights, by tokens")
    func tokens() async throws {
        let secret = "a secret that is long enough for HS256"
        let made = await
            (try Program(
                Places.fanfare,
                ["token", "--sub", "zoe", "--secret", secret, "--can", "moderate", "--channels", "chat:*"])).end()
        try #require(made.status == 0, "\(made.record.errors)")
        let token = made.record.output.trimmingCharacters(in: .whitespacesAndNewlines)
        try await Places.withFolder { folder in
            let settings = folder.appending(path: "settings.json")
            try Data(#"{"namespaces": {"chat": {}, "tap": {"policy": "unique"}}}"#.utf8).write(to: settings)
            let words = [
                "--config", settings.path(), "--listen", "127.0.0.1:0", "--data", folder.appending(path: "data").path(),
                "--token-secret", secret,
            ]
            try await BrokerProcess.run(only: words) { try await runClient("tokens.py", $0.url, secret, token) }
        }
    }
}
