import Testing

@testable import LoadGenerator

@Suite struct SendLogTests {
    @Test func `Stamps are kept by number until newer ones take their place`() {
        let log = SendLog(capacity: 4)
        #expect(log.stamp(of: 0) == nil)
        for number in 0..<6 as Range<UInt64> { log.append(Stamp(intended: number * 10, sent: number * 10 + 1)) }
        #expect(log.stamp(of: 1) == nil)
        #expect(log.stamp(of: 2) == Stamp(intended: 20, sent: 21))
        #expect(log.stamp(of: 5) == Stamp(intended: 50, sent: 51))
        #expect(log.stamp(of: 6) == nil)
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

    @Test func `A removal's number is given once`() {
        var log = EventLog(capacity: 4)
        log.expectRemoval(number: 12, by: 3)
        #expect(log.takeRemoval(by: 2) == nil)
        #expect(log.takeRemoval(by: 3) == 12)
        #expect(log.takeRemoval(by: 3) == nil)
    }
}
