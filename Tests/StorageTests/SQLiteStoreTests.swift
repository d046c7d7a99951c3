import Foundation
import Locks
import Reactions
import Testing

@testable import Storage

/// How the SQLite engine commits.
@Suite struct SQLiteStoreTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `Answers come in the order of the calls`() async throws {
        let store = try SQLiteStore(file: folder.file())
        let answers = Answers<Int>()
        for number in 0..<2_000 {
            let write = ChannelWrite(
                channel: "chat:\(number % 7)", seq: UInt64(number), records: [.entry("u\(number)")])
            store.commit([write]) { result in
                #expect(result.isSuccess)
                answers.append(number)
            }
            if number % 100 == 0 { store.load("chat:0", keysSince: 0) { _ in } }
        }
        store.close()
        #expect(answers.all == Array(0..<2_000))
    }

    @Test func `Refused commits are answered in their turn`() async throws {
        let store = try SQLiteStore(file: folder.file(), settings: .impatient)
        try await StoreKind.sqlite.withOutage(of: store, in: folder) {
            #expect(await store.commit("bad", 1).unavailability != nil)
        }
        let answers = Answers<Bool>()
        for number in 0..<300 {
            let channel = number % 3 == 0 ? "bad" : "good"
            store.commit([ChannelWrite(channel: channel, seq: 1, records: [])]) { answers.append($0.isSuccess) }
        }
        store.close()
        #expect(answers.all == (0..<300).map { $0 % 3 != 0 })
    }

    @Test func `A store says whether it had messages when it was opened`() async throws {
        let store = try SQLiteStore(file: folder.file())
        #expect(!store.heldMessages)
        store.commit([ChannelWrite(channel: "chat:1", seq: 1, records: [])]) { _ in }
        store.close()
        let next = try SQLiteStore(file: folder.file())
        #expect(!next.heldMessages, "what is audited or posted of a channel is no message")
        next.commit([ChannelWrite(channel: "chat:1", seq: 2, records: [.entry("ada")])]) { _ in }
        next.close()
        let last = try SQLiteStore(file: folder.file())
        #expect(last.heldMessages)
        last.close()
    }

    @Test func `A reopened store has the same epoch and everything committed`() async throws {
        var image = ChannelImage()
        var epochs: Set<String> = []
        for seq in 1...3 as ClosedRange<UInt64> {
            let store = try SQLiteStore(file: folder.file())
            epochs.insert(store.epoch)
            #expect(try await store.load("chat:42").contents == image.contents)
            let records = [Record.entry("u\(seq)", seq: seq), .key("k\(seq)", at: 5), .frozen(true)]
            #expect(await store.commit("chat:42", seq, records).isSuccess)
            image = try await store.load("chat:42")
            #expect(image.seq == seq)
            #expect(image.records.count == Int(2 * seq) + 1)
            store.close()
        }
        #expect(epochs.count == 1)
    }

    @Test func `A new store has a new epoch`() throws {
        let epochs = try (0..<20).map { try SQLiteStore(file: folder.file("\($0).db")).epoch }
        #expect(Set(epochs).count == 20)
        #expect(epochs.allSatisfy { $0.wholeMatch(of: /[a-z2-7]{16}/) != nil })
    }

    @Test func `Closing leaves one file and lets others in`() async throws {
        let store = try SQLiteStore(file: folder.file())
        #expect(await store.commit("chat:42", 7, [.entry("ada")]).isSuccess)
        store.close()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                "fanfare.db", "fanfare.db.lock",
            ])
        #expect(try await SQLiteStore(file: folder.file()).load("chat:42").seq == 7)
    }

    @Test func `A store let go of is closed`() async throws {
        for seq in 1...5 as ClosedRange<UInt64> {
            let store = try SQLiteStore(file: folder.file())
            #expect(try await store.load("chat:42").seq == seq - 1)
            store.commit([ChannelWrite(channel: "chat:42", seq: seq, records: [])]) { #expect($0.isSuccess) }
        }
    }

    @Test func `A store may be closed from an answer`() async throws {
        let store = try SQLiteStore(file: folder.file())
        let isClosed = await withCheckedContinuation { continuation in
            store.commit([ChannelWrite(channel: "chat:42", seq: 1, records: [])]) { _ in
                store.close()
                store.commit([]) { continuation.resume(returning: !$0.isSuccess) }
            }
        }
        #expect(isClosed)
    }

    @Test func `A long reader outside does not stop commits`() async throws {
        let store = try SQLiteStore(file: folder.file(), settings: .impatient)
        #expect(await store.commit("chat:42", 1, [.entry("ada")]).isSuccess)
        let reader = try Outsider(folder.file())
        try reader.run("BEGIN; SELECT count(*) FROM entries")
        for seq in 2...200 as ClosedRange<UInt64> {
            #expect(await store.commit("chat:42", seq, [.entry("user-\(seq)", seq: seq)]).isSuccess)
        }
        #expect(try reader.text("SELECT count(*) FROM entries") == "1")
        try reader.run("COMMIT")
        #expect(try reader.text("SELECT count(*) FROM entries") == "200")
    }

    @Test func `Commits are refused where too many records wait`() async throws {
        var settings = SQLiteSettings()
        settings.maximumWaitingRecords = 10
        let store = try SQLiteStore(file: folder.file(), settings: settings)
        let other = try Outsider(folder.file())
        try other.run("BEGIN IMMEDIATE")
        let answers = Answers<Bool>()
        for number in 0..<30 {
            let write = ChannelWrite(channel: "chat:\(number)", seq: 1, records: [.entry("ada")])
            store.commit([write]) { answers.append($0.isSuccess) }
        }
        try other.run("COMMIT")
        store.close()
        #expect(answers.all.count == 30)
        #expect(answers.all.prefix(10).allSatisfy { $0 }, "the first ten fit")
        #expect(answers.all.filter { $0 }.count <= 20, "ten are being committed and ten wait, at most")
    }

    @Test(arguments: [(Durability.memory, Int64(1)), (.committed, 1), (.synced, 2)])
    func `A batch is synced where one part of it must be`(_ durability: Durability, _ level: Int64) throws {
        var engine = try Engine(file: folder.file())
        for durabilities in [[.committed, durability, .memory], [durability]] {
            var batch = WriteBatch()
            for (index, durability) in durabilities.enumerated() {
                batch.add(
                    ChannelWrite(channel: "chat:\(index)", seq: 1, records: [.entry("ada")], durability: durability))
            }
            try engine.write(batch)
            #expect(try engine.setting("synchronous") == level)
            var other = WriteBatch()
            other.add(ChannelWrite(channel: "chat:9", seq: 1, records: [.entry("ada")]))
            try engine.write(other)
            #expect(try engine.setting("synchronous") == 1, "the next one is not")
        }
    }
}
