import Glibc
import TestSupport
import Testing
import Transport

@Suite(.serialized, .timeLimit(.minutes(5)))
struct StreamTests {
    @Test(arguments: ["127.0.0.1:0", "[::1]:0", ":0", "localhost:0", "unix:"])
    func `32 MB go both ways at once, intact`(address: String) async throws {
        let address = address == "unix:" ? "unix:\(temporaryPath())" : address
        try await withLoop { server in
            try await withLoop { client in
                let host = try await Host(on: server, address) { probe, stream in
                    stream.shrinkSendBuffer()
                    probe.keepsBytes = false
                    probe.onReceive = { $0.send(copying: $1) }
                    probe.onPeerFinished = { $0.finish() }
                }
                let bytes = pattern(1 << 20)
                let shared = SharedBytes(bytes)
                let probe = try await client.connect(to: host.address) { probe in
                    probe.keepsBytes = false
                    let checker = PatternChecker(bytes)
                    probe.onReceive = { stream, some in
                        #expect(checker.accept(some))
                        if checker.count == 32 << 20 { stream.finish() }
                    }
                    probe.onConnect = { stream in
                        stream.shrinkSendBuffer()
                        for _ in 0..<32 { stream.send(shared) }
                    }
                }
                let seen = await probe.waitForClose()
                #expect(seen.receivedCount == 32 << 20)
                #expect(seen.error == nil)
                #expect(seen.drained >= 1)
                let hosts = await host.probe().waitForClose()
                #expect(hosts.receivedCount == 32 << 20)
                #expect(hosts.error == nil)
                #expect(hosts.peerFinished == 1)
            }
        }
    }

    @Test func `partial writes keep order and bytes, whatever the mixture of pieces`() async throws {
        try await withLoop { loop in
            let expected = Facts<[UInt8]>([])
            let host = try await Host(on: loop) { probe, stream in
                stream.shrinkSendBuffer()
                var random = SeededGenerator(seed: 42)
                for round in 0..<600 {
                    let piece = pattern(Int(random.next() % 5_000), seed: UInt64(round))
                    if round % 3 == 0 {
                        stream.send(copying: piece)
                        expected.change { $0 += piece }
                    } else {
                        let from = piece.count / 3
                        stream.send(SharedBytes(piece), from..<piece.count)
                        expected.change { $0 += piece[from...] }
                    }
                }
                #expect(stream.queuedBytes == expected.value.count)
                stream.finish()
            }
            let socket = try RawSocket(to: host.address)
            let received = try await offPool { try socket.receiveAll() }
            #expect(received == expected.value)
            let seen = await host.probe().waitForClose()
            #expect(seen.error == nil)
            #expect(seen.drained == 0)
        }
    }

    @Test func `a stream that a peer does not read says since when, and drains later`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop) { probe, stream in
                #expect(stream.stalledSince == nil)
                stream.shrinkSendBuffer()
                stream.send(copying: pattern(8 << 20))
                #expect(stream.stalledSince == stream.loop.now)
            }
            let socket = try RawSocket(to: host.address, receiveBuffer: 4096)
            let probe = await host.probe()
            let (queued, stalled) = try await loop.run { (probe.stream?.queuedBytes ?? 0, probe.stream?.stalledSince) }
            #expect(queued > 0)
            #expect(stalled != nil)
            let received = try await offPool {
                var received: [UInt8] = []
                while received.count < 8 << 20 { received += try socket.receive() }
                return received
            }
            #expect(received == pattern(8 << 20))
            await probe.facts.wait { $0.drained == 1 }
            let (left, sent) = try await loop.run { (probe.stream?.queuedBytes, probe.stream?.bytesSent) }
            #expect(left == 0)
            #expect(sent == 8 << 20)
        }
    }

    @Test func `who asks hears of the empty queue once, also when the kernel takes everything at once`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop) { _, stream in
                stream.send(copying: [1, 2, 3])
                stream.awaitDrain()
                stream.awaitDrain()
            }
            let socket = try RawSocket(to: host.address)
            #expect(try await offPool { try socket.receive() } == [1, 2, 3])
            let probe = await host.probe()
            await probe.facts.wait { $0.drained == 1 }
            #expect(try await loop.run { probe.stream?.queuedBytes } == 0)
            try await loop.run { probe.stream?.send(copying: [4]) }
            try await loop.run { probe.stream?.awaitDrain() }
            #expect(await probe.facts.wait { $0.drained >= 2 }.drained == 2)
        }
    }

    @Test func `everything sent in one turn is one segment at the peer`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop) { _, stream in
                for number in 0..<50 { stream.send(SharedBytes([UInt8(number)])) }
                stream.send(copying: [50, 51])
            }
            let socket = try RawSocket(to: host.address)
            #expect(try await offPool { try socket.receive() } == Array(0...51))
        }
    }

    @Test func `a paused stream delivers nothing, and everything once it is resumed`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop) { _, stream in stream.pauseReading() }
            let socket = try RawSocket(to: host.address)
            try socket.send(pattern(1_000))
            socket.finishWriting()
            let probe = await host.probe()
            for _ in 0..<10 { try await loop.run {} }
            #expect(probe.facts.value.receivedCount == 0)
            #expect(probe.facts.value.peerFinished == 0)
            try await loop.run { probe.stream?.resumeReading() }
            let seen = await probe.facts.wait { $0.peerFinished == 1 }
            #expect(seen.received == pattern(1_000))
        }
    }

    @Test func `connecting to nobody is an error of the stream`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop)
            try await host.close()
            let probe = try await loop.connect(to: host.address)
            let seen = await probe.waitForClose()
            #expect(seen.error == .system(call: "connect to \(host.address)", errno: ECONNREFUSED))
            #expect(seen.connected == 0)
        }
    }

    @Test func `connecting tries all addresses of a name`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop)
            let dead = try await Host(on: loop)
            try await dead.close()
            let addresses = [dead.address, dead.address, host.address]
            let probe = try await loop.run {
                let probe = Probe()
                probe.take(
                    try ByteStream.connect(toFirstOf: addresses, serverName: "x", on: loop, delegate: probe))
                return probe
            }
            await probe.facts.wait { $0.connected == 1 }
            #expect(try await loop.run { probe.stream?.peer } == host.address)
        }
    }

    @Test func `a stream knows its peer and whether it is encrypted`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop)
            let socket = try RawSocket(to: host.address)
            try socket.send([1])
            let probe = await host.probe()
            let (address, isTLS) = try await loop.run { (probe.stream?.peerAddress, probe.stream?.isTLS) }
            #expect(address == "127.0.0.1")
            #expect(isTLS == false)
        }
    }
}
