import Foundation
import Testing
import Transport

@testable import Broker

/// Keys that come and go while the broker runs.
@Suite struct KeyFileTests {
    /// A key file of a test's own, and what was said of it.
    final class Place {
        let path = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString).json").path()
        let said = Said()
        private var writes = 0

        deinit { try? FileManager.default.removeItem(atPath: path) }

        /// Writes the file anew; its time is each time another, however fast tests are.
        func write(_ bytes: [UInt8]) throws {
            try Data(bytes).write(to: URL(filePath: path))
            writes += 1
            let time = Date(timeIntervalSince1970: 1_700_000_000 + Double(writes))
            try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
        }

        func open() throws -> TokenKeyFile {
            let log = BrokerLog { [said] in said.add("\($0.level): \($0.line)") }
            return try TokenKeyFile(path: path, log: log, waitsAtMost: .seconds(300))
        }
    }

    final class Said: Sendable {
        private let lines = Locked<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    private let place = Place()
    private let start = MonotonicTime(nanoseconds: 1 << 60)

    private func count(_ file: TokenKeyFile, _ id: String?, after seconds: Int = 0) -> Int {
        file.keys(for: .edDSA, id: id, now: start + .seconds(seconds)).count
    }

    @Test("a token names its key; one that names none is tried against all of its algorithm")
    func selection() throws {
        try place.write(
            TestKeys.set([
                TestKeys.publicKey(.edDSA, id: "a"), TestKeys.publicKey(.edDSA, id: nil),
                TestKeys.publicKey(.es256, id: "a"),
            ]))
        let file = try place.open()
        #expect(count(file, "a") == 1)
        #expect(count(file, nil) == 2)
        #expect(count(file, "b") == 0)
        #expect(file.keys(for: .rs256, id: nil, now: start).isEmpty)
        #expect(file.keys(for: .hs256, id: "a", now: start).isEmpty)
    }

    @Test("a kid that is not there has the file looked at, and read again where it has changed")
    func rotation() throws {
        try place.write(TestKeys.set([TestKeys.publicKey(.edDSA, id: "a")]))
        let file = try place.open()
        #expect(count(file, "b") == 0)
        #expect(place.said.all.isEmpty, "it has not changed")
        try place.write(TestKeys.set([TestKeys.publicKey(.edDSA, id: "b")]))
        #expect(count(file, "a") == 1, "nothing had it looked at yet")
        #expect(count(file, "b") == 1)
        #expect(count(file, "a") == 0)
        #expect(place.said.all.count == 1)
    }

    @Test("a file from which every usable key is gone is wrong, and changes nothing")
    func nothingUsable() throws {
        try place.write(TestKeys.set([TestKeys.publicKey(.edDSA, id: "a")]))
        let file = try place.open()
        try place.write(Array(#"{"keys": [{"kty": "oct", "k": "AAAA", "kid": "short"}]}"#.utf8))
        #expect(count(file, "b") == 0)
        #expect(count(file, "a") == 1)
        #expect(place.said.all.count == 1 && place.said.all[0].hasPrefix("error: the keys stay as they were"))
    }

    @Test("looking at the file is bounded: 10 times at once, then 100 a second")
    func looksAreBounded() throws {
        try place.write(TestKeys.set([TestKeys.publicKey(.edDSA, id: "a")]))
        let file = try place.open()
        _ = count(file, "a", after: 40)  // so that the time to look anyway is far away
        for _ in 0..<10 { #expect(count(file, "b", after: 40) == 0) }
        try place.write(TestKeys.set([TestKeys.publicKey(.edDSA, id: "b")]))
        #expect(count(file, "b", after: 40) == 0)
        #expect(count(file, "b", after: 41) == 1)
    }

    @Test("a pipe in its place is refused at once, and the keys stay")
    func pipe() throws {
        try place.write(TestKeys.set([TestKeys.publicKey(.edDSA, id: "a")]))
        let file = try place.open()
        try FileManager.default.removeItem(atPath: place.path)
        try #require(unsafe mkfifo(place.path, 0o600) == 0)
        #expect(count(file, "b") == 0)
        #expect(count(file, "a") == 1)
        let reason = "the key set '\(place.path)' cannot be read: it is a pipe, and no regular file"
        #expect(place.said.all == ["error: the keys stay as they were: \(reason)"])
        #expect(throws: TokenKeyFile.Failure.self) { try place.open() }
    }

    @Test("keys that are gone from the file are refused within 30 seconds, without a new kid")
    func removal() throws {
        try place.write(TestKeys.set([TestKeys.publicKey(.edDSA, id: "a"), TestKeys.publicKey(.edDSA, id: "b")]))
        let file = try place.open()
        #expect(count(file, "a") == 1)
        try place.write(TestKeys.set([TestKeys.publicKey(.edDSA, id: "b")]))
        #expect(count(file, "a", after: 29) == 1)
        #expect(count(file, "a", after: 30) == 0)
    }

    @Test("a file that is wrong, or gone, leaves the keys as they were, and is told once")
    func wrongLater() throws {
        try place.write(TestKeys.set([TestKeys.publicKey(.edDSA, id: "a")]))
        let file = try place.open()
        try place.write(Array("{".utf8))
        for _ in 0..<5 { #expect(count(file, "b") == 0) }
        #expect(count(file, "a") == 1)
        #expect(place.said.all.count == 1)
        #expect(place.said.all.first?.contains("stay as they were") == true)
        try FileManager.default.removeItem(atPath: place.path)
        #expect(count(file, "b") == 0)
        #expect(count(file, "a") == 1)
    }

    @Test("at the start a file that is missing, wrong, or without a usable key is refused, with the place")
    func wrongAtStart() throws {
        func words() -> String {
            do {
                _ = try place.open()
                return ""
            } catch {
                return "\(error)"
            }
        }
        #expect(words().contains(place.path))
        try place.write(Array("{\n\n\"keys\": 1}".utf8))
        #expect(words().contains("\(place.path):1"))
        try place.write(TestKeys.set([#"{"kty":"OKP","crv":"X25519","x":"AA"}"#]))
        #expect(words().contains("Ed25519"))
        try place.write([UInt8](repeating: 0x20, count: TokenKeyFile.maxBytes + 1))
        #expect(words().contains("it has more than 1 MiB"))
    }
}
