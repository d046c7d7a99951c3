import Foundation
import Locks
import Reactions
import Testing

@testable import Storage

/// Copies of a store, made while it is written.
@Suite struct BackupTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func entries(_ image: ChannelImage) -> Int {
        image.records.count { if case .entry = $0 { true } else { false } }
    }

    @Test func `A copy made while changes are committed is a whole state between before and after`() async throws {
        let store = try SQLiteStore(file: folder.file())
        // Many pages, so that commits come between two steps of the copying.
        let large = (1...60_000).map { Record.entry("user-\($0)", seq: UInt64($0)) }
        #expect(await store.commit("large", 60_000, large).isSuccess)
        for number in UInt64(1)...20 { _ = await store.commit("chat:1", number, [.entry("u\(number)", seq: number)]) }
        let isDone = Locked(false)
        async let writing: UInt64 = {
            var seq: UInt64 = 20
            while !isDone.withLock({ $0 }) {
                seq += 1
                #expect(await store.commit("chat:1", seq, [.entry("u\(seq)", seq: seq)]).isSuccess)
            }
            return seq
        }()
        var steps = 0
        let copy = folder.file("copy.db")
        try StoreBackup.make(of: folder.file(), to: copy) { _ in steps += 1 }
        isDone.withLock { $0 = true }
        let last = await writing
        #expect(steps > 1)
        #expect(try StoreCheck.run(copy).faults.filter { !$0.contains("no group") } == [])
        let copied = try SQLiteStore(file: copy)
        let image = try await copied.load("chat:1")
        #expect((20...last).contains(image.seq))
        #expect(entries(image) == Int(image.seq), "one entry a seq: no commit is there in part")
        #expect(entries(try await copied.load("large")) == 60_000)
    }

    @Test func `A copy begins a life of its own, since later changes are not in it`() throws {
        let first = try SQLiteStore(file: folder.file()).epoch
        var epochs: Set = [first]
        for name in ["one.db", "two.db"] {
            try StoreBackup.make(of: folder.file(), to: folder.file(name))
            let store = try SQLiteStore(file: folder.file(name))
            epochs.insert(store.epoch)
            store.close()
            #expect(try SQLiteStore(file: folder.file(name)).epoch == store.epoch)
        }
        #expect(epochs.count == 3)
        #expect(try SQLiteStore(file: folder.file()).epoch == first)
    }

    @Test func `What is there is never overwritten`() throws {
        _ = try SQLiteStore(file: folder.file())
        let target = folder.file("copy.db")
        try Data("precious".utf8).write(to: URL(filePath: target))
        #expect(throws: StoreError.self) { try StoreBackup.make(of: folder.file(), to: target) }
        #expect(try Data(contentsOf: URL(filePath: target)) == Data("precious".utf8))
    }

    @Test func `A copy that fails leaves nothing`() throws {
        try Data("no database".utf8).write(to: URL(filePath: folder.file()))
        #expect(throws: StoreError.self) { try StoreBackup.make(of: folder.file(), to: folder.file("copy.db")) }
        #expect(throws: StoreError.self) {
            try StoreBackup.make(of: folder.file("none.db"), to: folder.file("copy.db"))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["fanfare.db"])
    }

    @Test func `A copy that is ended leaves nothing, and says that it was ended`() throws {
        _ = try SQLiteStore(file: folder.file())
        let error = #expect(throws: StoreError.self) {
            try StoreBackup.make(of: folder.file(), to: folder.file("copy.db"), goesOn: { false })
        }
        #expect(error?.reason.contains("it was ended") == true)
        #expect(!(try FileManager.default.contentsOfDirectory(atPath: folder.path)).contains { $0.hasPrefix("copy") })
    }

    @Test func `Drafts of copies that were killed go with the next copy to the same name, those of others stay`() throws
    {
        _ = try SQLiteStore(file: folder.file())
        let kept = ["copy.db.partial-mine", "other.db.partial-7", "copy.db.partial-7-x"]
        for name in kept + ["copy.db.partial-7", "copy.db.partial-7-journal", "copy.db.partial-\(getpid())"] {
            try Data("x".utf8).write(to: URL(filePath: folder.file(name)))
        }
        try StoreBackup.make(of: folder.file(), to: folder.file("copy.db"))
        let there = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(there.filter { $0.contains("partial") }) == Set(kept))
        #expect(there.contains("copy.db"))
    }
}
