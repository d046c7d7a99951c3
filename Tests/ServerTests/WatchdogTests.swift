import Broker
import Dispatch
import Foundation
import Testing
import Transport

@testable import Server

/// Whether a broker says that it is not hung (Systemd.md).
@Suite(.timeLimit(.minutes(5))) struct WatchdogTests {
    /// A watchdog whose pauses a test ends one by one.
    private final class Paced: Sendable {
        let watchdog: Watchdog
        let events = Locked<[String]>([])
        private let told = DispatchSemaphore(value: 0)
        private let goOn = DispatchSemaphore(value: 0)
        private let ended = DispatchSemaphore(value: 0)

        init(_ loops: [EventLoop]) {
            watchdog = Watchdog(loops)
            Thread.detachNewThread { [self] in
                watchdog.run(
                    pause: { _ in goOn.wait() },
                    tell: {
                        note("alive")
                        told.signal()
                    })
                ended.signal()
            }
        }

        func note(_ event: String) { events.withLock { $0.append(event) } }
        func awaitTold() { told.wait() }
        func endPause() { goOn.signal() }
        func awaitEnd() { ended.wait() }
    }

    private func loops(_ count: Int) throws -> [EventLoop] {
        try (0..<count).map { index in
            let loop = try EventLoop(name: "loop-\(index)")
            loop.start()
            return loop
        }
    }

    @Test("every round in which all loops answer is told")
    func alive() throws {
        let loops = try loops(3)
        let paced = Paced(loops)
        for _ in 0..<5 {
            paced.awaitTold()
            paced.endPause()
        }
        paced.awaitTold()
        paced.watchdog.end()
        paced.endPause()
        paced.awaitEnd()
        #expect(paced.events.withLock { $0.count } == 6)
        for loop in loops { loop.stop() }
    }

    @Test("while one loop hangs nothing is told, and it goes on when that loop does", arguments: 0..<3)
    func hung(index: Int) throws {
        let loops = try loops(3)
        let paced = Paced(loops)
        paced.awaitTold()
        let release = DispatchSemaphore(value: 0)
        let isHung = DispatchSemaphore(value: 0)
        loops[index].execute {
            isHung.signal()
            release.wait()
        }
        isHung.wait()
        paced.endPause()
        // The round has begun when the others have been asked; what they are asked now, they do behind its question.
        for _ in 0..<100 {
            for other in loops.indices where other != index { loops[other].wait {} }
        }
        paced.note("released")
        release.signal()
        paced.awaitTold()
        #expect(paced.events.withLock { $0 } == ["alive", "released", "alive"])
        paced.watchdog.end()
        paced.endPause()
        paced.awaitEnd()
        for loop in loops { loop.stop() }
    }

    @Test("its end is heard also while a loop hangs")
    func endWhileHung() throws {
        let loops = try loops(1)
        let release = DispatchSemaphore(value: 0)
        loops[0].execute { release.wait() }
        let paced = Paced(loops)
        paced.watchdog.end()
        paced.awaitEnd()
        #expect(paced.events.withLock { $0 } == [])
        release.signal()
        loops[0].stop()
    }

    @Test("a server tells over and over until it stops, and its end does not wait for the next time")
    func server() throws {
        let server = try TestServer()
        let told = DispatchSemaphore(value: 0)
        server.server.tellWhileAlive(every: .milliseconds(1)) { told.signal() }
        for _ in 0..<3 { told.wait() }
        // This one takes the first one's place.
        server.server.tellWhileAlive(every: .seconds(86_400)) { told.signal() }
        told.wait()
        #expect(server.server.stop(DrainSettings(withinMilliseconds: 600_000)))
    }
}
