import Foundation
import Reactions
import Testing

@testable import Storage

/// Adding to the channels of a store's file.
@Suite struct StoreMergeTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Opens the file, has something added, and closes it.
    private func merge(_ body: (StoreMerge) throws -> Void) throws {
        let store = try StoreMerge(file: folder.file())
        try body(store)
        try store.finish()
    }

    /// Adds a user's reaction to a channel, as a ledger of what is there does it.
    private func add(_ user: String, to channel: String, of store: StoreMerge) throws {
        var ledger = Ledger(try store.read(channel))
        let done = try ledger.apply(
            Operation(.add(reaction: "👍", count: nil, data: nil), message: "m", user: user), rules: Rules(), at: 5)
        try store.write(channel, seq: ledger.seq, done.records)
    }

    private func users(of channel: String) throws -> [String] {
        Ledger(try StoreSnapshot(file: folder.file()).read(channel))
            .reactors(on: "m", with: nil, limit: 10, before: nil).elements.map(\.user)
    }

    @Test func `What is added stands beside what was there, in the same epoch`() throws {
        try merge { store in try add("ada", to: "chat:1", of: store) }
        let epoch = try StoreSnapshot(file: folder.file()).epoch
        try merge { store in
            try add("bob", to: "chat:1", of: store)
            try add("cy", to: "chat:2", of: store)
        }
        #expect(try users(of: "chat:1") == ["bob", "ada"])
        #expect(try users(of: "chat:2") == ["cy"])
        let after = try StoreSnapshot(file: folder.file())
        #expect(after.epoch == epoch)
        #expect(try after.read("chat:1").seq == 2)
    }

    @Test func `Without its end nothing is there`() throws {
        do {
            let store = try StoreMerge(file: folder.file())
            try add("ada", to: "chat:1", of: store)
            #expect(try store.read("chat:1").seq == 1)
        }
        #expect(try StoreSnapshot(file: folder.file()).channels == [])
    }

    @Test func `A store that a broker has open is refused`() throws {
        let store = try SQLiteStore(file: folder.file())
        #expect(throws: StoreError.self) { _ = try StoreMerge(file: folder.file()) }
        store.close()
    }
}
