import Reactions
import Testing

@testable import Storage

/// How a channel goes on after a commit that failed.
@Suite struct FailureTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: StoreKind.allCases)
    func `What holds all that could not be committed may follow a failure`(_ kind: StoreKind) async throws {
        let store = try kind.make(in: folder)
        #expect(await store.commit("chat:1", 1, [.entry("ada")]).isSuccess)
        var missing: [Record] = []
        try await kind.withOutage(of: store, in: folder) {
            missing.append(.entry("bob", seq: 2))
            #expect(await store.commit("chat:1", 2, missing).unavailability != nil)
            missing.append(.entry("cy", seq: 3))
            let again = ChannelWrite(channel: "chat:1", seq: 3, records: missing, followsFailure: true)
            #expect(await store.commit([again]).unavailability != nil)
        }
        #expect(await store.commit("chat:1", 4, [.entry("dee", seq: 4)]).unavailability != nil, "a hole")
        missing.append(.entry("dee", seq: 4))
        let again = ChannelWrite(channel: "chat:1", seq: 4, records: missing, followsFailure: true)
        #expect(await store.commit([again]).isSuccess)
        #expect(await store.commit("chat:1", 5, [.entry("eve", seq: 5)]).isSuccess)
        let image = try await store.load("chat:1")
        #expect(image.seq == 5)
        #expect(image.records.count == 5)
        store.close()
    }
}
