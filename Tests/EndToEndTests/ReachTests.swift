import Foundation
import Testing

/// What `watch` and `react` do where no connection can come about.
@Suite struct ReachTests {
    /// Runs both commands against this URL; both must end after one attempt, with 1, and say these words.
    private func refused(_ url: String, _ words: String, _ options: [String] = []) async throws {
        for command in [["react", "chat:1", "m1", "👍"], ["watch", "chat:1"]] {
            let program = try Program(Places.fanfare, command + ["--url", url] + options)
            let (status, record) = await program.end()
            #expect(status == 1, "\(command[0]): \(record.errors)")
            #expect(!record.errors.contains("next attempt"), "\(command[0]): \(record.errors)")
            let last = record.errors.split(separator: "\n").last ?? ""
            #expect(last.contains(words), "\(command[0]): \(record.errors)")
            // The advice of one that waited until the time ran out is another.
            #expect(last.hasSuffix("check --url, and --ca for a certificate of your own"), "\(record.errors)")
        }
    }

    @Test("a certificate that is not accepted ends them at once, and so does a CA file that cannot be read")
    func certificate() async throws {
        try await Places.withFolder { folder in
            let authority = Authority(folder: folder)
            try await authority.make("cert", for: "DNS:localhost")
            try await authority.make("other", for: "DNS:localhost")
            let words = [
                "--tls-listen", "127.0.0.1:0", "--tls-cert", authority.path("cert.pem"), "--tls-key",
                authority.path("cert.key"),
            ]
            try await BrokerProcess.run(words, listeners: 2) { broker in
                let url = try #require(broker.addresses.first { $0.hasPrefix("wss://") })
                let named = url.replacing("127.0.0.1", with: "localhost")
                try await refused(named, "the certificate is not accepted: self-signed certificate")
                try await refused(named, "the certificate is not accepted", ["--ca", authority.path("other.pem")])
                try await refused(url, "IP address mismatch", ["--ca", authority.path("cert.pem")])
                try await refused(named, "cannot be read", ["--ca", authority.path("nowhere.pem")])
            }
        }
    }

    @Test(
        "an HTTP status that will stay ends them at once", arguments: [("/nothing/here", "404"), ("/healthz", "200")])
    func status(path: String, status: String) async throws {
        try await BrokerProcess.run { broker in
            try await refused(broker.url.replacing("/v1/ws", with: path), status)
        }
    }

    @Test("a name that is not known ends them at once")
    func name() async throws {
        try await refused("ws://no-such-host.invalid:8080", "no-such-host.invalid")
    }
}
