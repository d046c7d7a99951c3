import Testing
import Transport

/// Many streams that are written to, turn by turn; what waits in a queue has not been written.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct WriteTurnsTests {
    /// What one turn after the other has left unwritten, until nothing is, with what a test notes in between.
    private final class Turns: Sendable {
        let unwritten = Facts<[Int]>([])
        let notes = Facts<[String: Int]>([:])
        let isOver = Facts(false)
    }

    private let many = 1000

    /// Connects so many streams to a host, of which some have asked something.
    private func connect(_ loop: EventLoop, asking: Int = 0) async throws -> (host: Host, probes: [Probe], RawSockets) {
        let host = try await Host(on: loop)
        let sockets = RawSockets(try (0..<many).map { _ in try RawSocket(to: host.address) })
        var probes: [Probe] = []
        for number in 0..<many { probes.append(await host.probe(number)) }
        guard asking > 0 else { return (host, probes, sockets) }
        for socket in sockets.all.prefix(asking) { try socket.send([1]) }
        // Which probe belongs to which socket does not matter; these have heard something.
        var asked: [Probe] = []
        while asked.count < asking {
            asked = probes.filter { $0.facts.value.receivedCount > 0 }
            await Task.yield()
        }
        let others = probes.filter { $0.facts.value.receivedCount == 0 }
        return (host, asked + others, sockets)
    }

    /// The sockets live as long as the test.
    private final class RawSockets: Sendable {
        let all: [RawSocket]
        init(_ all: [RawSocket]) { self.all = all }
    }

    /// Looks at what is left at the beginning of each turn, until nothing is.
    private static func watch(
        _ turns: Turns, _ loop: EventLoop, _ probes: [Probe], turn: Int = 1,
        each: @escaping @Sendable (Int, Turns) -> Void = { _, _ in }
    ) {
        loop.execute {
            let left = probes.count { ($0.stream?.queuedBytes ?? 0) > 0 }
            turns.unwritten.change { if $0.last != left { $0.append(left) } }
            each(turn, turns)
            if left == 0 { return turns.isOver.change { $0 = true } }
            watch(turns, loop, probes, turn: turn + 1, each: each)
        }
    }

    @Test func `many streams are written to in parts, between which the loop does other things`() async throws {
        try await withLoop { loop in
            let (_, probes, sockets) = try await connect(loop)
            let turns = Turns()
            try await loop.run {
                for probe in probes { probe.stream?.send(copying: [1]) }
                Self.watch(turns, loop, probes)
            }
            await turns.isOver.wait { $0 }
            #expect(turns.unwritten.value == [744, 488, 232, 0])
            for socket in sockets.all { #expect(try await offPool { try socket.receive() } == [1]) }
        }
    }

    @Test func `who has asked is answered before the many are written to`() async throws {
        try await withLoop { loop in
            let (_, probes, sockets) = try await connect(loop, asking: 3)
            let turns = Turns()
            try await loop.run {
                // Those who asked are the last to be sent something.
                for probe in probes.reversed() { probe.stream?.send(copying: [1]) }
                Self.watch(turns, loop, probes) { turn, turns in
                    let unanswered = probes.prefix(3).count { ($0.stream?.queuedBytes ?? 0) > 0 }
                    turns.notes.change { $0["turn \(turn)"] = unanswered }
                }
            }
            await turns.isOver.wait { $0 }
            #expect(turns.unwritten.value == [741, 485, 229, 0])
            #expect(turns.notes.value["turn 1"] == 0)
            for socket in sockets.all { #expect(try await offPool { try socket.receive() } == [1]) }
        }
    }

    @Test func `a few streams do not wait for the many`() async throws {
        try await withLoop { loop in
            let (_, probes, sockets) = try await connect(loop)
            let turns = Turns()
            try await loop.run {
                for probe in probes { probe.stream?.send(copying: [1]) }
                Self.watch(turns, loop, probes) { turn, turns in
                    if turn == 1 { for probe in probes.prefix(5) { probe.stream?.send(copying: [2]) } }
                    let few = probes.prefix(5).reduce(0) { $0 + ($1.stream?.queuedBytes ?? 0) }
                    turns.notes.change { $0["turn \(turn)"] = few }
                }
            }
            await turns.isOver.wait { $0 }
            #expect(turns.notes.value["turn 1"] == 5)
            #expect(turns.notes.value["turn 2"] == 0)
            #expect(turns.unwritten.value == [744, 488, 232, 0])
            for socket in sockets.all { #expect(try await offPool { try socket.receive() }.first == 1) }
        }
    }

    @Test func `where many wait again each time, no part is smaller for that`() async throws {
        try await withLoop { loop in
            let (_, probes, sockets) = try await connect(loop)
            let turns = Turns()
            try await loop.run {
                for probe in probes { probe.stream?.send(copying: [1]) }
                Self.watch(turns, loop, probes) { turn, _ in
                    // Twice, while the first are written to.
                    if turn < 3 { for probe in probes { probe.stream?.send(copying: [2]) } }
                }
            }
            await turns.isOver.wait { $0 }
            // Those of the first two parts wait again when the others have been written to.
            let left = turns.unwritten.value.drop { $0 != 512 }
            let parts = zip(left, left.dropFirst()).map { $0 - $1 }
            #expect(left.last == 0 && parts.dropLast().allSatisfy { $0 >= 256 }, "\(turns.unwritten.value)")
            for socket in sockets.all {
                let received = try await offPool {
                    var received: [UInt8] = []
                    while received.count < 3 { received += try socket.receive() }
                    return received
                }
                #expect(received == [1, 2, 2])
            }
        }
    }

    @Test func `what is left when the loop stops is written`() async throws {
        let loop = try EventLoop(name: "test")
        loop.start()
        let (_, probes, sockets) = try await connect(loop)
        try await loop.run { for probe in probes { probe.stream?.send(copying: [7]) } }
        loop.stop()
        for socket in sockets.all { #expect(try await offPool { try socket.receive() } == [7]) }
    }
}
