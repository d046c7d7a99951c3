import COpenSSL
import Glibc
import Testing

@testable import Transport

/// Records that carry no data: OpenSSL answers them inside a call, and goes on to the next one.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct TLSFloodTests {
    // @safe: the pointers are valid as long as the object.
    /// A client that sends records without data.
    @safe
    private final class Flooder {
        private let context: OpaquePointer
        private let session: OpaquePointer
        private let descriptor: CInt

        init(over descriptor: CInt) throws {
            unsafe context = try #require(unsafe SSL_CTX_new(TLS_client_method()))
            unsafe session = try #require(unsafe SSL_new(context))
            self.descriptor = descriptor
            unsafe SSL_set_fd(session, descriptor)
        }

        deinit {
            unsafe SSL_free(session)
            unsafe SSL_CTX_free(context)
        }

        /// Goes on with the handshake; whether it is done.
        func shakesHands() -> Bool { unsafe SSL_connect(session) == 1 }

        /// Sends that many KeyUpdates (RFC 8446 section 4.6.3), and a byte of data behind them, by one write.
        func flood(_ count: Int) throws {
            let memory = unsafe try #require(unsafe BIO_new(BIO_s_mem()))
            unsafe SSL_set0_wbio(session, memory)
            for _ in 0..<count {
                try #require(unsafe SSL_key_update(session, SSL_KEY_UPDATE_NOT_REQUESTED) == 1)
                try #require(unsafe SSL_do_handshake(session) == 1)
            }
            try #require(unsafe SSL_write(session, "x", 1) == 1)
            var bytes = [UInt8](repeating: 0, count: 100_000)
            let length = unsafe BIO_read(memory, &bytes, CInt(bytes.count))
            try #require(unsafe write(descriptor, bytes, Int(length)) == Int(length))
        }
    }

    /// A client over one end of a pair of sockets, and the server's session over the other.
    private final class Pair {
        let client: Flooder
        let server: TLSSession
        private let descriptors: [CInt]

        init() throws {
            var pair: [CInt] = [0, 0]
            let kind = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
            try #require(unsafe socketpair(AF_UNIX, kind, 0, &pair) == 0)
            descriptors = pair
            client = try Flooder(over: pair[0])
            server = try TLSSession(server: TLSTests.server(), descriptor: pair[1])
            var areDone = (false, false)
            while areDone != (true, true) {
                areDone.0 = client.shakesHands()
                if case .bytes = server.handshake() { areDone.1 = true }
            }
        }

        deinit {
            for descriptor in descriptors { close(descriptor) }
        }
    }

    @Test func `a call takes only so many records that carry no data, and the next goes on behind them`() throws {
        let pair = try Pair()
        try pair.client.flood(2_000)
        var calls: [Int] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
        defer { unsafe buffer.deallocate() }
        while calls.count < 100 {
            let outcome = unsafe pair.server.read(into: buffer)
            calls.append(pair.server.takeControlRecords())
            if case .bytes(let count) = outcome {
                #expect(count == 1)
                break
            }
            guard case .wantsRead = outcome else {
                Issue.record("\(outcome)")
                break
            }
        }
        #expect(calls.reduce(0, +) == 2_000, "\(calls)")
        #expect(calls.allSatisfy { $0 < 1_400 }, "\(calls)")
    }

    @Test func `records that carry no data are counted by the second`() throws {
        let pair = try Pair()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
        defer { unsafe buffer.deallocate() }
        let second = MonotonicTime(nanoseconds: 7_000_000_000)
        for (count, time, isTooMuch) in [(60, 0, false), (40, 999, false), (1, 999, true), (100, 1_000, false)] {
            try pair.client.flood(count)
            while case .wantsRead = unsafe pair.server.read(into: buffer) {}
            #expect(pair.server.isFlooded(moreThan: 100, at: second.adding(milliseconds: time)) == isTooMuch)
        }
    }

    @Test func `a peer that sends too many is ended, and others go on`() async throws {
        try await withLoop { loop in
            try await loop.run { loop.closing.controlRecordsPerSecond = 5 }
            let host = try await Host(on: loop, tls: TLSTests.server()) { probe, _ in
                probe.onReceive = { $0.send(copying: $1) }
            }
            let probe = try await loop.connect(to: host.address, tls: TLSTests.client()) { probe in
                probe.onConnect = { $0.send(copying: [1]) }
            }
            await probe.facts.wait { $0.receivedCount == 1 }
            let socket = try RawSocket(to: host.address)
            try await offPool {
                let flooder = try Flooder(over: socket.number)
                #expect(flooder.shakesHands())
                try flooder.flood(50)
            }
            let ended = await host.probe(1).waitForClose()
            #expect(ended.error == .tls("too many records that carry no data"))
            #expect(try await loop.run { loop.expired.controlRecords } == 1)
            try await loop.run { probe.stream?.send(copying: [2]) }
            await probe.facts.wait { $0.receivedCount == 2 }
        }
    }

    @Test(arguments: ["GET", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND", "CONNECT"])
    func `plain HTTP of any method is answered in plain HTTP`(method: String) async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop, tls: TLSTests.server())
            let probe = try await loop.connect(to: host.address) { probe in
                probe.onConnect = { $0.send(copying: Array("\(method) / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)) }
                probe.onPeerFinished = { $0.finish() }
            }
            let seen = await probe.waitForClose()
            #expect(String(decoding: seen.received, as: UTF8.self).hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
            #expect(await host.probe().waitForClose().error == .tls("the peer speaks plain HTTP"))
        }
    }

    @Test(arguments: ["hello\r\n", "get / HTTP/1.1\r\n", "GE\r\n\r\n\r\n", "\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}"])
    func `what is neither TLS nor HTTP gets no answer`(text: String) async throws {
        try await withLoop { loop in
            let host = try await Host(on: loop, tls: TLSTests.server())
            let probe = try await loop.connect(to: host.address) { probe in
                probe.onConnect = { $0.send(copying: Array(text.utf8)) }
                probe.onPeerFinished = { $0.finish() }
            }
            let seen = await probe.waitForClose()
            #expect(!String(decoding: seen.received, as: UTF8.self).contains("HTTP"))
            #expect(await host.probe().waitForClose().error != nil)
        }
    }
}
