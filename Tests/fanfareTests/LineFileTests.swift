import Foundation
import Glibc
import Testing
import Transport

@testable import fanfare

/// Files and pipes that are read line by line.
@Suite struct LineFileTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "fanfare-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func path(_ name: String) -> String { folder.path() + "/" + name }

    private func reason(_ body: () throws(FileFailure) -> Void) -> FileFailure? {
        do throws(FileFailure) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test("a line has a bound, and one that is longer is told with its number", arguments: [true, false])
    func bound(hasEnd: Bool) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let fits = String(repeating: "x", count: 4_000_000)
        let text = "a\n" + fits + "\n" + fits + "x" + (hasEnd ? "\nb\n" : "")
        try Data(text.utf8).write(to: URL(filePath: path("lines")))
        let file = try LineFile(path("lines"), maxLineBytes: 4_000_000)
        #expect(try file.next() == [0x61])
        #expect(try file.next()?.count == 4_000_000)
        #expect(
            reason { () throws(FileFailure) in _ = try file.next() }
                == FileFailure("a line has more than 4000000 bytes", line: 3))
    }

    @Test("each byte of a long line is looked at once")
    func linear() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        // A search from the line's beginning after each part that is read would look at 2 GiB here.
        let long = [UInt8](repeating: 0x78, count: LineFile.maxLineBytes)
        try Data(long + [0x0A, 0x79]).write(to: URL(filePath: path("long")))
        let file = try LineFile(path("long"))
        #expect(try file.next() == long)
        #expect(try file.next() == [0x79])
        #expect(try file.next() == nil)
    }

    @Test("a folder, a device and a socket are refused; a pipe, where it has to be a file")
    func kinds() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(unsafe mkfifo(path("pipe"), 0o600) == 0)
        for (path, words) in [(folder.path(), "a folder"), ("/dev/zero", "a device")] {
            let failure = reason { () throws(FileFailure) in _ = try LineFile(path) }
            #expect(failure == FileFailure("it is \(words), no file"))
        }
        let pipe = path("pipe")
        let failure = reason { () throws(FileFailure) in _ = try LineFile(pipe, isFile: true) }
        #expect(failure == FileFailure("it is a pipe, no file"))
    }

    @Test("a pipe that nobody writes into is waited for as long as it is to go on")
    func pipe() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(unsafe mkfifo(path("pipe"), 0o600) == 0)
        var asked = 0
        let idle = try LineFile(path("pipe")) {
            asked += 1
            return asked < 2
        }
        #expect(reason { () throws(FileFailure) in _ = try idle.next() } != nil)
        #expect(asked == 2)
        let file = try LineFile(path("pipe"))
        let writer = try FileHandle(forWritingTo: URL(filePath: path("pipe")))
        try writer.write(contentsOf: Data("one\ntwo".utf8))
        #expect(try file.next() == Array("one".utf8))
        try writer.close()
        #expect(try file.next() == Array("two".utf8))
        #expect(try file.next() == nil)
    }
}
