import Foundation
import Reactions
import Testing

@testable import Storage

/// Reading a store whole, and putting what was read into another.
@Suite struct StoreImportTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func make(_ name: String, _ channels: [String: ChannelImage]) async throws {
        let store = try SQLiteStore(file: folder.file(name))
        for (channel, image) in channels { #expect(await store.commit(channel, image.seq, image.records).isSuccess) }
        store.close()
    }

    private func channels(_ name: String) throws -> [String: ChannelImage] {
        let snapshot = try StoreSnapshot(file: folder.file(name))
        var images: [String: ChannelImage] = [:]
        for channel in snapshot.channels { images[channel] = try snapshot.read(channel) }
        return images
    }

    private func copy(_ channels: [String: ChannelImage], to name: String, replaces: Bool = false) throws -> String {
        let target = try StoreImport(file: folder.file(name), replaces: replaces)
        for (channel, image) in channels { try target.add(channel, image) }
        try target.finish()
        return target.epoch
    }

    private let some = [
        "chat:1": ChannelImage(
            seq: 9,
            records: [
                .frozen(true), .message("m1", .init(changed: 7)), .message("m2", .init(changed: 9, isDeleted: true)),
                .group(message: "m1", reaction: Reaction(canonical: "👍"), .init(started: 1, first: 5, last: 6)),
                .entry("ada"), .entry("bob", seq: 7), .key("k", at: 4),
            ]),
        "clap:1": ChannelImage(
            seq: 2,
            records: [
                .entry(
                    message: "", user: "cy", reaction: Reaction(canonical: "👏"),
                    .init(
                        count: 700, given: 1, touched: 2, at: -5,
                        data: ReactionData(text: #"{"a":1.0}"#, canonical: #"{"a":1}"#)))
            ]),
    ]

    @Test func `What is read and put in elsewhere is the same there`() async throws {
        try await make("one.db", some)
        let read = try channels("one.db")
        #expect(read["chat:1"]?.contents == some["chat:1"]?.contents)
        _ = try copy(read, to: "two.db")
        #expect(try channels("two.db") == read)
        #expect(try StoreSnapshot(file: folder.file("two.db"), channel: "clap:1").channels == ["clap:1"])
    }

    @Test func `A store that had something is in another epoch afterwards, a new one in its own`() async throws {
        try await make("one.db", some)
        let before = try StoreSnapshot(file: folder.file("one.db")).epoch
        let epoch = try copy(["tap:1": ChannelImage(seq: 1)], to: "one.db")
        #expect(epoch != before)
        #expect(try SQLiteStore(file: folder.file("one.db")).epoch == epoch)
        let new = try copy(some, to: "new.db")
        #expect(try SQLiteStore(file: folder.file("new.db")).epoch == new)
    }

    @Test func `A channel that is there is not touched, unless it is to be replaced`() async throws {
        try await make("one.db", some)
        let other = [
            "chat:1": ChannelImage(seq: 3, records: [.entry("eve", on: "m1", seq: 3)]), "tap:1": ChannelImage(seq: 1),
        ]
        let before = try channels("one.db")
        #expect(throws: StoreError.self) { try copy(other, to: "one.db") }
        #expect(try channels("one.db") == before, "nothing of it was put in")
        _ = try copy(other, to: "one.db", replaces: true)
        #expect(try channels("one.db") == before.merging(other) { $1 })
        #expect(
            try Outsider(folder.file("one.db")).text("SELECT count(*) FROM entries") == "2", "the old rows are gone")
    }

    @Test func `Without its end nothing is there`() async throws {
        try await make("one.db", [:])
        do {
            let target = try StoreImport(file: folder.file("one.db"))
            try target.add("chat:1", ChannelImage(seq: 1, records: [.entry("ada")]))
            try target.add(Revocation(user: "eve", at: 5, by: "mod"))
        }
        #expect(try channels("one.db") == [:])
        #expect(try StoreSnapshot(file: folder.file("one.db")).revocations() == [])
    }

    @Test func `Without its end the epoch stays as well`() async throws {
        try await make("one.db", some)
        let before = try StoreSnapshot(file: folder.file("one.db")).epoch
        for _ in 0..<2 {
            let target = try StoreImport(file: folder.file("one.db"))
            #expect(target.epoch != before)
            try target.add("chat:2", ChannelImage(seq: 1, records: [.entry("ada")]))
        }
        #expect(try StoreSnapshot(file: folder.file("one.db")).epoch == before)
        #expect(try channels("one.db").keys.sorted() == some.keys.sorted())
    }

    @Test func `Revocations and the audit are put in as they are`() throws {
        let target = try StoreImport(file: folder.file())
        let entry = AuditEntry(
            at: 5, .cleared, by: "mod", channel: "chat:1", message: "*", user: "eve", removed: 3, seq: 9)
        try target.add(Revocation(user: "eve", at: 5, by: "mod"))
        try target.add(entry)
        try target.finish()
        let snapshot = try StoreSnapshot(file: folder.file())
        #expect(try snapshot.revocations() == [Revocation(user: "eve", at: 5, by: "mod")])
        #expect(try snapshot.auditEntries() == [entry])
    }

    @Test func `Entries of the audit that are there already do not come again, however often they are put in`() throws {
        let cleared = AuditEntry(at: 5, .cleared, by: "mod", channel: "chat:1", message: "*", user: "eve", seq: 9)
        let frozen = AuditEntry(at: 5, .frozen, by: "mod", channel: "chat:1")
        // Two that are alike are two.
        for _ in 0..<3 {
            let target = try StoreImport(file: folder.file(), replaces: true)
            for entry in [cleared, frozen, frozen] { try target.add(entry) }
            try target.finish()
        }
        #expect(try StoreSnapshot(file: folder.file()).auditEntries() == [cleared, frozen, frozen])
    }

    @Test func `A store that a broker has open is refused`() throws {
        let store = try SQLiteStore(file: folder.file())
        #expect(throws: StoreError.self) { _ = try StoreImport(file: folder.file()) }
        store.close()
    }
}
