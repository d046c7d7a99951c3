import CLinux
import Glibc
import Testing
import Transport

@Suite(.timeLimit(.minutes(5)))
struct EventLoopTests {
    /// An actor that lives on a loop.
    actor Pinned {
        private let loop: EventLoop
        private(set) var count = 0

        init(on loop: EventLoop) { self.loop = loop }

        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

        func runsOnItsLoop() -> Bool {
            count += 1
            return loop.isCurrent
        }

        func call(_ other: Pinned) async -> Bool {
            let first = loop.isCurrent
            let second = await other.runsOnItsLoop()
            return first && second && loop.isCurrent
        }
    }

    @Test func `an actor pinned to a loop runs on its thread`() async throws {
        try await withLoop { loop in
            let pinned = Pinned(on: loop)
            #expect(await pinned.runsOnItsLoop())
            #expect(!loop.isCurrent)
        }
    }

    @Test func `actors on the same and on different loops call each other`() async throws {
        try await withLoop { one in
            try await withLoop { two in
                let (first, second, third) = (Pinned(on: one), Pinned(on: one), Pinned(on: two))
                for _ in 0..<100 {
                    #expect(await first.call(second))
                    #expect(await first.call(third))
                    #expect(await third.call(first))
                }
                #expect(await second.count == 100)
            }
        }
    }

    @Test func `assumeIsolated works on the loop without a task`() async throws {
        try await withLoop { loop in
            let pinned = Pinned(on: loop)
            let count = try await loop.run {
                pinned.assumeIsolated { pinned in
                    _ = pinned.runsOnItsLoop()
                    return pinned.count
                }
            }
            #expect(count == 1)
            #expect(loop.isIsolatingCurrentContext() == false)
        }
    }

    @Test func `a loop off its thread is a broken precondition`() async {
        await #expect(processExitsWith: .failure) {
            let loop = try EventLoop(name: "test")
            loop.start()
            let running = Facts(false)
            loop.execute { running.change { $0 = true } }
            await running.wait { $0 }
            loop.preconditionCurrent()
        }
    }

    @Test func `more jobs than a turn may run are all run`() async throws {
        try await withLoop { loop in
            let pinned = Pinned(on: loop)
            await withTaskGroup { group in
                for _ in 0..<10_000 { group.addTask { _ = await pinned.runsOnItsLoop() } }
            }
            #expect(await pinned.count == 10_000)
        }
    }

    @Test func `the thread carries the loop's name`() async throws {
        let loop = try EventLoop(name: "a name longer than fifteen bytes")
        loop.start()
        defer { loop.stop() }
        let name = try await loop.run {
            var name = [CChar](repeating: 0, count: 64)
            unsafe clinux_thread_name(&name, UInt(name.count))
            return unsafe String(cString: &name)
        }
        #expect(name == "a name longer t")
    }

    @Test func `what was handed over before stop is done`() throws {
        let loop = try EventLoop(name: "test")
        let done = Facts(0)
        for _ in 0..<100 { loop.execute { done.change { $0 += 1 } } }
        loop.start()
        for _ in 0..<100 { loop.execute { done.change { $0 += 1 } } }
        loop.stop()
        #expect(done.value == 200)
        loop.stop()
        loop.execute { done.change { $0 += 1 } }
        #expect(done.value == 200)
    }

    @Test func `stop lets the loop go`() throws {
        weak var remains: EventLoop?
        do {
            let loop = try EventLoop(name: "test")
            remains = loop
            loop.start()
            loop.stop()
        }
        #expect(remains == nil)
    }

    @Test func `turn-end actions come after the turn's work and see what it did`() async throws {
        try await withLoop { loop in
            let trace = Facts<[String]>([])
            try await loop.run {
                loop.atTurnEnd { trace.change { $0.append("end") } }
                loop.execute { trace.change { $0.append("work") } }
                trace.change { $0.append("first") }
            }
            let seen = await trace.wait { $0.count >= 4 }
            #expect(seen.prefix(4) == ["first", "end", "work", "end"])
        }
    }

    @Test func `work that a turn-end action makes does not wait for an event`() async throws {
        try await withLoop { loop in
            let done = Facts(0)
            try await loop.run {
                loop.atTurnEnd {
                    if done.value < 100 { loop.execute { done.change { $0 += 1 } } }
                }
            }
            await done.wait { $0 == 100 }
        }
    }

    @Test func `time stands still within a turn and goes on between turns`() async throws {
        try await withLoop { loop in
            let before = MonotonicTime.now
            let (first, second) = try await loop.run {
                let first = loop.now
                while MonotonicTime.now == first {}
                return (first, loop.now)
            }
            #expect(first == second)
            #expect(first > before)
            #expect(try await loop.run { loop.now } > first)
        }
    }
}
