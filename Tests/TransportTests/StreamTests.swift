import Glibc
import Testing
import Transport

@Suite(.timeLimit(.minutes(2)))
struct StreamTests {
    @Test(arguments: ["127.0.0.1:0", "[::1]:0", ":0", "localhost:0", "unix:"])
    func `32 MB go both ways at once, intact`(address: String) async throws {
        let address = address == "unix:" ? "unix:\(temporaryPath())" : address
        try await withLoop { server in
            try await withLoop { client in
                let host = try await Host(on: server, address) { probe, stream in
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
                    probe.onConnect = { stream in for _ in 0..<32 { stream.send(shared) } }
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
                var random = SplitMix(seed: 42)
                for round in 0..<2_000 {
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
            let socket = try RawSocket(to: host.address, receiveBuffer: 4096)
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

    @Test func `a peer that half closes is still answered`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop) { probe, _ in
                probe.onPeerFinished = { stream in
                    stream.send(copying: Array("after your end".utf8))
                    stream.finish()
                }
            }
            let socket = try RawSocket(to: host.address)
            try socket.send(Array("question".utf8))
            socket.finishWriting()
            #expect(try await offPool { try socket.receiveAll() } == Array("after your end".utf8))
            let seen = await host.probe().waitForClose()
            #expect(seen.received == Array("question".utf8))
            #expect(seen.peerFinished == 1)
            #expect(seen.error == nil)
        }
    }

    @Test func `a half-closed stream costs nothing while it waits`() async throws {
        try await withLoop { loop in
            let turns = Facts(0)
            let host = try await Host(on: loop)
            let socket = try RawSocket(to: host.address)
            socket.finishWriting()
            let probe = await host.probe()
            await probe.facts.wait { $0.peerFinished == 1 }
            try await loop.run { loop.atTurnEnd { turns.change { $0 += 1 } } }
            // A timer's 50 ms in which a level-triggered event that nobody takes would spin.
            let alarm = Facts(false)
            try await loop.run { _ = loop.schedule(Alarm { alarm.change { $0 = true } }, after: .milliseconds(50)) }
            await alarm.wait { $0 }
            #expect(turns.value < 10)
        }
    }

    @Test func `finish delivers the last bytes although the peer keeps sending`() async throws {
        try await withLoop { loop in
            let bytes = pattern(4 << 20)
            let host = try await Host(on: loop) { probe, _ in
                probe.onReceive = { stream, _ in
                    stream.send(copying: bytes)
                    stream.finish()
                    stream.send(copying: [1, 2, 3])
                }
            }
            let socket = try RawSocket(to: host.address, receiveBuffer: 4096)
            try socket.send([0])
            await host.probe().facts.wait { $0.receivedCount == 1 }
            // Unread bytes at a close would be answered with a reset, which destroys what is on its way.
            try socket.send(pattern(100_000))
            #expect(try await offPool { try socket.receiveAll() } == bytes)
            let seen = await host.probe().facts.value
            #expect(seen.receivedCount == 1)
        }
    }

    @Test func `finish gives up a peer that does not end after 2 s`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop) { probe, stream in
                stream.send(copying: [7])
                stream.finish()
            }
            let socket = try RawSocket(to: host.address)
            #expect(try await offPool { try socket.receiveAll() } == [7])
            let start = MonotonicTime.now
            let seen = await host.probe().waitForClose()
            #expect(seen.error == nil)
            #expect(MonotonicTime.now - start > .milliseconds(1_500))
        }
    }

    @Test func `abort drops what is queued and tells once`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop) { probe, stream in
                stream.send(copying: pattern(1 << 20))
                stream.abort()
                stream.abort()
                stream.finish()
                stream.send(copying: [1])
                stream.pauseReading()
                stream.resumeReading()
                #expect(stream.queuedBytes == 0)
                #expect(stream.isClosed)
                #expect(probe.facts.value.closed == 0)
            }
            let socket = try RawSocket(to: host.address)
            #expect(try await offPool { try socket.receiveAll() } == [])
            let seen = await host.probe().waitForClose()
            try await loop.run {}
            #expect(seen.error == nil)
            #expect(await host.probe().facts.value.closed == 1)
        }
    }

    @Test func `a reset by the peer is an error, after what it sent before`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop)
            do {
                let socket = try RawSocket(to: host.address)
                try socket.send([1, 2, 3])
                await host.probe().facts.wait { $0.receivedCount == 3 }
                socket.resetOnClose()
            }
            let seen = await host.probe().waitForClose()
            #expect(seen.error == .system(call: "recv", errno: ECONNRESET))
            #expect(seen.received == [1, 2, 3])
        }
    }

    @Test func `what a peer sent before it went is delivered even when writing to it fails`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop, "unix:\(temporaryPath())") { probe, stream in
                stream.pauseReading()
            }
            do {
                let socket = try RawSocket(to: host.address)
                try socket.send([1, 2, 3])
                _ = await host.probe()
            }
            let probe = await host.probe()
            try await loop.run {
                probe.stream?.resumeReading()
                probe.stream?.send(copying: [9])
            }
            let seen = await probe.waitForClose()
            #expect(seen.received == [1, 2, 3])
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

    @Test func `a paused stream whose Unix peer is gone keeps what it sent, without spinning`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop, "unix:\(temporaryPath())") { _, stream in stream.pauseReading() }
            do {
                let socket = try RawSocket(to: host.address)
                try socket.send([1, 2, 3])
            }
            let probe = await host.probe()
            let turns = Facts(0)
            try await loop.run { loop.atTurnEnd { turns.change { $0 += 1 } } }
            let alarm = Facts(false)
            try await loop.run { _ = loop.schedule(Alarm { alarm.change { $0 = true } }, after: .milliseconds(50)) }
            await alarm.wait { $0 }
            #expect(turns.value < 10)
            try await loop.run { probe.stream?.resumeReading() }
            let seen = await probe.waitForClose()
            #expect(seen.received == [1, 2, 3])
            #expect(seen.peerFinished == 1)
        }
    }

    @Test(arguments: ["receive", "peer finished", "drain", "connect"])
    func `a stream may be aborted inside any callback`(callback: String) async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop) { probe, stream in
                probe.keepsBytes = false
                if callback == "receive" { probe.onReceive = { stream, _ in stream.abort() } }
                if callback == "peer finished" { probe.onPeerFinished = { $0.abort() } }
                if callback == "drain" {
                    stream.send(copying: pattern(8 << 20))
                    probe.onDrain = { $0.abort() }
                }
            }
            if callback == "connect" {
                let probe = try await loop.connect(to: host.address) { $0.onConnect = { $0.abort() } }
                let seen = await probe.waitForClose()
                #expect(seen.connected == 1)
                #expect(seen.error == nil)
                return
            }
            let socket = try RawSocket(to: host.address)
            if callback == "receive" { try socket.send(pattern(200_000)) }
            if callback == "peer finished" { socket.finishWriting() }
            _ = try? await offPool { try socket.receiveAll() }
            let seen = await host.probe().waitForClose()
            try await loop.run {}
            let later = await host.probe().facts.value
            #expect(seen.error == nil)
            #expect(later.closed == 1 && later.late == 0)
        }
    }

    @Test func `a loop that stops closes its streams and tells them`() async throws {
        let loop = try EventLoop(name: "test")
        loop.start()
        let host = try await Host(on: loop)
        let socket = try RawSocket(to: host.address)
        let probe = await host.probe()
        loop.stop()
        #expect(probe.facts.value.closed == 1)
        #expect(probe.facts.value.error == .closed)
        #expect(try await offPool { try socket.receiveAll() } == [])
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

    @Test func `small packets are not held back`() async throws {
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
