import Testing
import Transport

@testable import Broker

@Suite struct EventHistoryTests {
    /// A batch of one-byte frames.
    func batch(_ seqs: ClosedRange<UInt64>) -> EventBatch {
        EventBatch(
            bytes: SharedBytes(Array(repeating: 0, count: seqs.count)),
            marks: seqs.enumerated().map { .init(seq: $1, message: "m", reactions: .none, frame: $0..<$0 + 1) })
    }

    func seqs(_ batches: [EventBatch]?) -> [UInt64]? {
        batches.map { $0.flatMap { $0.marks.map(\.seq) } }
    }

    @Test("what came after a seq is given whole or not at all")
    func wholeOrNothing() {
        var history = EventHistory(events: 5, seconds: 300)
        history.append(batch(1...2), at: 0)
        history.append(batch(3...3), at: 0)
        history.append(batch(4...6), at: 0)
        #expect(seqs(history.events(after: 0, current: 6, at: 0)) == [1, 2, 3, 4, 5, 6])
        #expect(seqs(history.events(after: 4, current: 6, at: 0)) == [5, 6])
        #expect(seqs(history.events(after: 6, current: 6, at: 0)) == [])
        #expect(history.events(after: 7, current: 6, at: 0) == nil)
        history.append(batch(7...7), at: 0)
        #expect(history.events(after: 1, current: 7, at: 0) == nil)
        #expect(seqs(history.events(after: 2, current: 7, at: 0)) == [3, 4, 5, 6, 7])
    }

    @Test("an event is held for its time")
    func age() {
        var history = EventHistory(events: 100, seconds: 10)
        history.append(batch(1...1), at: 0)
        history.append(batch(2...2), at: 5_000)
        #expect(seqs(history.events(after: 0, current: 2, at: 9_999)) == [1, 2])
        #expect(history.events(after: 0, current: 2, at: 10_000) == nil)
        #expect(seqs(history.events(after: 1, current: 2, at: 10_000)) == [2])
    }

    @Test("after a restart nothing is held, and only who missed nothing can go on")
    func empty() {
        var history = EventHistory(events: 100, seconds: 10)
        #expect(seqs(history.events(after: 9, current: 9, at: 0)) == [])
        #expect(history.events(after: 8, current: 9, at: 0) == nil)
    }

    @Test("a namespace without history holds nothing")
    func none() {
        var history = EventHistory(events: 0, seconds: 10)
        history.append(batch(1...1), at: 0)
        #expect(history.events(after: 0, current: 1, at: 0) == nil)
        #expect(seqs(history.events(after: 1, current: 1, at: 0)) == [])
    }
}
