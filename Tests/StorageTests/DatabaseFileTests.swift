import Foundation
import Reactions
import Testing

@testable import Storage

/// Which files are opened, and what is said of the others.
@Suite struct DatabaseFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func unusableReason(_ name: String = "fanfare.db") -> String? {
        do throws(StoreError) {
            _ = try SQLiteStore(file: folder.file(name))
            return nil
        } catch .unusable(let reason) {
            return reason
        } catch {
            return nil
        }
    }

    private func unavailableReason(_ path: String) -> String? {
        do throws(StoreError) {
            _ = try SQLiteStore(file: path)
            return nil
        } catch .unavailable(let reason) {
            return reason
        } catch {
            return nil
        }
    }

    private func makeStore(_ name: String = "fanfare.db") async throws {
        let store = try SQLiteStore(file: folder.file(name))
        let records = (1...2_000).map { Record.entry("user-\($0)", seq: UInt64($0)) }
        #expect(await store.commit("chat:42", 2_000, records).isSuccess)
        store.close()
    }

    private func overwrite(_ name: String, at offset: UInt64, count: Int) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: folder.file(name)))
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data(repeating: 0xA5, count: count))
        try file.close()
    }

    @Test func `Missing folders are made, for the owner alone`() throws {
        let store = try SQLiteStore(file: folder.file("a/b/fanfare.db"))
        for (path, mode) in [("a", 0o700), ("a/b", 0o700), ("a/b/fanfare.db", 0o600), ("a/b/fanfare.db-wal", 0o600)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(path))
            #expect(attributes[.posixPermissions] as? Int == mode, "\(path)")
        }
        store.close()
    }

    @Test func `A path may be relative and without a folder`() throws {
        #expect(try DatabaseFile("fanfare.db").path == FileManager.default.currentDirectoryPath + "/fanfare.db")
        #expect(throws: StoreError.self) { try DatabaseFile("folder/") }
    }

    @Test func `A folder that cannot be made or written is unavailable`() throws {
        try Data().write(to: URL(filePath: folder.file("file")))
        #expect(unavailableReason("/proc/fanfare/fanfare.db")?.contains("cannot make the folder /proc/fanfare") == true)
        #expect(unavailableReason("/proc/fanfare.db") != nil)
        #expect(
            unavailableReason(folder.file("file/x"))
                == "\(folder.file("file")) is a file, and is to be the folder of one")
    }

    @Test func `A closed database is free although a child that is starting has copies of its descriptors`() throws {
        let store = try SQLiteStore(file: folder.file())
        let copies = try descriptors(of: folder.path).map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
        #expect(copies.count >= 2 && copies.allSatisfy { $0 >= 0 })
        store.close()
        #expect(unavailableReason(folder.file()) == nil)
        for copy in copies { close(copy) }
    }

    /// Those of this process whose files lie in a folder.
    private func descriptors(of folder: String) throws -> [CInt] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
            // One may be closed meanwhile by another test.
            let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            return file?.hasPrefix(folder + "/") == true ? CInt(name) : nil
        }
    }

    @Test func `A second broker is refused, and told who has the file`() throws {
        let first = try SQLiteStore(file: folder.file())
        let reason = unavailableReason(folder.file())
        #expect(reason?.contains("process \(getpid()) has it") == true)
        try FileManager.default.createSymbolicLink(atPath: folder.file("link.db"), withDestinationPath: "fanfare.db")
        #expect(unavailableReason(folder.file("link.db"))?.contains("only one broker") == true, "by another name too")
        first.close()
        #expect(unavailableReason(folder.file()) == nil)
    }

    @Test func `A second broker is refused also where the lock file was removed`() async throws {
        let first = try SQLiteStore(file: folder.file())
        try FileManager.default.removeItem(atPath: folder.file() + ".lock")
        let reason = unavailableReason(folder.file())
        #expect(
            reason?.contains("only one broker may use a database: another process has it") == true, "\(reason ?? "")")
        #expect(await first.commit("chat:42", 1, [.entry("ada")]).isSuccess)
        first.close()
        #expect(try await SQLiteStore(file: folder.file()).load("chat:42").seq == 1)
    }

    @Test func `A newer version is refused`() async throws {
        try await makeStore()
        try Outsider(folder.file()).run("PRAGMA user_version = 99")
        #expect(unusableReason()?.contains("newer Fanfare (its schema is 99") == true)
    }

    @Test func `A version below zero is damage`() async throws {
        try await makeStore()
        try Outsider(folder.file()).run("PRAGMA user_version = -1")
        #expect(unusableReason()?.contains("damaged") == true)
    }

    @Test(arguments: ["CREATE TABLE x (y)", "PRAGMA application_id = 7", "PRAGMA user_version = 1"])
    func `Another program's database is left alone`(_ sql: String) throws {
        try Outsider(folder.file()).run(sql)
        let before = try Data(contentsOf: URL(filePath: folder.file()))
        #expect(unusableReason()?.contains("another program") == true)
        #expect(try Data(contentsOf: URL(filePath: folder.file())) == before)
    }

    @Test func `A file that is no database is left alone`() throws {
        let text = Data("This is a letter to a friend.\n".utf8) + Data(repeating: 0x20, count: 5_000)
        try text.write(to: URL(filePath: folder.file()))
        #expect(unusableReason()?.contains("not a SQLite database") == true)
        #expect(try Data(contentsOf: URL(filePath: folder.file())) == text)
    }

    @Test func `A damaged header is told at opening`() async throws {
        try await makeStore()
        try overwrite("fanfare.db", at: 0, count: 200)
        #expect(unusableReason()?.contains("damaged") == true)
    }

    @Test func `Missing tables are told at opening`() async throws {
        try await makeStore()
        try Outsider(folder.file()).run("DROP TABLE entries")
        #expect(unusableReason()?.contains("there is no table entries") == true)
    }

    @Test func `Damage inside is told by the load that meets it`() async throws {
        try await makeStore()
        let size = try Data(contentsOf: URL(filePath: folder.file())).count
        try overwrite("fanfare.db", at: 8_192, count: size - 8_192)
        let store: SQLiteStore
        do { store = try SQLiteStore(file: folder.file()) } catch StoreError.unusable { return }
        await #expect { try await store.load("chat:42") } throws: { error in
            if case StoreError.unusable(let reason) = error { reason.contains("damaged") } else { false }
        }
    }

    @Test func `An empty file becomes a store, also where the lock of a first start is left that never made one`()
        throws
    {
        try Data().write(to: URL(filePath: folder.file()))
        try Data("4711\n".utf8).write(to: URL(filePath: folder.file() + ".lock"))
        #expect(try SQLiteStore(file: folder.file()).epoch.count == 16)
    }

    @Test func `A store that was cut to 0 bytes is refused until it is removed`() async throws {
        try await makeStore()
        for _ in 1...2 {
            try Data().write(to: URL(filePath: folder.file()))
            #expect(unusableReason()?.contains("has 0 bytes and was a store") == true)
        }
        try FileManager.default.removeItem(atPath: folder.file())
        #expect(try SQLiteStore(file: folder.file()).epoch.count == 16)
    }

    @Test func `A file of 0 bytes with a write-ahead log is refused, and keeps the log`() throws {
        try Data().write(to: URL(filePath: folder.file()))
        try Data("what was not copied".utf8).write(to: URL(filePath: folder.file() + "-wal"))
        #expect(unusableReason()?.contains("has 0 bytes and was a store") == true)
        #expect(try Data(contentsOf: URL(filePath: folder.file() + "-wal")).count == 19)
    }

    @Test func `Whoever is refused is told the process that has the file, also where it is a store already`() throws {
        for _ in 1...2 {
            let store = try SQLiteStore(file: folder.file())
            #expect(unavailableReason(folder.file())?.contains("process \(getpid()) has it") == true)
            store.close()
        }
    }

    private func truncate(to size: UInt64) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: folder.file()))
        try file.truncate(atOffset: size)
        try file.close()
    }

    private func bytes(_ suffix: String = "") throws -> Data {
        // Data(contentsOf:) leaks a page for a file that is empty.
        let file = try FileHandle(forReadingFrom: URL(filePath: folder.file() + suffix))
        defer { try? file.close() }
        return try file.readToEnd() ?? Data()
    }

    @Test(arguments: [0, 4_096]) func `What would be written to a file that was cut short is refused`(size: UInt64)
        async throws
    {
        try await makeStore()
        let store = try SQLiteStore(file: folder.file())
        #expect(await store.commit("chat:42", 2_001, [.entry("ada", seq: 2_001)]).isSuccess)
        let whole = try bytes()
        try truncate(to: size)
        for channel in ["chat:42", "chat:7"] {
            let reason = await store.commit(channel, 2_002, [.entry("bob", seq: 2_002)]).unavailability
            #expect(reason?.contains("cut short") == true, "\(reason ?? "none")")
        }
        let revoked = await withCheckedContinuation { continuation in
            store.revoke(Revocation(user: "eve", at: 5, by: "mod")) { continuation.resume(returning: $0) }
        }
        #expect(revoked.unavailability?.contains("cut short") == true)
        let removed = await withCheckedContinuation { continuation in
            store.outbox.remove("q", oldest: 1) { continuation.resume(returning: $0) }
        }
        #expect(throws: StoreError.self) { try removed.get() }
        let (cut, log) = (try bytes(), try bytes("-wal"))
        #expect(store.close()?.reason.contains("the file was cut short while it was in use") == true)
        #expect(try bytes() == cut && bytes("-wal") == log, "nothing was written at the end")
        #expect(cut == whole.prefix(Int(size)) && !log.isEmpty)
    }

    @Test func `A file that was cut before anything was changed, or grew again, is not written either`() async throws {
        try await makeStore()
        let whole = try bytes()
        let store = try SQLiteStore(file: folder.file())
        try truncate(to: 8_192)
        #expect(await store.commit("chat:7", 1, [.entry("ada")]).unavailability?.contains("cut short") == true)
        try truncate(to: UInt64(whole.count) * 2)
        #expect(await store.commit("chat:8", 1, [.entry("ada")]).unavailability?.contains("cut short") == true)
        let grown = try bytes()
        #expect(store.close() != nil)
        #expect(try bytes() == grown)
    }

    @Test func `A file that is cut when all is done is left as it is`() async throws {
        try await makeStore()
        let store = try SQLiteStore(file: folder.file())
        #expect(await store.commit("chat:42", 2_001, [.entry("ada", seq: 2_001)]).isSuccess)
        try truncate(to: 4_096)
        let cut = try bytes()
        #expect(store.close()?.reason.contains("cut short") == true)
        #expect(try bytes() == cut)
    }

    @Test func `A store that is closed in order says nothing, one whose file was moved away says so`() throws {
        #expect(try SQLiteStore(file: folder.file()).close() == nil)
        let store = try SQLiteStore(file: folder.file())
        try FileManager.default.moveItem(atPath: folder.file(), toPath: folder.file("away.db"))
        #expect(store.close()?.reason.contains("moved or removed while it was in use") == true)
        #expect(try StoreCheck.run(folder.file("away.db")).faults == [])
    }

    @Test func `What would be written to a file that was removed is refused`() async throws {
        let store = try SQLiteStore(file: folder.file())
        #expect(await store.commit("chat:42", 1, [.entry("ada")]).isSuccess)
        let path = folder.file()
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        let reason = await store.commit("chat:42", 2, [.entry("bob", seq: 2)]).unavailability
        #expect(reason?.contains("moved or removed") == true)
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        #expect(try await store.load("chat:42").seq == 1)
        #expect(await store.commit("chat:42", 2, [.entry("bob", seq: 2)]).isSuccess)
        store.close()
    }
}
