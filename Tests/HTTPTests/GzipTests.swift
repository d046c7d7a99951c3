import Foundation
import TestSupport
import Testing

@testable import HTTP

@Suite("The content coding gzip (RFC 9110 section 8.4.1.3)", .timeLimit(.minutes(5)))
struct GzipTests {
    private func compressed(_ body: [UInt8]) -> [UInt8]? { Gzip.compressed(body.span) }

    /// What GNU gzip, which has an inflater of its own, makes of a coded body; `nil` where it is not whole or no gzip.
    private func decoded(_ coded: [UInt8]) throws -> [UInt8]? {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fanfare-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (source, result) = (folder.appending(path: "body.gz"), folder.appending(path: "body"))
        try Data(coded).write(to: source)
        // Not by Foundation's Process, of which the leak sanitizer finds something left.
        let gzip = unsafe try #require(popen("/usr/bin/gzip -d '\(source.path())'", "re"))
        let status = unsafe pclose(gzip)
        return status == 0 ? [UInt8](try Data(contentsOf: result)) : nil
    }

    @Test("What is compressed is shorter, and comes back", arguments: [200, 1_000, 32_768, 65_536, 300_000])
    func roundTrip(length: Int) throws {
        var generator = SeededGenerator()
        let words = ["reaction", "message", "👍", " ", "\n", "0"].map { [UInt8]($0) }
        var body: [UInt8] = []
        while body.count < length { body += words[Int.random(in: 0..<words.count, using: &generator)] }
        let coded = try #require(compressed(body))
        #expect(coded.count < body.count)
        #expect(try decoded(coded) == body)
        #expect(try decoded(Array(coded.dropLast())) == nil)
    }

    @Test("The same bytes become the same bytes")
    func stable() {
        let body = [UInt8](String(repeating: "fanfare ", count: 500))
        #expect(compressed(body) == compressed(body))
    }

    @Test("What would be no shorter is left as it is", arguments: [0, 1, 2, 20, 5_000])
    func incompressible(length: Int) {
        var generator = SeededGenerator()
        let body = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        #expect(compressed(body) == nil)
    }
}
