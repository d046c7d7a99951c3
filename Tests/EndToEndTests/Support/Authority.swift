import Foundation
import Testing

/// Makes certificates in a folder by the `openssl` command.
struct Authority {
    let folder: URL

    /// The file of a name in the folder.
    func path(_ name: String) -> String { folder.appending(path: name).path() }

    private func openssl(_ words: [String]) async throws {
        let (status, record) = await (try Program("/usr/bin/openssl", words)).end()
        try #require(status == 0, "openssl \(words): \(record.errors)")
    }

    /// Makes the self-signed `NAME.pem` and `NAME.key` for these names, such as `DNS:localhost`.
    func make(_ name: String, for names: String) async throws {
        try await openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj",
            "/CN=\(name)", "-addext", "subjectAltName=\(names)", "-keyout", path("\(name).key"), "-out",
            path("\(name).pem"),
        ])
    }

    /// Signs `NAME.pem` anew by another certificate of the folder, for so many days from now on.
    func sign(_ name: String, by authority: String, days: Int = 30) async throws {
        try await openssl([
            "req", "-new", "-key", path("\(name).key"), "-subj", "/CN=\(name)", "-out", path("\(name).csr"),
        ])
        try await openssl([
            "x509", "-req", "-in", path("\(name).csr"), "-CA", path("\(authority).pem"), "-CAkey",
            path("\(authority).key"), "-days", "\(days)", "-out", path("\(name).pem"),
        ])
    }

    /// Encrypts `NAME.key` as `ENCRYPTED.key`.
    func encrypt(_ name: String, as encrypted: String) async throws {
        try await openssl([
            "pkey", "-in", path("\(name).key"), "-aes256", "-passout", "pass:secret", "-out", path("\(encrypted).key"),
        ])
    }
}
