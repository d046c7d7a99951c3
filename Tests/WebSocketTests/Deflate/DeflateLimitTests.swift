import Testing

@testable import WebSocket

@Suite("Limits of compressed messages")
struct DeflateLimitTests {
    private struct NoStream: Error {}

    /// Zeros, compressed as tightly as zlib can.
    private func bomb(_ count: Int) throws -> [UInt8] {
        var payload: [UInt8] = []
        guard var deflater = Deflater(windowBits: 15, level: 9) else { throw NoStream() }
        let isDone = deflater.compress([UInt8](repeating: 0, count: count).span, into: &payload)
        #expect(isDone)
        return payload
    }

    private func frames(_ pieces: [[UInt8]]) -> [UInt8] {
        pieces.enumerated().flatMap { index, piece in
            Frame(first: (index == 0 ? 0x42 : 0) | (index == pieces.count - 1 ? 0x80 : 0), payload: piece).bytes
        }
    }

    private let wide = DeflateParameters(maxRatio: .max)

    @Test("The longest message is judged as inflated, to the byte")
    func size() throws {
        let limits = WebSocketLimits(maxFrameBytes: 1_000, maxMessageBytes: 100_000)
        let fits = exchange([frames([try bomb(100_000)])], limits: limits, deflate: wide)
        #expect(fits.events == [.binary([UInt8](repeating: 0, count: 100_000))])
        let over = exchange([frames([try bomb(100_001)])], limits: limits, deflate: wide)
        #expect(over.failure == .messageTooLong)
        #expect(over.frames == [Frame.close(1009, "message too long").unmasked])
    }

    @Test("The longest message is judged as it came, too")
    func wireSize() {
        let limits = WebSocketLimits(maxFrameBytes: 100, maxMessageBytes: 150)
        // Empty blocks without end stand for nothing at all.
        let nothing = [UInt8](hexadecimal: "000000ffff")
        let pieces = Array(repeating: Array(repeating: nothing, count: 20).flatMap(\.self), count: 2)
        #expect(exchange([frames(pieces)], limits: limits, deflate: wide).failure == .messageTooLong)
    }

    @Test("A message that grows too much is refused past the first 16 KiB, however small the limit would let it be")
    func ratio() throws {
        let limits = WebSocketLimits(maxFrameBytes: 1 << 20, maxMessageBytes: 16 << 20)
        let small = exchange([frames([try bomb(16_384)])], limits: limits, deflate: DeflateParameters())
        #expect(small.failure == nil)
        let large = exchange([frames([try bomb(1 << 20)])], limits: limits, deflate: DeflateParameters())
        #expect(large.failure == .inflationTooHigh)
        #expect(large.failure?.closeCode == 1009)
        let never = exchange([frames([try bomb(20_000)])], limits: limits, deflate: DeflateParameters(maxRatio: 0))
        #expect(never.failure == .inflationTooHigh)
    }

    @Test("A bomb spread over fragments ends at the same place, and holds no more than a step beyond the limit")
    func fragmentedBomb() throws {
        let limits = WebSocketLimits(maxFrameBytes: 1_000, maxMessageBytes: 50_000)
        let pieces = try bomb(10_000_000).pieces(of: 50)
        #expect(pieces.count > 100)
        var peer = WebSocketPeer(role: .server, limits: limits, deflate: wide)
        var output: [UInt8] = []
        var recorder = Recorder()
        var most = 0
        var fed = 0
        for index in pieces.indices where peer.state == .open {
            let first: UInt8 = (index == 0 ? 0x42 : 0) | (index == pieces.count - 1 ? 0x80 : 0)
            peer.feed(Frame(first: first, payload: pieces[index]).bytes, into: &output, &recorder)
            most = max(most, peer.assembly.count)
            fed += 1
        }
        #expect(peer.failure == .messageTooLong)
        #expect(most <= 50_000)
        #expect(fed <= 3)
        #expect(recorder.events == [])
    }

    @Test("One step gives no more than its bytes")
    func step() throws {
        let payload = try bomb(1 << 20)
        let nothing: [UInt8] = []
        guard var inflater = Inflater(windowBits: 15, history: nothing.span) else { throw NoStream() }
        var output: [UInt8] = []
        var offset = 0
        let isMore = try inflater.step(payload.span, &offset, into: &output)
        #expect(isMore)
        #expect(output.count == Inflater.stepBytes)
        #expect(offset < payload.count)
    }

    @Test("A connection without compression pays for one reference")
    func withoutCompression() {
        #expect(MemoryLayout<MessageCompression?>.size == MemoryLayout<Int>.size)
        let peer = WebSocketPeer(role: .server)
        #expect(peer.compression == nil)
    }

    @Test("Between messages nothing is held, save for a window that the next one may refer to")
    func idle() throws {
        let text = String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 20)
        for (parameters, mayHold) in [
            (DeflateParameters(keepsOwnContext: false, keepsPeerContext: false), false), (DeflateParameters(), true),
        ] {
            var sender = WebSocketPeer(role: .client, deflate: parameters)
            var receiver = WebSocketPeer(role: .server, deflate: parameters)
            var recorder = Recorder()
            for _ in 0..<3 {
                var output: [UInt8] = []
                var answers: [UInt8] = []
                sender.send(text: [UInt8](text).span, into: &output)
                receiver.feed(output, into: &answers, &recorder)
                #expect(receiver.compression?.holdsStream == mayHold)
                #expect(sender.compression?.holdsStream == mayHold)
                receiver.rest()
                sender.rest()
                #expect(receiver.compression?.holdsStream == false)
                #expect(sender.compression?.holdsStream == false)
            }
            #expect(recorder.events == Array(repeating: .text(text), count: 3))
        }
    }

    @Test("A connection that ends holds nothing")
    func ended() throws {
        var peer = WebSocketPeer(role: .server, deflate: DeflateParameters())
        var output: [UInt8] = []
        var recorder = Recorder()
        peer.feed(Frame(first: 0x41, payload: [0xF2, 0x48]).bytes, into: &output, &recorder)
        #expect(peer.compression?.holdsStream == true)
        peer.sendClose(code: 1000, into: &output)
        #expect(peer.compression?.holdsStream == false)
        // What still comes is dropped, compressed or not.
        peer.feed(Frame(first: 0x80, payload: [0xCD]).bytes, into: &output, &recorder)
        peer.feed(Frame(first: 0xC1, payload: [0xFF]).bytes, into: &output, &recorder)
        #expect(peer.failure == nil)
        #expect(peer.compression?.holdsStream == false)
    }

    @Test("What came compressed is counted, as it came and inflated")
    func counting() {
        var peer = WebSocketPeer(role: .server, deflate: DeflateParameters())
        var output: [UInt8] = []
        var recorder = Recorder()
        let hello = Frame(first: 0xC1, payload: [UInt8](hexadecimal: "f248cdc9c90700")).bytes
        peer.feed(hello + Frame.text("plain").bytes + hello, into: &output, &recorder)
        let counted = peer.takeReceivedCompressed()
        #expect((counted.compressed, counted.plain) == (14, 10))
        #expect(peer.takeReceivedCompressed() == CompressedBytes())
    }
}
