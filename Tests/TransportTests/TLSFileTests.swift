import Glibc
import Testing
import Transport

/// Certificates and keys as they lie in files, read at the start and again.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct TLSFileTests {
    /// Makes a context, and gives the error in words, or nothing.
    private func complaint(_ certificate: String, _ key: String) -> String? {
        do throws(TransportError) {
            _ = try TLSServerContext(certificateFile: certificate, keyFile: key)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func `what cannot be used is named, with what is wrong`() throws {
        let (good, other) = (try Certificate(), try Certificate())
        let (broken, encrypted) = (temporaryPath(".pem"), temporaryPath(".pem"))
        defer { for path in [broken, encrypted] { unsafe unlink(path) } }
        #expect(complaint(good.file, good.key) == nil)
        #expect(
            complaint("/nowhere/c.pem", good.key)
                == "the certificate '/nowhere/c.pem' cannot be read: No such file or directory")
        #expect(complaint(good.file, "/nowhere/k") == "the key '/nowhere/k' cannot be read: No such file or directory")
        #expect(
            complaint("/tmp", good.key) == "the certificate '/tmp' cannot be read: it is a folder, and no regular file")
        #expect(
            complaint(good.file, other.key) == "'\(other.key)' is not the key of the certificate '\(good.file)'")
        #expect(complaint(good.key, good.file)?.contains("the two exchanged?") == true)
        #expect(complaint(good.file, good.file)?.contains("the two exchanged?") == true)

        try write("", to: broken)
        #expect(complaint(broken, good.key) == "the certificate '\(broken)' is empty")
        try write("no PEM at all\n", to: broken)
        #expect(complaint(broken, good.key) == "the certificate '\(broken)' holds no certificate; meant is PEM")
        #expect(complaint(good.file, broken) == "the key '\(broken)' holds no private key; meant is PEM")
        try write(read(good.file) + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", to: broken)
        #expect(complaint(broken, good.key)?.hasSuffix("is damaged: certificate 2 cannot be read") == true)
        try write(String(read(good.key).dropLast(60)), to: broken)
        #expect(complaint(good.file, broken) == "the key '\(broken)' is damaged")

        let (status, output) = try command(
            ["openssl", "pkey", "-in", good.key, "-aes256", "-passout", "pass:secret", "-out", encrypted])
        try #require(status == 0, "\(output)")
        #expect(complaint(good.file, encrypted)?.hasPrefix("the key '\(encrypted)' is encrypted") == true)
    }

    @Test func `a key that is too short is refused by name`() throws {
        let short = try Certificate(key: ["rsa:1024"])
        #expect(
            complaint(short.file, short.key)
                == "the certificate '\(short.file)' cannot be used: its key of 1024 bits is too short to be safe; take RSA of 2048 bits, or P-256"
        )
    }

    @Test func `a certificate that is out of date, and one that has no name, work with a warning`() throws {
        let (good, old, nameless) = (try Certificate(), try Certificate(), try Certificate())
        let authority = try Authority()
        try authority.sign(old, days: -1)
        try authority.sign(nameless)
        func warnings(_ first: Certificate, _ others: Certificate...) throws -> [String] {
            try TLSServerContext(
                TLSServerSettings(certificate: first.files, certificates: others.map(\.files))
            ).warnings
        }
        #expect(try warnings(good) == [])
        #expect(try warnings(nameless) == [])
        let soon = try Certificate()
        try authority.sign(soon, days: 13)
        let ends = try warnings(soon)
        #expect(
            ends.count == 1 && ends.first?.hasPrefix("a certificate in '\(soon.file)' expires on 2") == true, "\(ends)")
        let first = try TLSServerContext(TLSServerSettings(certificate: good.files, certificates: [soon.files])).expiry
        let seconds = try #require(first) - Int64(time(nil))
        #expect((12 * 86_400...13 * 86_400).contains(seconds), "the earliest of all")
        let expired = try warnings(old)
        #expect(expired.count == 1)
        #expect(expired.first?.hasPrefix("a certificate in '\(old.file)' expired on 2") == true)
        #expect(
            try warnings(good, nameless) == [
                "the certificate '\(nameless.file)' is never chosen: it has no DNS name (subjectAltName)"
            ])
    }

    @Test func `an authority that is out of date, and one that is none, are warned of`() throws {
        let (server, old, leaf) = (try Certificate(), try Certificate(), try Certificate())
        let authority = try Authority()
        try authority.sign(old, days: -1, basicConstraints: "CA:TRUE")
        try authority.sign(leaf, basicConstraints: "CA:FALSE")
        func warnings(_ file: String) throws -> [String] {
            try TLSServerContext(
                TLSServerSettings(
                    certificate: server.files, clientCertificates: .required, clientAuthorities: file)
            ).warnings
        }
        #expect(try warnings(authority.file) == [])
        let expired = try warnings(old.file)
        #expect(expired.count == 1)
        #expect(expired.first?.hasPrefix("an authority in client_ca '\(old.file)' expired on 2") == true, "\(expired)")
        let none =
            "a certificate in client_ca '\(leaf.file)' is no authority (basicConstraints): it vouches for no other"
        #expect(try warnings(leaf.file) == [none])
        try write(read(authority.file) + read(leaf.file), to: leaf.file)
        #expect(try warnings(leaf.file) == [none])
    }

    @Test func `reload serves the new certificate, and keeps the old one if the new cannot be read`() async throws {
        try await withLoop { loop in
            let first = try Certificate()
            let second = try Certificate(for: "DNS:other")
            let files = try Certificate(for: "DNS:nobody")
            try write(read(first.file), to: files.file)
            try write(read(first.key), to: files.key)
            let context = try TLSServerContext(certificateFile: files.file, keyFile: files.key)
            let host = try await Host(on: loop, tls: context)
            let trustsFirst = TLSClientSettings(serverName: "localhost", caFile: first.file)
            let trustsSecond = TLSClientSettings(serverName: "other", caFile: second.file)
            let old = try await loop.connect(to: host.address, tls: trustsFirst)
            await old.facts.wait { $0.connected == 1 }

            try write(read(second.file), to: files.file)
            #expect(
                context.reload() == [
                    .unusableFile("'\(files.key)' is not the key of the certificate '\(files.file)'")
                ])
            let still = try await loop.connect(to: host.address, tls: trustsFirst)
            await still.facts.wait { $0.connected == 1 }

            try write(read(second.key), to: files.key)
            #expect(context.reload() == [])
            let new = try await loop.connect(to: host.address, tls: trustsSecond)
            await new.facts.wait { $0.connected == 1 }
            #expect(old.facts.value.closed == 0)
        }
    }

    @Test func `one broken certificate does not keep the others from being replaced`() async throws {
        try await withLoop { loop in
            let (first, second) = (try Certificate(for: "DNS:one"), try Certificate(for: "DNS:two"))
            let newSecond = try Certificate(for: "DNS:two")
            let context = try TLSServerContext(
                TLSServerSettings(certificate: first.files, certificates: [second.files]))
            let host = try await Host(on: loop, tls: context)
            let kept = temporaryPath(".pem")
            defer { unsafe unlink(kept) }
            try write(read(first.file), to: kept)
            try write("nothing", to: first.file)
            try write(read(newSecond.file), to: second.file)
            try write(read(newSecond.key), to: second.key)
            #expect(
                context.reload() == [
                    .unusableFile("the certificate '\(first.file)' holds no certificate; meant is PEM")
                ])
            for (name, file) in [("one", kept), ("two", newSecond.file)] {
                let probe = try await loop.connect(
                    to: host.address, tls: TLSClientSettings(serverName: name, caFile: file))
                let seen = await probe.facts.wait { $0.connected + $0.closed > 0 }
                #expect(seen.connected == 1, "\(name): \(seen.error.map { "\($0)" } ?? "")")
            }
        }
    }
}
