import Testing
import Transport

@Suite(.serialized, .timeLimit(.minutes(5)))
struct TLSTests {
    static let certificate = Result { try Certificate() }

    static func server() throws -> TLSServerContext {
        let certificate = try certificate.get()
        return try TLSServerContext(certificateFile: certificate.file, keyFile: certificate.key)
    }

    static func client(_ name: String? = nil) throws -> TLSClientSettings {
        TLSClientSettings(serverName: name, caFile: try certificate.get().file)
    }

    @Test func `32 MB go both ways at once over TLS, intact`() async throws {
        try await withLoop { server in
            try await withLoop { client in
                let host = try await Host(on: server, tls: Self.server()) { probe, stream in
                    #expect(stream.isTLS)
                    stream.shrinkSendBuffer()
                    probe.keepsBytes = false
                    probe.onReceive = { $0.send(copying: $1) }
                    probe.onPeerFinished = { $0.finish() }
                }
                let bytes = pattern(1 << 20)
                let shared = SharedBytes(bytes)
                let probe = try await client.connect(to: host.address, tls: Self.client()) { probe in
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
                let hosts = await host.probe().waitForClose()
                #expect(hosts.receivedCount == 32 << 20)
                #expect(hosts.error == nil)
                #expect(hosts.peerFinished == 1)
            }
        }
    }

    @Test func `many small pieces keep their order over TLS to a slow reader`() async throws {
        try await withLoop { server in
            try await withLoop { client in
                let host = try await Host(on: server, tls: Self.server()) { _, stream in
                    for round in 0..<3_000 {
                        let piece = pattern(round % 1_500, seed: 7)
                        if round.isMultiple(of: 2) {
                            stream.send(copying: piece)
                        } else {
                            stream.send(SharedBytes(piece))
                        }
                    }
                    stream.finish()
                }
                let probe = try await client.connect(to: host.address, tls: Self.client()) { probe in
                    probe.onReceive = { stream, _ in
                        stream.pauseReading()
                        stream.loop.schedule(Alarm { stream.resumeReading() }, after: .milliseconds(1))
                    }
                    probe.onPeerFinished = { $0.finish() }
                }
                let seen = await probe.waitForClose()
                let longest = pattern(1_500, seed: 7)
                #expect(seen.received == (0..<3_000).flatMap { longest[..<($0 % 1_500)] })
                #expect(seen.error == nil)
                #expect(seen.peerFinished == 1)
            }
        }
    }

    @Test func `bytes left inside TLS are delivered after a pause although the socket is silent`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop, tls: Self.server()) { probe, _ in
                probe.onReceive = { stream, _ in
                    stream.pauseReading()
                    stream.loop.execute { probe.stream?.resumeReading() }
                }
            }
            // Many records in one segment: the first read of the socket takes them all.
            let probe = try await loop.connect(to: host.address, tls: Self.client()) { probe in
                probe.onConnect = { stream in
                    for number in 0..<20 { stream.loop.execute { probe.stream?.send(copying: [UInt8(number)]) } }
                }
            }
            let seen = await host.probe().facts.wait { $0.receivedCount == 20 }
            #expect(seen.received == Array(0..<20))
            try await loop.run { probe.stream?.abort() }
        }
    }

    @Test func `close_notify is an end, and its absence an error`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop, tls: Self.server()) { probe, _ in
                probe.onReceive = { stream, bytes in if bytes == [2] { stream.send(copying: [3]) } }
            }
            let polite = try await loop.connect(to: host.address, tls: Self.client()) { probe in
                probe.onConnect = { stream in
                    stream.send(copying: [1])
                    stream.finish()
                }
            }
            let first = await host.probe(0).facts.wait { $0.peerFinished == 1 }
            #expect(first.received == [1])
            try await loop.run { polite.stream?.abort() }
            _ = try await loop.connect(to: host.address, tls: Self.client()) { probe in
                probe.onConnect = { $0.send(copying: [2]) }
                // All that came is read by then, so the close is no reset.
                probe.onReceive = { stream, _ in stream.abort() }
            }
            let second = await host.probe(1).waitForClose()
            #expect(second.received == [2])
            #expect(second.peerFinished == 0)
            #expect(second.error == .truncated)
        }
    }

    @Test func `the certificate must be for the server's name`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop, tls: Self.server())
            for name in ["localhost", "127.0.0.1", "::1"] {
                let probe = try await loop.connect(to: host.address, tls: Self.client(name))
                await probe.facts.wait { $0.connected == 1 }
                try await loop.run { probe.stream?.abort() }
            }
            for name in ["example.org", "127.0.0.2", "localhost.example.org"] {
                let probe = try await loop.connect(to: host.address, tls: Self.client(name))
                let seen = await probe.waitForClose()
                #expect(seen.connected == 0)
                #expect("\(seen.error ?? .closed)".contains("the certificate is not accepted"), "\(name)")
            }
        }
    }

    @Test func `a certificate that nobody vouches for is refused unless verification is off`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop, tls: Self.server())
            let careful = try await loop.connect(to: host.address, tls: TLSClientSettings())
            let seen = await careful.waitForClose()
            #expect(seen.error == .untrusted("self-signed certificate"))
            let careless = try await loop.connect(to: host.address, tls: TLSClientSettings(verifies: false))
            await careless.facts.wait { $0.connected == 1 }
            try await loop.run { careless.stream?.abort() }
        }
    }

    @Test func `a peer that is silent runs into the handshake's time limit`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop, tls: Self.server(), handshakeTimeout: .milliseconds(100))
            let socket = try RawSocket(to: host.address)
            let seen = await host.probe().waitForClose()
            #expect(seen.error == .timedOut("the TLS handshake"))
            #expect(try await offPool { try socket.receiveAll() } == [])
            let silent = try await Host(on: loop)
            let client = try await loop.connect(to: silent.address, tls: Self.client(), limit: .milliseconds(100))
            #expect(await client.waitForClose().error == .timedOut("the TLS handshake"))
        }
    }

    @Test func `plain HTTP to the TLS port is named in the error`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop, tls: Self.server())
            let socket = try RawSocket(to: host.address)
            try socket.send(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            let answer = String(decoding: try await offPool { try socket.receiveAll() }, as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains("wss://"), "\(answer)")
            let seen = await host.probe().waitForClose()
            #expect(seen.error == .tls("the peer speaks plain HTTP"))
            #expect("\(seen.error ?? .closed)" == "TLS: the peer speaks plain HTTP")
        }
    }

    @Test func `TLS 1_1 is refused`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop, tls: Self.server())
            let socket = try RawSocket(to: host.address)
            // A ClientHello of RFC 4346: version, random, no session, three suites, no compression.
            let body: [UInt8] = [3, 2] + pattern(32) + [0, 0, 6, 0xC0, 0x13, 0xC0, 0x14, 0, 0x2F, 1, 0]
            let hello: [UInt8] = [1, 0, 0, UInt8(body.count)] + body
            try socket.send([22, 3, 1, 0, UInt8(hello.count)] + hello)
            let answer = try await offPool { try socket.receiveAll() }
            // A fatal alert `protocol_version` (RFC 5246, section 7.2).
            #expect(answer.first == 21)
            #expect(answer.suffix(2) == [2, 70])
            let seen = await host.probe().waitForClose()
            #expect("\(seen.error ?? .closed)".hasPrefix("TLS: "))
        }
    }

    @Test func `a failed handshake does not disturb another connection of the loop`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop, tls: Self.server()) { probe, _ in
                probe.onReceive = { $0.send(copying: $1) }
            }
            let bytes = pattern(1 << 20)
            let probe = try await loop.connect(to: host.address, tls: Self.client()) { probe in
                probe.onConnect = { $0.send(copying: bytes) }
            }
            for number in 0..<20 {
                let noise = try RawSocket(to: host.address)
                try noise.send(
                    number.isMultiple(of: 2) ? pattern(300, seed: UInt64(number)) : [22, 3, 1, 0, 5, 1, 0, 0, 1, 9])
                noise.finishWriting()
                let seen = await host.probe(number + 1).waitForClose()
                #expect(seen.error != nil)
            }
            let seen = await probe.facts.wait { $0.receivedCount == 1 << 20 }
            #expect(seen.received == bytes)
            #expect(seen.closed == 0)
            try await loop.run { probe.stream?.send(copying: [1]) }
            await probe.facts.wait { $0.receivedCount == (1 << 20) + 1 }
        }
    }

    @Test(arguments: [
        ("http/1.1", "ALPN protocol: http/1.1"), ("h2,http/1.1", "ALPN protocol: http/1.1"),
        ("h2", "No ALPN negotiated"),
    ])
    func `the server chooses http 1_1 by ALPN where it is offered`(offer: String, answer: String) async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop, tls: Self.server())
            let output = try await opensslClient(host.address, ["-alpn", offer])
            #expect(output.contains(answer), "\(output)")
        }
    }

    @Test func `sessions are resumed by tickets`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop, tls: Self.server())
            let output = try await opensslClient(host.address, ["-tls1_2", "-reconnect"])
            #expect(output.contains("Reused, TLSv1.2"), "\(output)")
            #expect(output.contains("Compression: NONE"))
        }
    }
}
