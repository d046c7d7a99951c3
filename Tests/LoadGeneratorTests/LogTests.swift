import Testing

@testable import LoadGenerator

@Suite struct SendLogTests {
    @Test func `Stamps are kept by number until newer ones take their place`() {
        let log = SendLog(capacity: 4)
        #expect(log.stamp(of: 0, cell: 1) == nil)
        for number in 0..<6 as Range<UInt64> {
            log.note(number, cell: 1, Stamp(intended: number * 10, sent: number * 10 + 1))
        }
        #expect(log.stamp(of: 1, cell: 1) == nil)
        #expect(log.stamp(of: 2, cell: 1) == Stamp(intended: 20, sent: 21))
        #expect(log.stamp(of: 5, cell: 1) == Stamp(intended: 50, sent: 51))
        #expect(log.stamp(of: 6, cell: 1) == nil)
    }

    @Test func `A request that changed something else is not taken for it`() {
        let log = SendLog(capacity: 4)
        log.note(3, cell: 1, Stamp(intended: 10, sent: 11))
        #expect(log.stamp(of: 3, cell: 2) == nil)
    }
}

@Suite struct EventLogTests {
    private func stamp(_ time: UInt64) -> Stamp { Stamp(intended: time, sent: time + 1) }

    @Test func `An event is entered once and found by all others`() {
        var log = EventLog(capacity: 8)
        #expect(log[1] == .unseen)
        log.enter(stamp(10), at: 1)
        log.enter(nil, at: 2)
        #expect(log[1] == .stamped(stamp(10)))
        #expect(log[2] == .unstamped)
        #expect(log[3] == .unseen)
    }

    @Test func `What was skipped or fell out is not mistaken for another`() {
        var log = EventLog(capacity: 4)
        for seq in 1...4 as ClosedRange<UInt64> { log.enter(stamp(seq), at: seq) }
        log.enter(stamp(7), at: 7)
        #expect(log[5] == .unstamped)
        #expect(log[6] == .unstamped)
        #expect(log[4] == .stamped(stamp(4)))
        #expect(log[3] == .unstamped)
        log.enter(stamp(1_000_000), at: 1_000_000)
        #expect(log[999_998] == .unstamped)
        #expect(log[1_000_000] == .stamped(stamp(1_000_000)))
    }

    @Test func `An older event is not entered`() {
        var log = EventLog(capacity: 4)
        log.enter(stamp(5), at: 5)
        log.enter(stamp(3), at: 3)
        #expect(log[3] == .unstamped)
    }

    @Test func `An event without a number has its publisher's next one`() {
        var log = EventLog(capacity: 4)
        #expect(log.number(at: 1, carried: nil, by: 3, step: 10) == nil)
        log.enter(nil, at: 1)
        #expect(log.number(at: 2, carried: 13, by: 3, step: 10) == 13)
        log.enter(nil, at: 2)
        #expect(log.number(at: 3, carried: nil, by: 2, step: 10) == nil)
        log.enter(nil, at: 3)
        #expect(log.number(at: 4, carried: nil, by: 3, step: 10) == 23)
        log.enter(nil, at: 4)
        #expect(log.number(at: 6, carried: nil, by: 3, step: 10) == nil, "one between was missed")
    }
}

@Suite struct QueueTests {
    @Test(arguments: [21, 22, 23] as [UInt64])
    func `First in, first out, however it grows and shrinks`(seed: UInt64) {
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        var queue = Queue<Int>()
        var model: [Int] = []
        for number in 0..<5000 {
            // Long stretches of growing and of shrinking.
            if Int.random(in: 0..<10, using: &generator) < (number / 500 % 2 == 0 ? 7 : 2) {
                queue.append(number)
                model.append(number)
            } else {
                #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(queue.count == model.count && queue.first == model.first)
        }
        #expect(Array(queue.all) == model)
    }
}

@Suite struct CountModelTests {
    @Test func `Counts are compared with what the acks add up to`() {
        var model = CountModel()
        let cell = CountModel.cell(message: 7, reaction: 2)
        #expect(CountModel.message(of: cell) == 7 && CountModel.reaction(of: cell) == 2)
        model.change(cell, by: 1)
        model.change(cell, by: 1)
        model.change(CountModel.cell(message: 7, reaction: 0), by: 1)
        model.change(CountModel.cell(message: 7, reaction: 0), by: -1)
        #expect(model.messages == [7])
        let right = model.compare(message: 7, reactions: 3) { [0, 0, 2][$0] }
        #expect(right.compared == 3 && right.wrong == 0)
        let wrong = model.compare(message: 7, reactions: 3) { [1, 0, 1][$0] }
        #expect(wrong.compared == 3 && wrong.wrong == 2)
        model.doubt(cell)
        let doubted = model.compare(message: 7, reactions: 3) { [0, 0, 1][$0] }
        #expect(doubted.compared == 2 && doubted.wrong == 0)
    }
}
