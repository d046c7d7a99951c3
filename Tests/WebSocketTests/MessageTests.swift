import Testing

@testable import WebSocket

@Suite("Messages and fragments (RFC 6455 sections 5.4, 5.5, 8.1)")
struct MessageTests {
    @Test("Control frames may come between the fragments, and are told at once")
    func interleaved() {
        let bytes =
            Frame(first: 0x01, payload: [UInt8]("fan")).bytes + Frame.ping([1]).bytes
            + Frame(first: 0x00, payload: []).bytes + Frame.pong([2]).bytes
            + Frame(first: 0x80, payload: [UInt8]("fare")).bytes
        for length in [1, 2, 5, 1_000] {
            let outcome = exchange(bytes.pieces(of: length))
            #expect(outcome.events == [.ping([1]), .pong([2]), .text("fanfare")])
            #expect(outcome.frames == [Frame.pong([1]).unmasked])
        }
    }

    @Test("A character may be cut by a fragment")
    func characterAcrossFragments() {
        let text = [UInt8]("κόσμε 🎉")
        for cut in 0...text.count {
            let bytes =
                Frame(first: 0x01, payload: Array(text[..<cut])).bytes
                + Frame(first: 0x80, payload: Array(text[cut...])).bytes
            #expect(exchange([bytes]).events == [.text("κόσμε 🎉")])
            #expect(exchange(bytes.pieces(of: 1)).events == [.text("κόσμε 🎉")])
        }
    }

    @Test("Invalid UTF-8 fails as soon as it is there, in the midst of a frame (Autobahn 6.4)")
    func failsFast() {
        let good = [UInt8]("κόσμε")
        for bad: [UInt8] in [[0xF4, 0x90], [0xFF], [0xED, 0xA0], [0xC0], [0x80]] {
            let whole = Frame(first: 0x81, payload: good + bad + [UInt8]("edited")).bytes
            let header = 6
            let pieces = [Array(whole[..<(header + good.count)])] + Array(whole[(header + good.count)...]).pieces(of: 1)
            let outcome = exchange(pieces)
            #expect(outcome.failure == .invalidUTF8)
            #expect(outcome.piecesBeforeEnd == 1 + bad.count)
        }
    }

    @Test("Invalid UTF-8 in a fragment fails before the message ends")
    func failsInFragment() {
        let outcome = exchange([Frame(first: 0x01, payload: [0x41, 0xC1]).bytes])
        #expect(outcome.failure == .invalidUTF8)
    }

    @Test("Binary messages are not judged as text")
    func binary() {
        let payload: [UInt8] = [0xFF, 0xC0, 0x80]
        #expect(exchange(Frame.binary(payload).bytes.pieces(of: 1)).events == [.binary(payload)])
    }

    @Test("Every ping is answered in order with its payload, also several in one call (Autobahn 2.10)")
    func pings() {
        let payloads = (0..<10).map { [UInt8]("payload-\($0)") } + [[], [UInt8](repeating: 7, count: 125)]
        let bytes = payloads.flatMap { Frame.ping($0).bytes }
        let expected = payloads.map { Frame.pong($0).unmasked }
        #expect(exchange([bytes]).frames == expected)
        #expect(exchange(bytes.pieces(of: 1)).frames == expected)
    }

    @Test("Pongs of one call are bounded, and the newest ping is always answered")
    func pongsAreBounded() {
        let payloads = (0..<1_000).map { index in
            [UInt8(index / 256), UInt8(index % 256)] + [UInt8](repeating: 0, count: 98)
        }
        let outcome = exchange([payloads.flatMap { Frame.ping($0).bytes }])
        #expect(outcome.output.count <= 16_384 + 127)
        #expect(outcome.frames.count > 150)
        #expect(outcome.frames.last == Frame.pong(payloads[999]).unmasked)
        #expect(outcome.frames.first == Frame.pong(payloads[0]).unmasked)
        #expect(outcome.events.count == 1_000)
    }

    @Test("A handler may leave pings, pongs and closes to the defaults")
    func defaults() {
        var peer = WebSocketPeer(role: .server)
        var handler = Silent()
        var output: [UInt8] = []
        let bytes = Frame.ping().bytes + Frame.pong().bytes + Frame.text("a").bytes + Frame.close(1000).bytes
        peer.feed(bytes, into: &output, &handler)
        #expect(handler.texts == 1)
        #expect(Frame.decode(output) == [Frame.pong().unmasked, Frame.close(1000).unmasked])
    }

    @Test("No buffer is held between messages")
    func noBufferWhenIdle() {
        var peer = WebSocketPeer(role: .server)
        var recorder = Recorder()
        var output: [UInt8] = []
        for byte in Frame(first: 0x01, payload: [UInt8]("ab")).bytes + Frame.ping([1]).bytes {
            peer.feed([byte], into: &output, &recorder)
        }
        let during = peer.assembly.count
        peer.feed(Frame(first: 0x80, payload: [UInt8]("c")).bytes, into: &output, &recorder)
        let after = peer.assembly.capacity + peer.pending.capacity
        #expect(during == 2)
        #expect(after == 0)
        #expect(recorder.events == [.ping([1]), .text("abc")])
    }
}
