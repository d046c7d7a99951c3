import Reactions
import Storage
import Testing
import Transport
import Wire

@testable import Broker

/// What a broker counts and says of its store where the channels are in a log that several share.
@Suite struct SharedStoreTests {
    private func add(_ channel: String, _ key: ConnectionKey) -> HubMessage {
        .request(
            ChannelRequest(
                channel: channel, origin: Origin(connection: key, user: "ada", id: .number(1), wantsReply: true),
                body: .operation(
                    Reactions.Operation(.add(reaction: "👍", count: nil, data: nil), message: "m", user: "ada"))))
    }

    @Test("a batch is timed until it stands in the log, once: by the log's answer, or by its return where that is lost")
    func timed() {
        let time = MonotonicTime.now
        var timer = BatchTimer()
        #expect(timer.returned() == nil)
        timer.begin(7, operations: 2, at: time)
        #expect(timer.answered(6) == nil, "one that was given up")
        #expect(timer.answered(7) == time)
        #expect(timer.returned() == nil && timer.answered(7) == nil)
        timer.begin(8, operations: 1, at: time)
        #expect(timer.returned() == time)
        #expect(timer.answered(8) == nil)
        timer.begin(9, operations: 1, at: time)
        timer.begin(10, operations: 0, at: time)
        #expect(timer.answered(10) == nil && timer.returned() == nil, "it only finds out whether the log takes any")
    }

    @Test("a log of which three channels of one part cannot be read makes the broker unwell, until one can")
    func unreadable() async throws {
        let log = SilentLog(parts: 2)
        let harness = try HubHarness(loops: 1, sharedLog: log)
        let hub = harness.broker.hubs[0]
        let ear = await harness.ear(on: hub, user: "ada")
        let health = harness.broker.storeHealth
        // What failed counts for some seconds, which a turn may take; so late the log's clock may seem to be wrong.
        let time = MonotonicTime.now
        let unreadable = "the shared log cannot be read"
        log.setUnreadable(true)
        for channel in ["chat:1", "chat:2", "chat:4", "chat:1"] { await harness.turn(hub, [add(channel, ear)]) }
        #expect(health.fault(at: time) != unreadable, "two of the one part, and one of the other, twice")
        await harness.turn(hub, [add("chat:6", ear)])
        #expect(health.fault(at: time) == unreadable)
        #expect(await harness.onLoop(hub) { $0.metrics.readFailures } == 5)
        log.setUnreadable(false)
        await harness.turn(hub, [add("chat:3", ear)])
        #expect(health.fault(at: time) == unreadable, "another part")
        await harness.turn(hub, [add("chat:8", ear)])
        #expect(health.fault(at: time) != unreadable)
    }
}
