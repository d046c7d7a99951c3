import Reactions
import Testing

@testable import Storage

/// What every store promises.
@Suite struct StoreTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: StoreKind.allCases)
    func `A channel never written is fresh`(_ kind: StoreKind) async throws {
        let store = try kind.make(in: folder)
        #expect(try await store.load("chat:42") == ChannelImage())
    }

    @Test(arguments: StoreKind.allCases)
    func `Keys of a clock that was far ahead count as used when it went back, and go in their time`(
        _ kind: StoreKind
    ) async throws {
        let store = try kind.make(in: folder)
        let minute: Int64 = 60_000
        let ahead = (0..<100).map { Record.key("a\($0)", at: 40 * 1_440 * minute) }
        #expect(await store.commit("chat:42", 1, ahead).isSuccess)
        #expect(await store.commit("chat:42", 2, [.key("first", at: minute)]).isSuccess)
        #expect(try await store.load("chat:42", keysSince: minute).records.count == 101, "none is forgotten early")
        #expect(try await store.load("chat:42", keysSince: minute + 1).records == [])
        for number in 2...40 {
            let keys = (0..<100).map { Record.key("k\(number)-\($0)", at: Int64(number) * minute) }
            #expect(await store.commit("chat:42", UInt64(number) + 1, keys).isSuccess)
        }
        #expect(try await store.load("chat:42", keysSince: .min).records.count <= 2_500, "of 4,001")
    }

    @Test(arguments: StoreKind.allCases)
    func `Random commits give back what a plain fold of them has`(_ kind: StoreKind) async throws {
        let store = try kind.make(in: folder)
        var random = RandomWrites()
        var models: [String: Model] = [:]
        for round in 0..<300 {
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                let group = random.group()
                for write in group { models[write.channel, default: Model()].apply(write) }
                store.commit(group) { #expect($0.isSuccess) }
            }
            let keysSince = Int64.random(in: 1_764_470_400_000..<1_764_470_900_000, using: &random)
            for (channel, model) in models where Int.random(in: 0..<4, using: &random) == 0 {
                let image = try await store.load(channel, keysSince: keysSince)
                #expect(image.seq == model.seq, "round \(round)")
                #expect(image.contents == model.contents(keysSince: keysSince), "round \(round)")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `A load sees what was handed to commit before it`(_ kind: StoreKind) async throws {
        let store = try kind.make(in: folder)
        for seq in 1...200 as ClosedRange<UInt64> {
            store.commit([ChannelWrite(channel: "chat:42", seq: seq, records: [])]) { #expect($0.isSuccess) }
            if seq % 7 == 0 { #expect(try await store.load("chat:42").seq == seq) }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `A later record of the same place wins`(_ kind: StoreKind) async throws {
        let store = try kind.make(in: folder)
        let last = Record.entry("ada", seq: 9)
        let gone = Record.entry(message: "m1", user: "bob", reaction: Reaction(canonical: "👍"), nil)
        let records = [.entry("ada", seq: 1), .entry("bob", seq: 2), .frozen(true), last, gone, .frozen(false)]
        #expect(await store.commit("chat:42", 9, records).isSuccess)
        #expect(try await store.load("chat:42") == ChannelImage(seq: 9, records: [last]))
    }

    @Test(arguments: StoreKind.allCases)
    func `Keys used before the asked time are left out`(_ kind: StoreKind) async throws {
        let store = try kind.make(in: folder)
        let keys: [Record] = [.key("old", at: 999), .key("just", at: 1_000), .key("new", at: 1_001)]
        #expect(await store.commit("chat:42", 3, keys).isSuccess)
        let image = try await store.load("chat:42", keysSince: 1_000)
        #expect(image.contents == [keys[1]: 1, keys[2]: 1])
    }

    @Test(arguments: StoreKind.allCases)
    func `Keys are forgotten ten minutes after they were used`(_ kind: StoreKind) async throws {
        let store = try kind.make(in: folder)
        let minute: Int64 = 60_000
        for group in 0..<40 as Range<Int64> {
            let keys = (0..<100).map { Record.key("k\(group)-\($0)", at: group * minute) }
            #expect(await store.commit("chat:42", UInt64(group), keys).isSuccess)
        }
        let kept = try await store.load("chat:42").records.count
        #expect(kept >= 1_100, "the last ten minutes are kept")
        #expect(kept <= 2_200, "not much more than that is kept, of 4,000")
        #expect(try await store.load("chat:42", keysSince: 29 * minute).records.count == 1_100)
    }

    @Test(arguments: StoreKind.allCases)
    func `After a failed commit a channel takes no other one until it is loaded`(_ kind: StoreKind) async throws {
        let store = try kind.make(in: folder)
        #expect(await store.commit("chat:42", 1, [.entry("ada")]).isSuccess)
        try await kind.withOutage(of: store, in: folder) {
            #expect(await store.commit("chat:42", 2, [.entry("bob")]).unavailability != nil)
        }
        #expect(await store.commit("chat:42", 3, [.entry("eve")]).unavailability?.contains("chat:42") == true)
        #expect(await store.commit("chat:43", 1).isSuccess, "others go on")
        #expect(try await store.load("chat:42") == ChannelImage(seq: 1, records: [.entry("ada")]))
        #expect(await store.commit("chat:42", 2, [.entry("bob", seq: 2)]).isSuccess)
        #expect(try await store.load("chat:42").seq == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `A refused group fails for every channel it names`(_ kind: StoreKind) async throws {
        let store = try kind.make(in: folder)
        try await kind.withOutage(of: store, in: folder) {
            #expect(await store.commit("chat:1", 1).unavailability != nil)
        }
        let both = ["chat:1", "chat:2"].map { ChannelWrite(channel: $0, seq: 2, records: []) }
        #expect(await store.commit(both).unavailability != nil)
        #expect(await store.commit("chat:2", 3).unavailability != nil)
        #expect(try await store.load("chat:2") == ChannelImage())
        #expect(await store.commit("chat:2", 1).isSuccess)
        #expect(await store.commit(both).unavailability != nil, "chat:1 is not loaded yet")
    }

    @Test(arguments: StoreKind.allCases)
    func `A closed store says so`(_ kind: StoreKind) async throws {
        let store = try kind.make(in: folder)
        let answers = Answers<Bool>()
        for seq in 1...50 as ClosedRange<UInt64> {
            store.commit([ChannelWrite(channel: "chat:42", seq: seq, records: [])]) { answers.append($0.isSuccess) }
        }
        store.close()
        store.close()
        #expect(answers.all == Array(repeating: true, count: 50), "what waited was committed")
        guard case .failure(.closed) = await store.commit("chat:42", 51) else {
            Issue.record("a commit after close")
            return
        }
        await #expect(throws: StoreError.closed) { try await store.load("chat:42") }
    }
}
