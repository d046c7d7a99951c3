import CLinux
import Glibc
import Testing
import Transport

/// Runs a command of the system, and says how it ended and what it wrote.
///
/// It blocks; use `offPool`.
func command(_ words: [String], input: String = "") throws -> (status: CInt, output: String) {
    let output = temporaryPath(".out")
    let inputFile = temporaryPath(".in")
    try write(input, to: inputFile)
    defer {
        unsafe unlink(output)
        unsafe unlink(inputFile)
    }
    let quoted = words.map { "'\($0)'" }.joined(separator: " ")
    let status = unsafe system("\(quoted) <'\(inputFile)' >'\(output)' 2>&1")
    return (status, try read(output))
}

func write(_ text: String, to path: String) throws {
    let file = unsafe try #require(fopen(path, "w"))
    unsafe fputs(text, file)
    unsafe fclose(file)
}

func read(_ path: String) throws -> String {
    let file = unsafe try #require(fopen(path, "r"))
    defer { unsafe fclose(file) }
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
        let count = unsafe fread(&buffer, 1, buffer.count, file)
        if count == 0 { break }
        all += buffer[..<count]
    }
    return String(decoding: all, as: UTF8.self)
}

extension Certificate {
    var files: TLSServerSettings.CertificateFiles { .init(certificate: file, key: key) }
}

/// A self-signed certificate with its key, in files that go with this object.
final class Certificate: Sendable {
    let file = temporaryPath(".cert.pem")
    let key = temporaryPath(".key.pem")

    /// Made by the `openssl` command, for `localhost` and the loopback addresses unless told otherwise.
    init(
        for names: String = "DNS:localhost,IP:127.0.0.1,IP:::1",
        key kind: [String] = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    ) throws {
        let (status, output) = try command(
            ["openssl", "req", "-x509", "-newkey"] + kind + [
                "-nodes", "-days", "30", "-subj", "/CN=test", "-addext", "subjectAltName=\(names)", "-keyout", key,
                "-out", file,
            ])
        try #require(status == 0, "\(output)")
    }

    deinit {
        unsafe unlink(file)
        unsafe unlink(key)
    }
}

/// An authority that signs certificates, in files that go with this object.
final class Authority: Sendable {
    let file = temporaryPath(".ca.pem")
    private let key = temporaryPath(".ca.key")

    init() throws {
        let (status, output) = try command([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
            "-subj", "/CN=authority", "-keyout", key, "-out", file,
        ])
        try #require(status == 0, "\(output)")
    }

    deinit {
        unsafe unlink(file)
        unsafe unlink(key)
    }

    /// Signs a certificate over that one's key, for these days from now on; the file holds nothing else then.
    func sign(
        _ certificate: Certificate, days: Int = 30, purpose: String = "clientAuth", basicConstraints: String? = nil
    ) throws {
        let (request, extensions) = (temporaryPath(".csr"), temporaryPath(".ext"))
        defer {
            unsafe unlink(request)
            unsafe unlink(extensions)
        }
        let constraints = basicConstraints.map { "basicConstraints=\($0)\n" } ?? ""
        try write("extendedKeyUsage=\(purpose)\n\(constraints)", to: extensions)
        let commands = [
            ["openssl", "req", "-new", "-key", certificate.key, "-subj", "/CN=client", "-out", request],
            [
                "openssl", "x509", "-req", "-in", request, "-CA", file, "-CAkey", key, "-days", "\(days)", "-extfile",
                extensions, "-out", certificate.file,
            ],
        ]
        for words in commands {
            let (status, output) = try command(words)
            try #require(status == 0, "\(output)")
        }
    }
}
