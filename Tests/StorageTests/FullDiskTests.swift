import Reactions
import Testing

@testable import Storage

/// What happens when the disk is full.
@Suite struct FullDiskTests {
    private let folder: TemporaryFolder
    private let store: SQLiteStore

    init() throws {
        folder = try TemporaryFolder()
        var settings = SQLiteSettings()
        settings.maximumPages = 60
        store = try SQLiteStore(file: folder.file(), settings: settings)
    }

    @Test func `A group that does not fit is taken back whole and the store goes on`() async throws {
        #expect(await store.commit("small", 1, [.entry("ada")]).isSuccess)
        let large = (1...20_000).map { Record.entry("user-\($0)", seq: UInt64($0)) }
        let group = [
            ChannelWrite(channel: "other", seq: 5, records: [.entry("bob")]),
            ChannelWrite(channel: "large", seq: 20_000, records: large),
        ]
        let reason = await store.commit(group).unavailability
        #expect(reason?.contains("the disk is full") == true)
        #expect(try await store.load("large") == ChannelImage())
        #expect(try await store.load("other") == ChannelImage())
        #expect(await store.commit("small", 2, [.entry("bob", seq: 2)]).isSuccess)
        #expect(try await store.load("small").contents == [.entry("ada"): 1, .entry("bob", seq: 2): 1])
    }

    @Test func `Every commit of a failed group is told`() async throws {
        let answers = Answers<Bool>()
        let other = try Outsider(folder.file())
        try other.run("BEGIN IMMEDIATE")
        // The first one holds the thread until the lock is free; the others become one group.
        store.commit([ChannelWrite(channel: "first", seq: 1, records: [])]) { _ in }
        for channel in 0..<10 {
            let records = (1...2_000).map { Record.entry("user-\($0)-of-\(channel)", seq: UInt64($0)) }
            store.commit([ChannelWrite(channel: "chat:\(channel)", seq: 2_000, records: records)]) {
                answers.append($0.isSuccess)
            }
        }
        try other.run("COMMIT")
        for channel in 0..<10 {
            let image = try await store.load("chat:\(channel)")
            #expect(image == ChannelImage() || image.records.count == 2_000)
            #expect(answers.all[channel] == (image.seq == 2_000), "the answer is the truth")
        }
        #expect(answers.all.contains(false))
    }

    @Test func `A channel first made in a failed group is made again`() async throws {
        let large = (1...20_000).map { Record.entry("user-\($0)", seq: UInt64($0)) }
        #expect(await store.commit("chat:42", 20_000, large).unavailability != nil)
        #expect(try await store.load("chat:42") == ChannelImage())
        #expect(await store.commit("chat:43", 1, [.entry("eve")]).isSuccess)
        #expect(await store.commit("chat:42", 1, [.entry("ada")]).isSuccess)
        #expect(try await store.load("chat:42") == ChannelImage(seq: 1, records: [.entry("ada")]))
        #expect(try await store.load("chat:43") == ChannelImage(seq: 1, records: [.entry("eve")]))
    }
}
