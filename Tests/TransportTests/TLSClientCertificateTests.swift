import Testing
import Transport

/// Clients that show certificates.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct TLSClientCertificateTests {
    /// Serves with these rules, has a client with these options say something, and gives what came and why it ended.
    private func visit(
        _ rule: TLSServerSettings.ClientCertificates, _ authority: Authority, _ options: [String]
    ) async throws -> (received: [UInt8], error: TransportError?) {
        try await withLoop { loop in
            let settings = TLSServerSettings(
                certificate: try TLSTests.certificate.get().files, clientCertificates: rule,
                clientAuthorities: authority.file)
            let host = try await Host(on: loop, tls: try TLSServerContext(settings)) { probe, _ in
                probe.onPeerFinished = { $0.finish() }
            }
            _ = try await opensslClient(host.address, options, input: "hello")
            let seen = await host.probe().waitForClose()
            return (seen.received, seen.error)
        }
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `a valid one comes in, and without one nobody does where it is required`(version: String) async throws {
        let (authority, client) = (try Authority(), try Certificate())
        try authority.sign(client)
        let shown = [version, "-cert", client.file, "-key", client.key]
        for rule in [TLSServerSettings.ClientCertificates.optional, .required] {
            #expect(try await visit(rule, authority, shown) == (Array("hello".utf8), nil))
        }
        #expect(try await visit(.optional, authority, [version]) == (Array("hello".utf8), nil))
        #expect(try await visit(.none, authority, shown) == (Array("hello".utf8), nil))
        let refused = try await visit(.required, authority, [version])
        #expect(refused == ([], .untrusted("there is none, and this listener requires one")))
    }

    @Test func `one that is not valid is refused, also where none is required, and the error says why`() async throws {
        let (authority, other) = (try Authority(), try Authority())
        let client = try Certificate()
        let shown = ["-tls1_3", "-cert", client.file, "-key", client.key]
        let cases: [(sign: () throws -> Void, reason: String)] = [
            ({}, "self-signed certificate"),
            ({ try other.sign(client) }, "unable to get local issuer certificate"),
            ({ try authority.sign(client, days: -1) }, "certificate has expired"),
            ({ try authority.sign(client, purpose: "serverAuth") }, "unsuitable certificate purpose"),
        ]
        for (sign, reason) in cases {
            try sign()
            for rule in [TLSServerSettings.ClientCertificates.optional, .required] {
                let refused = try await visit(rule, authority, shown)
                #expect(refused == ([], .untrusted(reason)))
            }
        }
    }

    @Test func `the authorities are read again by reload, and a broken file keeps the old ones`() async throws {
        try await withLoop { loop in
            let (authority, other, client) = (try Authority(), try Authority(), try Certificate())
            let kept = try read(authority.file)
            try authority.sign(client)
            let context = try TLSServerContext(
                TLSServerSettings(
                    certificate: try TLSTests.certificate.get().files, clientCertificates: .required,
                    clientAuthorities: authority.file))
            let host = try await Host(on: loop, tls: context) { probe, _ in probe.onPeerFinished = { $0.finish() } }
            var visits = 0
            func visit() async throws -> TransportError? {
                _ = try await opensslClient(host.address, ["-cert", client.file, "-key", client.key], input: "hello")
                visits += 1
                return await host.probe(visits - 1).waitForClose().error
            }
            #expect(try await visit() == nil)
            try write("nothing", to: authority.file)
            #expect(
                context.reload() == [
                    .unusableFile("the client_ca '\(authority.file)' holds no certificate; meant is PEM")
                ])
            #expect(try await visit() == nil)
            try write(read(other.file), to: authority.file)
            #expect(context.reload() == [])
            #expect(try await visit() == .untrusted("unable to get local issuer certificate"))
            try write(kept, to: authority.file)
            #expect(context.reload() == [])
            #expect(try await visit() == nil)
        }
    }
}
