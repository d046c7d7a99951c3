import Reactions
import Storage
import Testing
import Transport
import Wire

@testable import Broker

/// How a hub's work ends.
@Suite(.timeLimit(.minutes(5))) struct DrainTests {
    private func add(_ user: String, _ key: ConnectionKey) -> ArraySlice<Result<Request, BadRequest>> {
        let action = Reactions.Operation.Action.add(reaction: "👍", count: nil, data: nil)
        return [
            .success(Request(id: .text(user), .operation(channel: "chat:1", message: "m1", action: action, key: nil)))
        ]
    }

    private func send(_ harness: HubHarness, _ key: ConnectionKey, user: String) async {
        let requests = add(user, key)
        await harness.onLoop(harness.broker.hubs[key.hub]) { hub in
            guard let recipient = hub.recipient(key) else { return }
            var requests = requests
            hub.receive(&requests, from: recipient, areLast: false)
        }
        await harness.settle()
    }

    private func closeCode(_ harness: HubHarness, _ key: ConnectionKey) async -> UInt16? {
        await harness.onLoop(harness.broker.hubs[key.hub]) { $0.recipient(key)?.closeCode }
    }

    private let patient = DrainSettings(withinMilliseconds: 600_000)

    @Test(
        "whoever waits for an answer is told goodbye behind it, all others at once; nothing new is taken",
        arguments: [1, 2])
    func settling(loops: Int) async throws {
        let harness = try HubHarness(loops: loops)
        let busy = await harness.ear(on: harness.broker.hubs[0], user: "ada")
        let idle = await harness.ear(on: harness.broker.hubs[loops - 1], user: "bob")
        await send(harness, busy, user: "ada")
        harness.broker.drain(patient) {}
        await harness.settle()
        #expect(await closeCode(harness, idle) == 1012)
        #expect(await closeCode(harness, busy) == nil)
        await send(harness, busy, user: "late")
        let commit = try #require(harness.store.next())
        #expect(commit.group.map(\.seq) == [1])
        commit.answer(.success(()))
        await harness.settle()
        #expect(await harness.heard(busy) == ["ack 1"])
        #expect(await closeCode(harness, busy) == 1012)
        #expect(harness.store.next() == nil)
    }

    @Test("who has no answer at the bound is told goodbye all the same")
    func bound() async throws {
        let harness = try HubHarness(loops: 1)
        let busy = await harness.ear(on: harness.broker.hubs[0], user: "ada")
        await send(harness, busy, user: "ada")
        harness.broker.drain(DrainSettings(withinMilliseconds: 100)) {}
        while await closeCode(harness, busy) == nil {}
        #expect(await harness.heard(busy) == [])
    }

    @Test("a hub whose loop has ended is held by nobody but its owner, and holds no channel")
    func lettingGo() async throws {
        weak var hub: Hub?
        weak var channel: Channel?
        do {
            let harness = try HubHarness(loops: 2)
            let home = harness.home(of: "chat:1")
            let busy = await harness.ear(on: harness.broker.hubs[0], user: "ada")
            await send(harness, busy, user: "ada")
            hub = home
            channel = await harness.onLoop(home) { $0.residents["chat:1"]?.channel }
            #expect(hub != nil && channel != nil)
        }
        #expect(hub == nil)
        #expect(channel == nil)
    }
}
