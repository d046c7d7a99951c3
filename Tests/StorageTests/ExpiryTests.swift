import Foundation
import Reactions
import Testing

@testable import Storage

/// Channels that have grown old, and what is left of them.
@Suite(.timeLimit(.minutes(5))) struct ExpiryTests {
    private let folder: TemporaryFolder
    private let store: SQLiteStore
    /// Long after all that a test does.
    private let later = Int64(Date().timeIntervalSince1970) + 1_000

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteStore(file: folder.file())
    }

    private func aged(_ query: AgedChannels.Query) async throws -> AgedChannels {
        try await withCheckedContinuation { continuation in
            store.agedChannels(query) { continuation.resume(returning: $0) }
        }.get()
    }

    private func follow(_ clock: Int64, byAtMost most: Int64) async throws -> Int64 {
        try await withCheckedContinuation { continuation in
            store.follow(clock: clock, byAtMost: most) { continuation.resume(returning: $0) }
        }.get()
    }

    @Test func `The time of a new store is the clock's, goes forward by steps, and back at once`() async throws {
        #expect(try await follow(1_000, byAtMost: 0) == 1_000)
        #expect(try await follow(1_010, byAtMost: 15) == 1_010)
        #expect(try await follow(9_000, byAtMost: 0) == 1_010, "a start alone is no time that goes by")
        #expect(try await follow(9_000, byAtMost: 15) == 1_025)
        #expect(try await follow(500, byAtMost: 15) == 500)
        #expect(try await follow(.max, byAtMost: 15) == 515)
    }

    @Test func `The time is kept with the channels`() throws {
        for (clock, time) in [(1_000, 1_000), (5_000, 1_015), (5_000, 1_030)] as [(Int64, Int64)] {
            let engine = try Engine(file: folder.file("time.db"))
            #expect(try engine.follow(clock: clock, byAtMost: 15) == time)
        }
    }

    @Test func `A store of before begins with the time of its newest change`() throws {
        let older = Schema(steps: Array(Schema.current.steps.prefix(5)))
        do {
            let place = try DatabaseFile(folder.file("old.db"))
            let locks = try place.lock()
            let database = try Database(path: place.path, locks: locks)
            try older.prepare(database, path: place.path)
            try database.execute(
                "INSERT INTO channels (name, seq, frozen, touched) VALUES ('chat:1', 1, 0, 100), ('chat:2', 1, 0, NULL)",
                "a test")
        }
        let engine = try Engine(file: folder.file("old.db"))
        #expect(try engine.follow(clock: 9_000, byAtMost: 0) == 100)
    }

    private func expire(_ channels: [String], _ moment: Int64) async throws -> Int {
        try await withCheckedContinuation { continuation in
            store.expire(channels, unchangedSince: moment) { continuation.resume(returning: $0) }
        }.get()
    }

    @Test func `Channels are listed page by page, only those that nothing has changed since`() async throws {
        for number in 0..<10 { _ = await store.commit("chat:\(number)", 1, [.entry("ada")]) }
        do { try Outsider(folder.file()).run("UPDATE channels SET touched = 100 WHERE name IN ('chat:2', 'chat:7')") }
        var found: [String] = []
        var pages = 0
        var place: Int64? = 0
        while let after = place {
            let page = try await aged(.init(unchangedSince: 100, after: after, limit: 3))
            found += page.channels.map(\.name)
            place = page.next
            pages += 1
        }
        #expect(found == ["chat:2", "chat:7"])
        #expect(pages == 4)
        #expect(try await aged(.init(unchangedSince: 99)) == AgedChannels())
        #expect(try await aged(.init(unchangedSince: later)).channels.count == 10)
    }

    @Test func `Of an old channel its counter is left, one step on, and that it is frozen`() async throws {
        _ = await store.commit("chat:1", 7, [.message("m1", .init(changed: 7)), .entry("ada"), .frozen(true)])
        _ = await store.commit("chat:2", 3, [.entry("bob")])
        #expect(try await expire(["chat:1", "chat:none"], later) == 1)
        #expect(try await store.load("chat:1") == ChannelImage(seq: 8, records: [.frozen(true)]))
        #expect(try await store.load("chat:2").records == [.entry("bob")])
        #expect(try await expire(["chat:1"], later) == 0, "what is empty does not grow old")
        #expect(await store.commit("chat:1", 9, [.entry("cy", seq: 9)]).isSuccess)
        #expect(try await store.load("chat:1").contents == [.entry("cy", seq: 9): 1, .frozen(true): 1])
    }

    @Test func `One that has changed meanwhile stays`() async throws {
        _ = await store.commit("chat:1", 1, [.entry("ada")])
        #expect(try await expire(["chat:1"], 100) == 0)
        #expect(try await store.load("chat:1").records == [.entry("ada")])
    }

    @Test func `The rows of old channels go little by little, and nothing else goes`() async throws {
        let many = (1...3_000).map { Record.entry("user-\($0)", on: "m\($0 % 3)", seq: UInt64($0)) }
        let keys = (1...1_200).map { Record.key("k\($0)", at: Int64($0)) }
        _ = await store.commit("chat:old", 3_000, many + keys)
        _ = await store.commit("chat:new", 1, [.entry("ada"), .key("k", at: 1)])
        #expect(try await expire(["chat:old"], later) == 1)
        // Work and commits go on meanwhile.
        #expect(await store.commit("chat:old", 3_002, [.entry("cy", on: "m1", seq: 3_002)]).isSuccess)
        let other = try Outsider(folder.file())
        while try other.text("SELECT count(*) FROM channels WHERE name < '!'") != "0" {}
        #expect(try other.text("SELECT count(*) FROM entries") == "2")
        #expect(try other.text("SELECT count(*) FROM messages") == "2")
        #expect(try other.text("SELECT count(*) FROM keys") == "1")
        #expect(
            try await store.load("chat:old") == ChannelImage(seq: 3_002, records: [.entry("cy", on: "m1", seq: 3_002)]))
        #expect(try await store.load("chat:new").contents == [.entry("ada"): 1, .key("k", at: 1): 1])
        #expect(try StoreCheck.run(folder.file()).faults.filter { !$0.contains("no group") } == [])
    }

    @Test func `What a crash leaves of an old channel goes when the store is opened again`() throws {
        do {
            var engine = try Engine(file: folder.file("crash.db"))
            var batch = WriteBatch()
            batch.add(ChannelWrite(channel: "chat:1", seq: 1, records: [.entry("ada")]))
            try engine.write(batch)
            #expect(try engine.expire(["chat:1"], unchangedSince: later) == 1)
        }
        var engine = try Engine(file: folder.file("crash.db"))
        #expect(engine.mustSweep)
        while engine.mustSweep { engine.sweep() }
        #expect(try Outsider(folder.file("crash.db")).text("SELECT count(*) FROM entries") == "0")
    }
}
