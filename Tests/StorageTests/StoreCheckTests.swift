import Foundation
import Reactions
import Testing

@testable import Storage

/// What the search for damage finds.
@Suite struct StoreCheckTests {
    private let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        let store = try SQLiteStore(file: folder.file())
        let group = Record.group(
            message: "m1", reaction: Reaction(canonical: "👍"), .init(started: 1, first: 5, last: 6))
        _ = await store.commit(
            "chat:1", 3,
            [.message("m1", .init(changed: 2)), group, .entry("ada"), .entry("bob", seq: 2), .key("k", at: 1)])
        store.close()
    }

    @Test func `A store that nothing happened to is whole`() throws {
        let outcome = try StoreCheck.run(folder.file())
        #expect(outcome == StoreCheck.Outcome(faults: [], channels: 1, reactions: 2))
    }

    @Test(
        arguments: [
            ("DELETE FROM channels", "a message has no channel: m1"),
            ("DELETE FROM messages", "a group has no message: 👍"),
            ("DELETE FROM messages", "a reaction has no message: ada"),
            ("DELETE FROM channels", "a key has no channel: k"),
            ("INSERT INTO sweeps VALUES (99, '👍', 1)", "a sweep has no message: 👍"),
            ("UPDATE channels SET seq = -1", "a channel's seq is out of range: chat:1"),
            ("UPDATE channels SET seq = 1", "a message changed after its channel's seq: m1"),
            ("UPDATE groups SET started = 4", "a group began after its channel's seq: 👍"),
            ("UPDATE entries SET touched = 4 WHERE user = 'bob'", "a reaction came after its channel's seq: bob"),
            ("UPDATE entries SET count = 0 WHERE user = 'bob'", "a reaction counts nothing: bob"),
            ("UPDATE messages SET deleted = 1", "a deleted message has reactions: m1"),
            ("DELETE FROM groups", "a reaction has no group: ada"),
            ("DELETE FROM meta", "the epoch is not there once: 0"),
            ("DELETE FROM lives", "the record of lives is not there once: 0"),
        ])
    func `Each kind of contradiction is told`(damage: String, fault: String) throws {
        do { try Outsider(folder.file()).run(damage) }
        #expect(try StoreCheck.run(folder.file()).faults.contains(fault))
    }

    @Test func `Swept entries and channels on their way out are no faults`() throws {
        let other = try Outsider(folder.file())
        try other.run("DELETE FROM groups; INSERT INTO sweeps SELECT id, '👍', 2 FROM messages")
        #expect(try StoreCheck.run(folder.file()).faults == [])
        try other.run("DELETE FROM sweeps; UPDATE channels SET name = ' 1'")
        #expect(try StoreCheck.run(folder.file()) == StoreCheck.Outcome())
    }

    @Test(arguments: [1, 7, 42])
    func `Bytes that were changed in the file are found or do no harm, and never end the search badly`(_ seed: UInt64)
        throws
    {
        var bytes = try Data(contentsOf: URL(filePath: folder.file()))
        // The first page has the header and the schema; what is changed there may make it no database of ours.
        for index in stride(from: 4_096 + Int(seed), to: bytes.count, by: 97) { bytes[index] ^= 0x5A }
        try bytes.write(to: URL(filePath: folder.file()))
        #expect(try StoreCheck.run(folder.file()).faults != [])
    }

    @Test func `Whatever serve or export refuse is never called whole, table by table and column by column`() throws {
        let (file, copy) = (folder.file(), folder.file("broken.db"))
        let (tables, columns) = try fillAndList(file)
        #expect(tables.count == 11 && columns.count > 40, "the store has them")
        var damages = tables.map { "DROP TABLE \($0)" }
        for (table, column) in columns {
            damages.append("ALTER TABLE \(table) RENAME COLUMN \(column) TO other")
            // Text that is not UTF-8 is refused by columns of text, as they are strict: those of numbers refuse it here.
            damages.append("UPDATE \(table) SET \(column) = CAST(x'ff' AS TEXT)")
            damages.append("UPDATE \(table) SET \(column) = 'none of ours'")
            damages.append("UPDATE \(table) SET \(column) = \(Int64.min)")
        }
        var refused = 0
        for damage in damages {
            try? FileManager.default.removeItem(atPath: copy)
            try StoreBackup.make(of: file, to: copy)
            try? Outsider(copy).run(damage)
            let faults = (try? StoreCheck.run(copy).faults) ?? ["it cannot be read"]
            let reasons = [servingFault(copy), exportFault(copy)].compactMap { $0 }
            if reasons.isEmpty { continue }
            refused += 1
            #expect(faults != [], "\(damage): \(reasons)")
        }
        #expect(refused > tables.count, "most tables are missed when they are gone, and some columns")
    }

    /// Puts something into every table, and gives their names and columns.
    private func fillAndList(_ file: String) throws -> (tables: [String], columns: [(String, String)]) {
        let other = try Outsider(file)
        try other.run(
            """
            INSERT INTO outbox (queue, at, body) VALUES ('chat', 1, x'7b7d');
            INSERT INTO revocations (user, at, by) VALUES ('eve', 1, 'mod');
            INSERT INTO sweeps VALUES (1, '🎉', 1);
            INSERT INTO audit (at, action, by, channel, message, reaction, user, removed, seq)
            VALUES (1, 'clear', 'mod', 'chat:1', 'm1', '👍', 'ada', 1, 1);
            UPDATE entries SET data_text = '{}', data_canonical = '{}'
            """)
        func words(_ sql: String) throws -> [String] {
            (try other.text(sql) ?? "").split(separator: " ").map(String.init)
        }
        let tables = try words("SELECT group_concat(name, ' ') FROM sqlite_schema WHERE type = 'table'")
        let columns = try tables.flatMap { table in
            try words("SELECT group_concat(name, ' ') FROM pragma_table_info('\(table)')").map { (table, $0) }
        }
        return (tables, columns)
    }

    /// Why a broker refuses a file, or something in it; `nil`: it does not.
    private func servingFault(_ file: String) -> String? {
        do {
            let engine = try Engine(file: file)
            defer { engine.database.leaveFile() }
            _ = try engine.revocations()
            _ = try engine.pendingInOutbox()
            _ = try engine.readOutbox("chat", limit: 10)
            _ = try engine.read("chat:1", keysSince: .min)
            return nil
        } catch { return "\(error)" }
    }

    /// Why an export refuses a file, or something in it; `nil`: it does not.
    private func exportFault(_ file: String) -> String? {
        do {
            let snapshot = try StoreSnapshot(file: file)
            _ = try snapshot.revocations()
            _ = try snapshot.auditEntries()
            for channel in snapshot.channels { _ = try snapshot.read(channel) }
            return nil
        } catch { return "\(error)" }
    }

    @Test(arguments: [18, 19])
    func `A file that SQLite only reads, or does not read at all, is refused by all alike`(byte: Int) throws {
        var bytes = try Data(contentsOf: URL(filePath: folder.file()))
        bytes[byte] = 9
        try bytes.write(to: URL(filePath: folder.file()))
        let words = "\(folder.file()) is damaged, or made by a later SQLite: its header has the file format 9"
        for attempt: () throws -> Void in [
            { _ = try StoreCheck.run(folder.file()) }, { _ = try SQLiteStore(file: folder.file()) },
            { _ = try StoreSnapshot(file: folder.file()) },
        ] {
            let error = #expect(throws: StoreError.self) { try attempt() }
            #expect(error?.reason.hasPrefix(words) == true, "\(error?.reason ?? "")")
        }
    }

    @Test func `What is no store is no damage but an error`() throws {
        try Data("no database, but long enough to be taken for one".utf8).write(to: URL(filePath: folder.file("x.db")))
        #expect(throws: StoreError.self) { try StoreCheck.run(folder.file("x.db")) }
        #expect(throws: StoreError.self) { try StoreCheck.run(folder.file("none.db")) }
    }
}
