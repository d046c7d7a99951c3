import Foundation
import Glibc
import Testing

@testable import Transport

/// Files of settings and secrets, and what may stand in their place.
@Suite struct RegularFileTests {
    /// A folder of a test's own.
    final class Folder {
        let path = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID().uuidString)").path()

        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }
        deinit { try? FileManager.default.removeItem(atPath: path) }

        func file(_ bytes: [UInt8]) throws -> String {
            try Data(bytes).write(to: URL(filePath: path + "/file"))
            return path + "/file"
        }
    }

    private let folder: Folder

    init() throws { folder = try Folder() }

    private func complaint(_ path: String, atMost most: Int = RegularFile.usualMost) -> String? {
        do throws(RegularFile.Failure) {
            _ = try RegularFile.bytes(at: path, atMost: most)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("a file is read whole, through a link too", arguments: [0, 1, 65_535, 65_536, 65_537, 1_000_000])
    func whole(size: Int) throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let path = try folder.file(bytes)
        #expect(try RegularFile.bytes(at: path) == bytes)
        try FileManager.default.createSymbolicLink(atPath: path + "-link", withDestinationPath: path)
        #expect(try RegularFile.bytes(at: path + "-link") == bytes)
    }

    @Test("a file has as many bytes as it may, and not one more")
    func bound() throws {
        let path = try folder.file([UInt8](repeating: 7, count: 1_000))
        #expect(try RegularFile.bytes(at: path, atMost: 1_000).count == 1_000)
        #expect(complaint(path, atMost: 999) == "it has more than 999 bytes")
        // It says itself that it is empty, and is not.
        #expect(complaint("/proc/self/status", atMost: 10) == "it has more than 10 bytes")
    }

    @Test("a pipe that nobody writes into is refused at once, read or looked at")
    func pipe() throws {
        let path = folder.path + "/pipe"
        try #require(unsafe mkfifo(path, 0o600) == 0)
        #expect(complaint(path) == "it is a pipe, and no regular file")
        #expect(throws: RegularFile.Failure.self) { try RegularFile.check(path) }
    }

    @Test(
        "so is what has no end or is no file",
        arguments: [("/dev/zero", "a device"), ("/dev/full", "a device"), ("/", "a folder")])
    func others(path: String, kind: String) {
        #expect(complaint(path) == "it is \(kind), and no regular file")
    }

    @Test("what the system says of a file is told")
    func missing() throws {
        #expect(complaint(folder.path + "/none") == "No such file or directory")
        #expect(complaint("/dev/null/none") == "Not a directory")
        #expect(throws: Never.self) { try RegularFile.check(try folder.file([])) }
    }

    @Test("reading keeps no descriptor open, whatever comes of it")
    func descriptors() throws {
        let path = try folder.file([1])
        for _ in 0..<2_000 { _ = (complaint(path), complaint(folder.path), complaint(path, atMost: 0)) }
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        #expect(!open.contains { $0.hasPrefix(folder.path) }, "\(open)")
    }
}
