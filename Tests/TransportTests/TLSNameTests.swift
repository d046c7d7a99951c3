import Testing

@testable import Transport

/// Several certificates on one listener, chosen by the name that a client asks for.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct TLSNameTests {
    private static let names: ServerNames = {
        var names = ServerNames()
        names.add(["example.org", "*.example.org", "xn--mnchen-3ya.example"], for: 0)
        names.add(["chat.example.org", "example.org", "*.deep.example.org"], for: 1)
        return names
    }()

    @Test(
        "the exact name wins over the wildcard, the wildcard stands for one label, the first certificate for the second",
        arguments: [
            ("example.org", 0), ("EXAMPLE.Org", 0), ("example.org.", 0), ("www.example.org", 0),
            ("WWW.example.org.", 0),
            ("chat.example.org", 1), ("a.deep.example.org", 1), ("deep.example.org", 0), ("XN--Mnchen-3YA.example", 0),
            ("a.b.example.org", nil), ("org", nil), ("", nil), (".", nil), (".example.org", nil), ("*", nil),
            ("example.org..", nil), ("badexample.org", nil), ("münchen.example", nil),
        ] as [(String, Int?)])
    func match(name: String, index: Int?) {
        #expect(Self.names.index(for: name) == index)
    }

    @Test func `each client gets the certificate of the name that it asks for`() async throws {
        try await withLoop { loop in
            let first = try Certificate(for: "DNS:default.example")
            let second = try Certificate(for: "DNS:two.example,DNS:xn--mnchen-3ya.example")
            let third = try Certificate(for: "DNS:*.three.example", key: ["rsa:2048"])
            let settings = TLSServerSettings(certificate: first.files, certificates: [second.files, third.files])
            let host = try await Host(on: loop, tls: try TLSServerContext(settings))
            let cases: [(asked: [String], certificate: Certificate)] = [
                (["-noservername"], first), (["-servername", "nobody.example"], first),
                (["-servername", "default.example"], first), (["-servername", "two.example"], second),
                (["-servername", "TWO.Example."], second), (["-servername", "xn--mnchen-3ya.example"], second),
                (["-servername", "a.three.example"], third), (["-servername", "three.example"], first),
            ]
            for version in ["-tls1_2", "-tls1_3"] {
                for (asked, certificate) in cases {
                    let output = try await opensslClient(host.address, asked + [version])
                    let body = try read(certificate.file).split(separator: "\n").dropFirst().first ?? ""
                    #expect(output.contains(body), "\(version) \(asked)")
                }
            }
        }
    }
}
