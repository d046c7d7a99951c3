import Foundation
import Reactions
import Testing

@testable import Storage

/// Whatever is wrong with a file, the search finds it before a broker or an export stumbles over it.
@Suite struct StoreDamageTests {
    private let folder: TemporaryFolder
    private let tables: [String]
    private let columns: [Column]

    private struct Column: CustomStringConvertible {
        let table: String
        let name: String
        let type: String
        /// Whether it is the number of a row, which cannot be anything else.
        let isRowNumber: Bool

        var description: String { "\(table).\(name)" }
    }

    /// Makes a store with something in every table.
    init() throws {
        folder = try TemporaryFolder()
        _ = try Engine(file: folder.file())
        let other = try Outsider(folder.file())
        try other.run(
            """
            INSERT INTO channels (id, name, seq, frozen, touched) VALUES (1, 'chat:1', 9, 0, 1);
            INSERT INTO messages (id, channel, name, changed, deleted) VALUES (1, 1, 'm1', 2, 0);
            INSERT INTO groups VALUES (1, '👍', 1, 1, 1);
            INSERT INTO entries VALUES (1, '👍', 'ada', 1, 2, 2, 1, '{}', '{}');
            INSERT INTO sweeps VALUES (1, '🎉', 1);
            INSERT INTO keys (channel, user, key, at, body, answer) VALUES (1, 'ada', 'k', 1, x'01', x'02');
            INSERT INTO outbox (queue, at, body) VALUES ('chat', 1, x'7B7D');
            INSERT INTO audit (at, action, by, channel, message, reaction, user, removed, seq)
            VALUES (1, 'cleared', 'mo', 'chat:1', 'm1', '👍', 'ada', 1, 2);
            INSERT INTO revocations VALUES ('eve', 1, 'mo');
            """)
        func list(_ query: String) throws -> [String] {
            try other.text("SELECT group_concat(x, ' ') FROM (\(query))")?.split(separator: " ").map(String.init) ?? []
        }
        tables = try list("SELECT name AS x FROM sqlite_schema WHERE type = 'table'")
        columns = try list(
            """
            SELECT t.name || ':' || c.name || ':' || c.type || ':' || (NOT t.wr AND c.pk) AS x
            FROM pragma_table_list AS t, pragma_table_info(t.name) AS c WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite%'
            """
        ).map { text in
            let parts = text.split(separator: ":").map(String.init)
            return Column(table: parts[0], name: parts[1], type: parts[2], isRowNumber: parts[3] == "1")
        }
        for table in tables { #expect(try other.text("SELECT count(*) FROM \(table)") != "0", "\(table) has a row") }
    }

    /// What the search says of a copy of the store that something was done to; `nil`: that cannot be done to it.
    private func faults(after damage: String, name: String = "damaged.db") throws -> [String]? {
        let file = folder.file(name)
        try? FileManager.default.removeItem(atPath: file)
        try FileManager.default.copyItem(atPath: folder.file(), toPath: file)
        do { try Outsider(file).run(damage) } catch is Outsider.Failure { return nil }
        return try StoreCheck.run(file).faults
    }

    /// What a broker says of the same copy; `nil`: it serves it.
    private func refusal(of name: String = "damaged.db") throws -> String? {
        do throws(StoreError) {
            _ = try Engine(file: folder.file(name))
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func `A store with something in every table is whole, and a broker begins`() throws {
        #expect(try #require(try faults(after: "SELECT 1")) == [])
        #expect(try refusal() == nil)
        #expect(tables.count >= 11 && columns.count >= 50)
    }

    @Test func `A table that is missing is named, by the search and by a broker, which says what to do`() throws {
        for table in tables {
            #expect(try #require(try faults(after: "DROP TABLE \(table)")) == ["there is no table \(table)"])
            let refusal = try #require(try refusal(), "without \(table)")
            #expect(refusal.contains("there is no table \(table)") && refusal.contains("put a copy in its place"))
        }
    }

    @Test func `A column that is missing or has another name is named`() throws {
        var dropped = 0
        for column in columns {
            for change in ["RENAME COLUMN \(column.name) TO x_\(column.name)", "DROP COLUMN \(column.name)"] {
                guard let faults = try faults(after: "ALTER TABLE \(column.table) \(change)") else { continue }
                if change.hasPrefix("DROP") { dropped += 1 }
                #expect(faults.contains("there is no column \(column)"))
                #expect(try #require(try refusal(), "\(change)").contains("put a copy in its place"))
            }
        }
        #expect(dropped > 20, "those without a key or an index")
    }

    @Test func `An index that is missing, and a column of another kind, are named`() throws {
        for index in ["audit_by_time", "keys_by_channel", "outbox_by_queue"] {
            #expect(try faults(after: "DROP INDEX \(index)") == ["there is no index \(index)"])
        }
        let other = "DROP TABLE revocations; CREATE TABLE revocations (user TEXT PRIMARY KEY, at TEXT, by TEXT) STRICT"
        let faults = try #require(try faults(after: other))
        #expect(faults.contains("the column revocations.at is not as a store has it"))
        #expect(faults.contains("the table revocations is not as a store has it"))
    }

    /// Has the tables take values of any type while something is done.
    private func withoutTypes(_ change: String) -> [String] {
        let open = "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql ="
        return [
            open + " replace(replace(sql, 'STRICT, WITHOUT', 'WITHOUT'), 'STRICT', '') WHERE type = 'table'",
            change,
            open
                + " CASE WHEN sql LIKE '%WITHOUT ROWID' THEN replace(sql, 'WITHOUT', 'STRICT, WITHOUT') ELSE sql || ' STRICT' END"
                + " WHERE type = 'table'",
        ]
    }

    @Test func `A value of the wrong type is found in every column`() throws {
        for column in columns where !column.isRowNumber {
            let value = ["INTEGER": "'words'", "TEXT": "x'00FF'", "BLOB": "7"][column.type]
            let change = "UPDATE \(column.table) SET \(column.name) = \(try #require(value))"
            let file = folder.file("\(column).db")
            try FileManager.default.copyItem(atPath: folder.file(), toPath: file)
            // Each with a connection of its own, which reads the schema anew.
            for step in withoutTypes(change) { try Outsider(file).run(step) }
            #expect(
                try StoreCheck.run(file).faults.contains("SQLite: non-\(column.type) value in \(column)"), "\(column)")
        }
    }

    @Test func `A text that is not UTF-8 is found in every column`() throws {
        for column in columns where column.type == "TEXT" {
            let faults = try faults(after: "UPDATE \(column.table) SET \(column.name) = CAST(x'61FF' AS TEXT)")
            #expect(try #require(faults).contains { $0.contains("a text is not UTF-8") }, "\(column)")
        }
    }

    @Test func `An action that no moderator has is found, as the audit and an export refuse it`() throws {
        let faults = try faults(after: "UPDATE audit SET action = 'nonsense'")
        #expect(faults == ["the audit cannot be read: entry 1: 'nonsense' is no action"])
        #expect(throws: StoreError.self) { try AuditTrail.read(folder.file("damaged.db"), AuditTrail.Query()) }
    }
}
