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

    /// Connects so many streams to a host.
    private func connect(_ loop: EventLoop) async throws -> (host: Host, probes: [Probe], RawSockets) {
        let host = try await Host(on: loop)
        let sockets = RawSockets(try (0..<many).map { _ in try RawSocket(to: host.address) })
        var probes: [Probe] = []
        for number in 0..<many { probes.append(await host.probe(number)) }
        return (host, probes, sockets)
    }

    /// The sockets live as long as the test.
    private final class RawSockets: Sendable {
        let all: [RawSocket]
        init(_ all: [RawSocket]) { self.all = all }
    }

    /// Looks at what is left at the beginning of each turn, until nothing is, and for some turns at least.
    private static func watch(
        _ turns: Turns, _ loop: EventLoop, _ probes: [Probe], turn: Int = 1, atLeast least: Int = 1,
        each: @escaping @Sendable (Int, Turns) -> Void = { _, _ in }
    ) {
        loop.execute {
            let left = probes.count { ($0.stream?.queuedBytes ?? 0) > 0 }
            turns.unwritten.change { if $0.last != left { $0.append(left) } }
            each(turn, turns)
            if left == 0, turn >= least { return turns.isOver.change { $0 = true } }
            watch(turns, loop, probes, turn: turn + 1, atLeast: least, each: each)
        }
    }

    /// Sends the same byte to all.
    private static func broadcast(_ byte: UInt8, to probes: [Probe], on loop: EventLoop) {
        loop.broadcast(to: probes.count) {
            for probe in probes { probe.stream?.send(copying: [byte]) }
        }
    }

    @Test func `a broadcast to very many is written in parts, between which the loop does other things`() async throws {
        try await withLoop { loop in
            let (_, probes, sockets) = try await connect(loop)
            let turns = Turns()
            try await loop.run {
                Self.broadcast(1, to: probes, on: loop)
                Self.watch(turns, loop, probes)
            }
            await turns.isOver.wait { $0 }
            #expect(turns.unwritten.value == [744, 488, 232, 0])
            for socket in sockets.all { #expect(try await offPool { try socket.receive() } == [1]) }
        }
    }

    @Test func `what is for each of many streams alone is written in one turn`() async throws {
        try await withLoop { loop in
            let (_, probes, sockets) = try await connect(loop)
            let turns = Turns()
            try await loop.run {
                for probe in probes { probe.stream?.send(copying: [1]) }
                Self.watch(turns, loop, probes)
            }
            await turns.isOver.wait { $0 }
            #expect(turns.unwritten.value == [0])
            for socket in sockets.all { #expect(try await offPool { try socket.receive() } == [1]) }
        }
    }

    @Test func `a broadcast to few streams is written in one turn`() async throws {
        try await withLoop { loop in
            let (_, probes, sockets) = try await connect(loop)
            let turns = Turns()
            try await loop.run {
                for start in stride(from: 0, to: probes.count, by: 200) {
                    Self.broadcast(1, to: Array(probes[start..<start + 200]), on: loop)
                }
                Self.watch(turns, loop, probes)
            }
            await turns.isOver.wait { $0 }
            #expect(turns.unwritten.value == [0])
            for socket in sockets.all { #expect(try await offPool { try socket.receive() } == [1]) }
        }
    }

    @Test func `who is answered does not wait for a broadcast`() async throws {
        try await withLoop { loop in
            let (_, probes, sockets) = try await connect(loop)
            let turns = Turns()
            try await loop.run {
                Self.broadcast(1, to: probes, on: loop)
                // They are the last of those who would be written to.
                for probe in probes.suffix(3) { probe.stream?.send(copying: [2]) }
                Self.watch(turns, loop, probes) { turn, turns in
                    let unanswered = probes.suffix(3).count { ($0.stream?.queuedBytes ?? 0) > 0 }
                    turns.notes.change { $0["turn \(turn)"] = unanswered }
                }
            }
            await turns.isOver.wait { $0 }
            #expect(turns.unwritten.value == [741, 485, 229, 0])
            #expect(turns.notes.value["turn 1"] == 0)
            for socket in sockets.all.dropLast(3) { #expect(try await offPool { try socket.receive() } == [1]) }
            for socket in sockets.all.suffix(3) { #expect(try await offPool { try socket.receive() } == [1, 2]) }
        }
    }

    @Test func `a few streams do not wait for the parts of a broadcast`() async throws {
        try await withLoop { loop in
            let (_, probes, sockets) = try await connect(loop)
            let turns = Turns()
            try await loop.run {
                Self.broadcast(1, to: probes, on: loop)
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

    @Test func `when many were written to, the loop rests before it does so again, and joins what comes`() async throws
    {
        try await withLoop { loop in
            let (_, probes, sockets) = try await connect(loop)
            let (turns, rounds) = (Turns(), 20)
            try await loop.run {
                for probe in probes { probe.stream?.send(copying: [0]) }
                Self.watch(turns, loop, probes, atLeast: rounds + 1) { turn, turns in
                    let left = turns.unwritten.value.last ?? 0
                    turns.notes.change { $0["most", default: 0] = max($0["most", default: 0], left) }
                    guard turn <= rounds else { return }
                    // The first of these finds a loop that rests, unless it was kept from running for as long as that.
                    for probe in probes { probe.stream?.send(copying: [UInt8(turn)]) }
                }
            }
            await turns.isOver.wait { $0 }
            #expect(turns.notes.value["most"] == many)
            let expected = (0...rounds).map { UInt8($0) }
            for socket in sockets.all {
                let received = try await offPool {
                    var received: [UInt8] = []
                    while received.count < expected.count { received += try socket.receive() }
                    return received
                }
                #expect(received == expected)
            }
        }
    }

    @Test func `after each turn it is said what is left to be written`() async throws {
        try await withLoop { loop in
            let (_, probes, sockets) = try await connect(loop)
            let turns = Turns()
            try await loop.run {
                loop.afterWrites { _, left in
                    let mayBeLeft = probes.suffix(100).contains { ($0.stream?.queuedBytes ?? 0) > 0 }
                    turns.notes.change { $0["\(left), \(mayBeLeft)", default: 0] += 1 }
                }
                Self.broadcast(1, to: probes, on: loop)
                Self.watch(turns, loop, probes, atLeast: 20) { turn, turns in
                    guard turn > 4 else { return }
                    for probe in probes.suffix(100) { probe.stream?.send(copying: [2]) }
                }
            }
            await turns.isOver.wait { $0 }
            let notes = turns.notes.value
            #expect(notes["ofBroadcasts, true"] == 3, "the last part was not written yet")
            #expect(notes["any, true", default: 0] > 0, "what came in a rest is still to be written")
            #expect(notes["none, true"] == nil && notes["any, false"] == nil && notes["ofBroadcasts, false"] == nil)
            for socket in sockets.all { #expect(try await offPool { try socket.receive() }.first == 1) }
        }
    }

    @Test func `what is left when the loop stops is written`() async throws {
        let loop = try EventLoop(name: "test")
        loop.start()
        let (_, probes, sockets) = try await connect(loop)
        try await loop.run { Self.broadcast(7, to: probes, on: loop) }
        loop.stop()
        for socket in sockets.all { #expect(try await offPool { try socket.receive() } == [7]) }
    }
}
