import Testing
import Transport

@testable import Broker

@Suite struct LogThrottleTests {
    @Test("of each kind a few lines are written in some time, and the next one says how many were left out")
    func bound() {
        let throttle = LogThrottle()
        let begin = MonotonicTime(nanoseconds: 1)
        for _ in 0..<LogThrottle.most { #expect(throttle.admit(.tls, at: begin) == 0) }
        for _ in 0..<5 { #expect(throttle.admit(.tls, at: begin) == nil) }
        #expect(throttle.admit(.proxy, at: begin) == 0)
        let end = begin + .seconds(LogThrottle.seconds)
        #expect(throttle.admit(.tls, at: end) == 5)
        #expect(throttle.admit(.tls, at: end) == 0)
        #expect(throttle.admit(.tls, at: end + .seconds(LogThrottle.seconds)) == 0)
    }

    @Test("a flood of lines is a few lines")
    func lines() {
        let written = Locked<[String]>([])
        let log = BrokerLog { entry in written.withLock { $0.append(entry.line) } }
        for number in 0..<10_000 { log.say(.info, .tls, "line \(number)") }
        #expect(written.withLock { $0.count } <= 2 * LogThrottle.most)
        log.info("another")
        #expect(written.withLock { $0.last } == "another")
        log.say(.info, .hook, "one of another kind")
        let count = written.withLock { $0.count }
        log.sayLeftOut()
        #expect(written.withLock { $0.count } == count + 1, "of the kind that was left out alone")
        let told = written.withLock { $0.last } ?? ""
        #expect(told.hasPrefix("left out: 99") && told.hasSuffix(" lines on TLS that failed"), "\(told)")
        log.sayLeftOut()
        #expect(written.withLock { $0.count } == count + 1, "each is told once")
    }
}
