import Testing
import Transport

@testable import Broker

/// Whose fault it is that a channel cannot be read: its own, or that of the store.
@Suite struct ReadFailuresTests {
    private let time = MonotonicTime.now

    @Test("one channel that cannot be read, however often, is that channel's own; so are two")
    func few() {
        var failures = ReadFailures()
        for second in 0..<100 { failures.failed("chat:1", at: time + .seconds(second)) }
        failures.failed("chat:2", at: time + .seconds(100))
        #expect(!failures.areOfAll(at: time + .seconds(100)) && !failures.isEmpty)
    }

    @Test("three in a row are the store's, for 10 s after the last of them")
    func several() {
        var failures = ReadFailures()
        for number in 1...3 { failures.failed("chat:\(number)", at: time + .seconds(number)) }
        #expect(failures.areOfAll(at: time + .seconds(13)))
        #expect(!failures.areOfAll(at: time + .seconds(14)))
        failures.failed("chat:1", at: time + .seconds(13))
        #expect(failures.areOfAll(at: time + .seconds(23)))
    }

    @Test("those of long ago do not count with those of now")
    func longAgo() {
        var failures = ReadFailures()
        for number in 1...3 { failures.failed("chat:\(number)", at: time + .seconds(number * 61)) }
        #expect(!failures.areOfAll(at: time + .seconds(183)))
        for number in 4...5 { failures.failed("chat:\(number)", at: time + .seconds(183 + 59)) }
        #expect(failures.areOfAll(at: time + .seconds(183 + 59)))
    }

    @Test("a look that fails is the store's, until one does not or 10 s have gone by")
    func looks() {
        var failures = ReadFailures()
        failures.failed("chat:1", at: time)
        failures.looked(isReadable: false, at: time)
        #expect(failures.areOfAll(at: time + .seconds(10)) && !failures.areOfAll(at: time + .seconds(11)))
        failures.looked(isReadable: true, at: time + .seconds(1))
        #expect(!failures.areOfAll(at: time + .seconds(1)))
        for number in 2...3 { failures.failed("chat:\(number)", at: time + .seconds(2)) }
        failures.looked(isReadable: true, at: time + .seconds(3))
        #expect(failures.areOfAll(at: time + .seconds(3)), "pages that are held in memory can be read for long")
    }

    @Test("a channel that was read makes the store well, and the words say what is wrong with it")
    func health() {
        let health = StoreHealth(hasSharedLog: false)
        for number in 1...3 { health.couldNotRead("chat:\(number)", at: time) }
        #expect(health.fault(at: time) == "the store cannot be read")
        health.couldRead()
        #expect(health.isWell(at: time))
        health.looked(isReadable: false, at: time)
        #expect(health.fault(at: time) == "the store cannot be read")
        health.looked(isReadable: true, at: time)
        #expect(health.isWell(at: time))
    }
}
