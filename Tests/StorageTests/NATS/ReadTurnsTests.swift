import Locks
import Testing

@testable import Storage

/// How many channels are read at a time.
@Suite struct ReadTurnsTests {
    @Test(
        "so many are read at a time, and each that is done lets one begin: of those that are known and of new ones in turn"
    )
    func turns() {
        let turns = ReadTurns()
        let begun = Locked<[Int]>([])
        for number in 0..<ReadTurns.atOnce { turns.take(isNew: true) { begun.withLock { $0.append(number) } } }
        #expect(begun.withLock { $0 } == Array(0..<ReadTurns.atOnce))
        begun.withLock { $0 = [] }
        for number in 0..<200 { turns.take(isNew: true) { begun.withLock { $0.append(number) } } }
        for number in 0..<3 { turns.take(isNew: false) { begun.withLock { $0.append(1_000 + number) } } }
        #expect(begun.withLock { $0 } == [])
        for _ in 0..<203 { turns.done() }
        let order = begun.withLock { $0 }
        #expect(order.count == 203)
        #expect(order.filter { $0 < 1_000 } == Array(0..<200))
        #expect(order.prefix(6).filter { $0 >= 1_000 } == [1_000, 1_001, 1_002])
        begun.withLock { $0 = [] }
        for _ in 0..<ReadTurns.atOnce { turns.done() }
        for number in 0..<ReadTurns.atOnce + 1 { turns.take(isNew: false) { begun.withLock { $0.append(number) } } }
        #expect(begun.withLock { $0.count } == ReadTurns.atOnce)
    }

    @Test("one that is done at once does not let the others wait")
    func atOnce() {
        let turns = ReadTurns()
        let count = Locked(0)
        for _ in 0..<10_000 {
            turns.take(isNew: true) {
                count.withLock { $0 += 1 }
                turns.done()
            }
        }
        #expect(count.withLock { $0 } == 10_000)
    }

    @Test("what has begun is let go of")
    func lettingGo() {
        final class Held: Sendable {}
        let turns = ReadTurns()
        var held: Held? = Held()
        weak let seen = held
        turns.take(isNew: true) { [held] in _ = held }
        held = nil
        #expect(seen == nil)
        turns.done()
    }

    @Test("very many that wait and are done at once, as when the connection is closed, take no more stack")
    func allAtOnce() {
        let turns = ReadTurns()
        let count = Locked(0)
        for _ in 0..<ReadTurns.atOnce { turns.take(isNew: true) {} }
        for _ in 0..<100_000 {
            turns.take(isNew: true) {
                count.withLock { $0 += 1 }
                turns.done()
            }
        }
        #expect(count.withLock { $0 } == 0)
        turns.done()
        #expect(count.withLock { $0 } == 100_000)
    }
}
