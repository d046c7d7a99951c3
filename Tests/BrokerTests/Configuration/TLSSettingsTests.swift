import Testing
import Transport

@testable import Broker

/// The TLS of a listener in a settings file.
@Suite struct TLSSettingsTests {
    private func read(_ tls: String) throws(SettingsError) -> TLSServerSettings? {
        let text = "{\"listen\": [{\"address\": \":1\", \"tls\":\n\(tls)}]}"
        return try SettingsFile(Array(text.utf8), defaults: Namespace()).listen?.first?.tls
    }

    @Test("everything that may be said")
    func all() throws {
        let tls = try read(
            """
            {"cert": "c", "key": "k", "certificates": [{"cert": "c2", "key": "k2"}, {"cert": "c3", "key": "k3"}],
             "client_certificates": "optional", "client_ca": "ca", "minimum_version": "1.3", "kernel_tls": true}
            """)
        let expected = TLSServerSettings(
            certificate: .init(certificate: "c", key: "k"),
            certificates: [.init(certificate: "c2", key: "k2"), .init(certificate: "c3", key: "k3")],
            clientCertificates: .optional, clientAuthorities: "ca", minimumVersion: .tls1_3, usesKernel: true)
        #expect(tls == expected)
    }

    @Test("what is left out: no client certificates, TLS 1.2, no kernel")
    func defaults() throws {
        let tls = try #require(try read(#"{"cert": "c", "key": "k"}"#))
        #expect(tls.certificates.isEmpty)
        #expect(tls.clientCertificates == .none)
        #expect(tls.clientAuthorities == nil)
        #expect(tls.minimumVersion == .tls1_2)
        #expect(!tls.usesKernel)
    }

    @Test(
        "what cannot be is told with its line",
        arguments: [
            (#"{"cert": "c"}"#, 2, "needs \"key\""), (#"{"cert": "", "key": "k"}"#, 2, "is empty"),
            ("{\"cert\": \"c\", \"key\": \"k\",\n\"ciphers\": 1}", 3, "there is no setting"),
            ("{\"cert\": \"c\", \"key\": \"k\",\n\"certificates\": [\n{\"cert\": \"c\"}]}", 4, "needs \"key\""),
            ("{\"cert\": \"c\", \"key\": \"k\",\n\"client_certificates\": \"all\"}", 3, "none or optional or required"),
            ("{\"cert\": \"c\", \"key\": \"k\",\n\"client_certificates\": \"required\"}", 2, "needs \"client_ca\""),
            ("{\"cert\": \"c\", \"key\": \"k\",\n\"client_ca\": \"ca\"}", 3, "set client_certificates"),
            (
                "{\"cert\": \"c\", \"key\": \"k\",\n\"minimum_version\": 1.3}", 3,
                "is 1.2 or 1.3 as a text, in quotes, not a number"
            ),
            ("null", 2, "is null; leave it out where the listener has no TLS"),
            ("{\"cert\": \"c\", \"key\":\n7}", 3, "key is a text, in quotes, not a number"),
            ("{\"cert\": \"c\", \"key\": \"k\",\n\"kernel_tls\": 1}", 3, "is true or false"),
        ] as [(String, Int, String)])
    func wrong(text: String, line: Int, words: String) throws {
        let error = try #require(throws: SettingsError.self) { try read(text) }
        #expect(error.line == line)
        #expect(error.reason.contains(words), "\(error.reason)")
    }
}
