import Reactions
import Testing
import Transport
import Wire

@testable import FanfareClient

@Suite("The sequence of a channel's updates")
struct ChannelUpdatesTests {
    private static func frozen(_ number: Int) -> ChannelUpdate { .frozen(true, by: "mod\(number)") }

    private static var snapshot: ChannelSnapshot {
        ChannelSnapshot(view: ChannelView(), epoch: "e1", allowed: nil, reason: .coalesced)
    }

    @Test("gives what was told, in order, and ends")
    func order() async {
        let buffer = UpdateBuffer {}
        for number in 1...3 { buffer.push(Self.frozen(number)) { nil } }
        buffer.finish()
        buffer.push(Self.frozen(4)) { nil }
        var told: [ChannelUpdate] = []
        for await update in ChannelUpdates(buffer: buffer) { told.append(update) }
        #expect(told == (1...3).map(Self.frozen))
    }

    @Test("ends with the error that ended it, after what was told before")
    func error() async {
        let buffer = UpdateBuffer {}
        buffer.push(Self.frozen(1)) { nil }
        buffer.finish(ClientError(.forbidden, "no"))
        var reader = ChannelUpdates(buffer: buffer).makeAsyncIterator()
        #expect(await reader.next() == Self.frozen(1))
        #expect(await reader.next() == .ended(ClientError(.forbidden, "no")))
        #expect(await reader.next() == nil)
    }

    @Test("merges what waits past the bound into a snapshot, and keeps the newest state of the connection")
    func bound() async {
        let buffer = UpdateBuffer {}
        buffer.push(.connection(.connecting)) { nil }
        buffer.push(.connection(.connected(user: "ada"))) { nil }
        for number in 3...UpdateBuffer.capacity + 1 { buffer.push(Self.frozen(number)) { Self.snapshot } }
        buffer.push(Self.frozen(0)) { nil }
        let batch = await buffer.takeBatch()
        #expect(batch == [.connection(.connected(user: "ada")), .snapshot(Self.snapshot), Self.frozen(0)])
    }

    @Test("waits for the next update")
    func waiting() async {
        let buffer = UpdateBuffer {}
        let reader = Task {
            var reader = ChannelUpdates(buffer: buffer).makeAsyncIterator()
            return await reader.next()
        }
        buffer.push(Self.frozen(1)) { nil }
        #expect(await reader.value == Self.frozen(1))
    }

    @Test("ends, and tells the client, when its task is cancelled")
    func cancelled() async {
        let wasTold = Signal()
        let buffer = UpdateBuffer { wasTold.set() }
        let reader = Task {
            var count = 0
            for await _ in ChannelUpdates(buffer: buffer) { count += 1 }
            return count
        }
        reader.cancel()
        #expect(await reader.value == 0)
        await wasTold.wait()
        #expect(buffer.isFinished)
    }

    @Test("tells the client when nobody holds it any more")
    func abandoned() async {
        let wasTold = Signal()
        do {
            let updates = ChannelUpdates(buffer: UpdateBuffer { wasTold.set() })
            _ = updates.makeAsyncIterator()
        }
        await wasTold.wait()
    }
}

/// Something that is awaited and happens once.
final class Signal: Sendable {
    private let state = Locked((isSet: false, waiters: [CheckedContinuation<Void, Never>]()))

    func set() {
        let waiters = state.withLock { state in
            state.isSet = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    var isSet: Bool { state.withLock { $0.isSet } }

    func wait() async {
        await withCheckedContinuation { waiter in
            let isSet = state.withLock { state in
                if !state.isSet { state.waiters.append(waiter) }
                return state.isSet
            }
            if isSet { waiter.resume() }
        }
    }
}
