import Foundation
import Locks
import Testing

@testable import Storage

extension OutboxEntry {
    fileprivate static func of(_ queue: String, _ number: Int) -> OutboxEntry {
        OutboxEntry(queue: queue, at: Int64(number), body: Array("\(number)".utf8))
    }
}

extension Outbox {
    fileprivate func read(_ queue: String, limit: Int = 1_000) async throws -> [Int] {
        try await withCheckedContinuation { continuation in
            read(queue, limit: limit) { continuation.resume(returning: $0) }
        }.get().map { entry in
            #expect(entry.queue == queue)
            #expect(entry.body == Array("\(entry.at)".utf8))
            return Int(entry.at)
        }
    }

    fileprivate var pending: [String: Int] {
        Dictionary(uniqueKeysWithValues: queues.map { ($0, pending(in: $0)) })
    }

    fileprivate func remove(_ queue: String, oldest count: Int) async throws -> Int {
        try await withCheckedContinuation { continuation in
            remove(queue, oldest: count) { continuation.resume(returning: $0) }
        }.get()
    }
}

/// What every outbox promises.
@Suite struct OutboxTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func write(_ channel: String, _ seq: UInt64, _ posts: [OutboxEntry]) -> ChannelWrite {
        ChannelWrite(channel: channel, seq: seq, records: [.entry("ada", seq: seq)], posts: posts)
    }

    @Test(arguments: StoreKind.allCases)
    func `Entries wait in the order of the commits, queue by queue, until they are removed`(_ kind: StoreKind)
        async throws
    {
        let store = try kind.make(in: folder)
        #expect(store.outbox.pending == [:])
        #expect(
            await store.commit([write("a:1", 1, [.of("a", 1), .of("a", 2)]), write("b:1", 1, [.of("b", 3)])]).isSuccess)
        #expect(await store.commit([write("a:1", 2, [.of("a", 4)])]).isSuccess)
        #expect(store.outbox.pending == ["a": 3, "b": 1])
        #expect(try await store.outbox.read("a", limit: 2) == [1, 2])
        #expect(try await store.outbox.read("a") == [1, 2, 4], "reading takes nothing away")
        #expect(try await store.outbox.read("none") == [])
        #expect(try await store.outbox.remove("a", oldest: 2) == 2)
        #expect(store.outbox.pending == ["a": 1, "b": 1])
        #expect(await store.commit([write("a:1", 3, [.of("a", 5)])]).isSuccess)
        #expect(try await store.outbox.read("a") == [4, 5])
        #expect(try await store.outbox.remove("a", oldest: 9) == 2)
        #expect(try await store.outbox.remove("a", oldest: 9) == 0)
        #expect(store.outbox.pending == ["b": 1])
    }

    @Test(arguments: StoreKind.allCases)
    func `A refused commit leaves nothing to post`(_ kind: StoreKind) async throws {
        let store = try kind.make(in: folder)
        try await kind.withOutage(of: store, in: folder) {
            #expect(await store.commit([write("a:1", 1, [.of("a", 1)])]).unavailability != nil)
        }
        #expect(await store.commit([write("a:1", 2, [.of("a", 2)])]).unavailability != nil, "it is not loaded yet")
        #expect(store.outbox.pending == [:])
        #expect(try await store.outbox.read("a") == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `A closed outbox says so`(_ kind: StoreKind) async throws {
        let store = try kind.make(in: folder)
        store.close()
        await #expect(throws: StoreError.closed) { try await store.outbox.read("a") }
        await #expect(throws: StoreError.closed) { try await store.outbox.remove("a", oldest: 1) }
    }

    @Test func `What waits outlives the process, in order and counted`() async throws {
        let store = try SQLiteStore(file: folder.file())
        for seq in 1...5 {
            #expect(await store.commit([write("a:1", UInt64(seq), [.of("a", seq)])]).isSuccess)
        }
        #expect(try await store.outbox.remove("a", oldest: 2) == 2)
        store.close()
        let again = try SQLiteStore(file: folder.file())
        #expect(again.outbox.pending == ["a": 3])
        #expect(try await again.outbox.read("a") == [3, 4, 5])
        again.close()
    }

    @Test func `A file of version 1 gets an outbox`() async throws {
        let old = Schema(steps: Array(Schema.current.steps.prefix(1)))
        let file = folder.file("old.db")
        var locks: DatabaseLocks? = try DatabaseFile(file).lock()
        if let taken = locks.take() {
            let database = try Database(path: file, locks: taken)
            try old.prepare(database, path: file)
        }
        let store = try SQLiteStore(file: file)
        #expect(await store.commit([write("a:1", 1, [.of("a", 1)])]).isSuccess)
        #expect(store.outbox.pending == ["a": 1])
        store.close()
    }
}
