import Foundation
import Testing

@testable import Storage

/// What is said of what stands in the place of a store's file, whoever opens it.
@Suite struct StoredFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// What each who opens a file is told.
    private func reasons(_ path: String) -> [String?] {
        func reason(_ open: () throws(StoreError) -> Void) -> String? {
            do throws(StoreError) {
                try open()
                return nil
            } catch {
                return error.reason
            }
        }
        return [
            reason { () throws(StoreError) in _ = try SQLiteStore(file: path) },
            reason { () throws(StoreError) in _ = try StoreImport(file: path) },
            reason { () throws(StoreError) in _ = try StoreMerge(file: path) },
            reason { () throws(StoreError) in _ = try StoreCheck.run(path) },
            reason { () throws(StoreError) in _ = try StoreSnapshot(file: path) },
            reason { () throws(StoreError) in try StoreBackup.make(of: path, to: folder.file("copy.db")) },
            reason { () throws(StoreError) in _ = try AuditTrail.read(path, AuditTrail.Query()) },
        ]
    }

    @Test(arguments: ["a pipe", "a folder", "a socket", "a device"])
    func `What is no regular file is refused at once, and said to be what it is`(kind: String) throws {
        let path = kind == "a device" ? "/dev/null" : folder.file()
        switch kind {
        case "a pipe": #expect(unsafe mkfifo(path, 0o600) == 0)
        case "a folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        case "a socket": #expect(unsafe mknod(path, S_IFSOCK | 0o600, 0) == 0)
        default: break
        }
        for reason in reasons(path) { #expect(reason == "\(path) is \(kind), and no file of a store") }
        #expect(!FileManager.default.fileExists(atPath: path + ".lock"), "nothing is made beside it")
    }

    @Test func `A folder with a store in it is said to have one`() throws {
        try #require(SQLiteStore(file: folder.file()).close() == nil)
        for reason in reasons(folder.path) {
            #expect(reason?.hasSuffix("; the store in it is \(folder.file())") == true, "\(reason ?? "")")
        }
    }

    @Test func `A file of 0 bytes that was a store is refused by all in the same words`() throws {
        try #require(SQLiteStore(file: folder.file()).close() == nil)
        try Data().write(to: URL(filePath: folder.file()))
        let reasons = reasons(folder.file())
        #expect(reasons[0]?.contains("has 0 bytes and was a store: put a copy of it in its place") == true)
        for reason in reasons { #expect(reason == reasons[0]) }
        try FileManager.default.createSymbolicLink(atPath: folder.file("link.db"), withDestinationPath: "fanfare.db")
        let error = #expect(throws: StoreError.self) { try StoreCheck.run(folder.file("link.db")) }
        #expect(error?.reason == reasons[0], "by another name too")
    }

    @Test
    func `A copy that is put beside the write-ahead log of what it replaces is refused by all, until that is removed`()
        throws
    {
        try #require(SQLiteStore(file: folder.file()).close() == nil)
        try StoreBackup.make(of: folder.file(), to: folder.file("copy.db"))
        try FileManager.default.removeItem(atPath: folder.file())
        try FileManager.default.moveItem(atPath: folder.file("copy.db"), toPath: folder.file())
        try Data("what came after the copy".utf8).write(to: URL(filePath: folder.file() + "-wal"))
        let words =
            "\(folder.file()) is a copy, and the write-ahead log of another file lies beside it: remove \(folder.file())-wal and \(folder.file())-shm"
        for reason in reasons(folder.file()) { #expect(reason == words) }
        let error = #expect(throws: StoreError.self) { try SQLiteStore(file: folder.file()) }
        #expect(error == .unusable(words))
        try FileManager.default.removeItem(atPath: folder.file() + "-wal")
        let store = try SQLiteStore(file: folder.file())
        #expect(try StoreCheck.run(folder.file()) == StoreCheck.Outcome(), "one with a log of its own is not")
        #expect(store.close() == nil)
    }

    @Test(arguments: ["a b?c#d%41ä.db", "file:x.db", "~&=+.db"])
    func `A store is read whatever its name has in it`(name: String) throws {
        try #require(SQLiteStore(file: folder.file(name)).close() == nil)
        #expect(try StoreCheck.run(folder.file(name)) == StoreCheck.Outcome())
    }

    @Test func `A store's error is its reason in a line for people`() {
        #expect("\(StoreError.unavailable("no room"))" == "no room")
        #expect("\(StoreError.closed)" == "it is closed")
    }
}
