import Testing
import Transport

/// Faults that layers over OpenSSL have had.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct TLSFaultTests {
    @Test func `a record is written again as it was although the queue has grown meanwhile`() async throws {
        try await withLoop { server in
            try await withLoop { client in
                let pieces = 4_000
                let host = try await Host(on: server, tls: TLSTests.server()) { _, stream in
                    stream.shrinkSendBuffer()
                    var sent = 0
                    func sendMore() {
                        // A few at a time, so that the queue grows between the tries to write its front.
                        for _ in 0..<3 where sent < pieces {
                            stream.send(copying: pattern(700 + sent % 500, seed: 3))
                            sent += 1
                        }
                        guard sent < pieces else { return stream.finish() }
                        stream.loop.schedule(Alarm { sendMore() }, after: .zero)
                    }
                    sendMore()
                }
                let probe = try await client.connect(to: host.address, tls: TLSTests.client()) { probe in
                    // A reader that rests after each read: the kernel refuses bytes again and again.
                    probe.onReceive = { stream, _ in
                        stream.pauseReading()
                        stream.loop.execute { probe.stream?.resumeReading() }
                    }
                    probe.onPeerFinished = { $0.finish() }
                }
                let seen = await probe.waitForClose()
                let longest = pattern(1_200, seed: 3)
                #expect(seen.received == (0..<pieces).flatMap { longest[..<(700 + $0 % 500)] })
                #expect(seen.error == nil)
            }
        }
    }

    @Test func `much that is written and ended at once arrives whole, with its end`() async throws {
        try await withLoop { server in
            try await withLoop { client in
                let bytes = pattern(8 << 20)
                let host = try await Host(on: server, tls: TLSTests.server()) { _, stream in
                    stream.shrinkSendBuffer()
                    stream.send(copying: bytes)
                    stream.finish()
                }
                let probe = try await client.connect(to: host.address, tls: TLSTests.client()) { probe in
                    probe.onPeerFinished = { $0.finish() }
                }
                let seen = await probe.waitForClose()
                #expect(seen.received == bytes)
                #expect(seen.peerFinished == 1)
                #expect(seen.error == nil)
                #expect(await host.probe().waitForClose().error == nil)
            }
        }
    }

    @Test func `a client that asks for renegotiation is refused, and others go on`() async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop, tls: TLSTests.server()) { probe, _ in
                probe.onReceive = { $0.send(copying: $1) }
            }
            let probe = try await loop.connect(to: host.address, tls: TLSTests.client()) { probe in
                probe.onConnect = { $0.send(copying: [1]) }
            }
            await probe.facts.wait { $0.receivedCount == 1 }
            // Without an end of input the command waits for what the server does.
            let output = try await offPool {
                try command([
                    "sh", "-c",
                    "(echo R; sleep 2) | timeout 20 openssl s_client -tls1_2 -connect \(host.address)",
                ]).output
            }
            #expect(output.contains("RENEGOTIATING"), "\(output)")
            #expect(output.contains("no renegotiation"), "\(output)")
            try await loop.run { probe.stream?.send(copying: [2]) }
            await probe.facts.wait { $0.receivedCount == 2 }
            #expect(probe.facts.value.closed == 0)
        }
    }

    @Test(arguments: [
        ["-tls1"], ["-tls1_1"], ["-tls1_2", "-cipher", "AES128-SHA"], ["-tls1_2", "-cipher", "AES256-GCM-SHA384"],
        ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA256"], ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES256-SHA"],
        ["-tls1_2", "-cipher", "NULL"], ["-tls1_2", "-cipher", "DHE"], ["-tls1_2", "-cipher", "PSK"],
    ])
    func `old versions, and suites without forward secrecy or authenticated encryption, are refused`(
        offer: [String]
    ) async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop, tls: TLSTests.server())
            let weak = offer.contains("-cipher") ? [offer[0], offer[1], offer[2] + ":@SECLEVEL=0"] : offer
            let extra = offer.count == 1 ? ["-cipher", "DEFAULT:@SECLEVEL=0"] : []
            let output = try await opensslClient(host.address, weak + extra)
            #expect(output.contains("Cipher is (NONE)"), "\(output)")
            #expect(await host.probe().waitForClose().connected == 0)
        }
    }

    @Test(arguments: ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"])
    func `the suites of TLS 1_3 are spoken`(suite: String) async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop, tls: TLSTests.server())
            let output = try await opensslClient(host.address, ["-tls1_3", "-ciphersuites", suite])
            #expect(output.contains("Cipher is \(suite)"), "\(output)")
        }
    }

    @Test func `the minimum version holds`() async throws {
        try await withLoop { loop in
            let settings = TLSServerSettings(
                certificate: try TLSTests.certificate.get().files, minimumVersion: .tls1_3)
            let host = try await Host(on: loop, tls: try TLSServerContext(settings))
            #expect(try await opensslClient(host.address, ["-tls1_2"]).contains("Cipher is (NONE)"))
            #expect(try await opensslClient(host.address, ["-tls1_3"]).contains("Cipher is TLS_"))
        }
    }

    @Test func `kernel TLS that the kernel does not have changes nothing but a warning`() async throws {
        try await withLoop { loop in
            let settings = TLSServerSettings(certificate: try TLSTests.certificate.get().files, usesKernel: true)
            let context = try TLSServerContext(settings)
            #expect(context.warnings.count == (KernelTLS.absence == nil ? 0 : 1))
            #expect(context.warnings.allSatisfy { $0.hasPrefix("kernel_tls has no effect: ") })
            let bytes = pattern(1 << 20)
            let host = try await Host(on: loop, tls: context) { probe, _ in
                probe.onReceive = { $0.send(copying: $1) }
                probe.onPeerFinished = { $0.finish() }
            }
            let probe = try await loop.connect(to: host.address, tls: TLSTests.client()) { probe in
                probe.onConnect = { $0.send(copying: bytes) }
            }
            let seen = await probe.facts.wait { $0.receivedCount == bytes.count }
            #expect(seen.received == bytes)
        }
    }
}
