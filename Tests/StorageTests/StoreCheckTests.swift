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

    @Test func `What is no store is no damage but an error`() throws {
        try Data("no database, but long enough to be taken for one".utf8).write(to: URL(filePath: folder.file("x.db")))
        #expect(throws: StoreError.self) { try StoreCheck.run(folder.file("x.db")) }
        #expect(throws: StoreError.self) { try StoreCheck.run(folder.file("none.db")) }
    }
}
