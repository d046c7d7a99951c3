import Glibc
import Testing
import Transport

@Suite(.timeLimit(.minutes(5)))
struct StreamClosingTests {
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

    @Test func `where a peer's end comes with its last words, its stream is over in the turn that answers them`()
        async throws
    {
        try await withLoop { loop in
            let times = Facts<[MonotonicTime]>([])
            let host = try await Host(on: loop) { probe, _ in
                probe.onReceive = { stream, _ in
                    times.change { $0.append(stream.loop.now) }
                    stream.send(copying: Array("your last".utf8))
                    stream.finish()
                }
                probe.onClose = { stream in times.change { $0.append(stream.loop.now) } }
            }
            let socket = try RawSocket(to: host.address)
            let probe = await host.probe()
            // On the loop, so that both are there when it next looks.
            try await loop.run {
                try socket.send(Array("my last".utf8))
                socket.finishWriting()
            }
            #expect(try await offPool { try socket.receiveAll() } == Array("your last".utf8))
            let seen = await probe.waitForClose()
            #expect(seen.error == nil)
            #expect(times.value.count == 2)
            #expect(times.value.first == times.value.last)
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
                    stream.shrinkSendBuffer()
                    stream.send(copying: bytes)
                    stream.finish()
                    stream.send(copying: [1, 2, 3])
                }
            }
            let socket = try RawSocket(to: host.address)
            let seen = try await offPool {
                try socket.send([0])
                // Unread bytes at a close would be answered with a reset, which destroys what is on its way.
                try socket.send(pattern(100_000))
                return try socket.receiveAll()
            }
            #expect(seen == bytes)
            #expect(await host.probe().facts.value.deliveries == 1)
        }
    }

    @Test func `finish gives up a peer that does not end after 2 s`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop) { probe, stream in
                stream.send(copying: [7])
                stream.finish()
            }
            let start = MonotonicTime.now
            let socket = try RawSocket(to: host.address)
            #expect(try await offPool { try socket.receiveAll() } == [7])
            let seen = await host.probe().waitForClose()
            #expect(seen.error == nil)
            #expect(MonotonicTime.now - start >= .seconds(2))
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

    @Test(arguments: [false, true])
    func `what a peer sent before it reset the connection is delivered although a write noticed first`(
        isTLS: Bool
    ) async throws {
        try await withLoop { server in
            try await withLoop { client in
                let host = try await Host(on: server, tls: isTLS ? TLSTests.server() : nil) { _, stream in
                    stream.send(copying: [0])
                }
                let probe = try await client.connect(to: host.address, tls: isTLS ? TLSTests.client() : nil) {
                    $0.onConnect = { $0.pauseReading() }
                }
                await probe.facts.wait { $0.connected == 1 }
                let hosts = await host.probe()
                // All in one turn of the server, which therefore cannot read before it writes.
                try await server.run {
                    let isGone = Facts(false)
                    client.execute {
                        probe.stream?.send(copying: [1, 2, 3])
                        // The byte that is not read makes the close a reset.
                        client.schedule(Alarm { probe.stream?.abort() }, after: .milliseconds(20))
                        client.schedule(Alarm { isGone.change { $0 = true } }, after: .milliseconds(40))
                    }
                    while !isGone.value {}
                    hosts.stream?.send(copying: [9])
                }
                let seen = await hosts.waitForClose()
                #expect(seen.received == [1, 2, 3])
                #expect(seen.error != nil)
            }
        }
    }

    @Test func `a stream may be paused, resumed and finished while it is being accepted`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop) { _, stream in
                stream.pauseReading()
                stream.resumeReading()
                stream.pauseReading()
                stream.send(copying: [1])
                stream.finish()
            }
            let socket = try RawSocket(to: host.address)
            #expect(try await offPool { try socket.receiveAll() } == [1])
            socket.finishWriting()
            #expect(await host.probe().waitForClose().error == nil)
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
                    // The kernel may take everything at once; unasked, a stream then tells nothing.
                    stream.awaitDrain()
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
}
