import CLinux
import Glibc
import Testing

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

/// A self-signed certificate with its key, in files that go with this object.
final class Certificate: Sendable {
    let file = temporaryPath(".cert.pem")
    let key = temporaryPath(".key.pem")

    /// Made by the `openssl` command, for `localhost` and the loopback addresses unless told otherwise.
    init(for names: String = "DNS:localhost,IP:127.0.0.1,IP:::1") throws {
        let (status, output) = try command([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=test", "-addext", "subjectAltName=\(names)", "-keyout", key, "-out", file,
        ])
        try #require(status == 0, "\(output)")
    }

    deinit {
        unsafe unlink(file)
        unsafe unlink(key)
    }
}
