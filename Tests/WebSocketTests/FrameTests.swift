import TestSupport
import Testing

@testable import WebSocket

@Suite("Frames (RFC 6455 sections 5.2, 5.3, 5.7)")
struct FrameTests {
    @Test("The examples of section 5.7 are read as they are meant")
    func examples() {
        let unmaskedHello: [UInt8] = [0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f]
        let maskedHello: [UInt8] = [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58]
        let fragments: [[UInt8]] = [[0x01, 0x03, 0x48, 0x65, 0x6c], [0x80, 0x02, 0x6c, 0x6f]]
        let ping: [UInt8] = [0x89, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f]
        let maskedPong: [UInt8] = [0x8a, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58]
        #expect(exchange([unmaskedHello], as: .client).events == [.text("Hello")])
        #expect(exchange([maskedHello]).events == [.text("Hello")])
        #expect(exchange(fragments, as: .client).events == [.text("Hello")])
        #expect(exchange([ping], as: .client).events == [.ping([UInt8]("Hello"))])
        #expect(exchange([maskedPong]).events == [.pong([UInt8]("Hello"))])
        let short = [UInt8](repeating: 7, count: 256)
        let long = [UInt8](repeating: 7, count: 65_536)
        #expect(exchange([[0x82, 0x7E, 0x01, 0x00] + short], as: .client).events == [.binary(short)])
        #expect(exchange([[0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + long], as: .client).events == [.binary(long)])
    }

    @Test("Every length form is read and written", arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 70_000])
    func lengths(count: Int) {
        let payload = (0..<count).map { UInt8($0 % 251) }
        let limits = WebSocketLimits(maxFrameBytes: 70_000, maxMessageBytes: 70_000)
        let events = [Event.binary(payload)]
        #expect(exchange([Frame.binary(payload).bytes], limits: limits).events == events)
        #expect(exchange([Frame.binary(payload).unmasked.bytes], as: .client, limits: limits).events == events)
        var written: [UInt8] = []
        WebSocketFrame.append(binary: payload.span, to: &written)
        #expect(written == Frame.binary(payload).unmasked.bytes)
        #expect(written.count == WebSocketFrame.headerLength(for: count) + count)
    }

    @Test("A broadcast frame is an unmasked final text frame")
    func broadcastFrame() {
        var written: [UInt8] = [1]
        WebSocketFrame.append(text: [UInt8]("{}").span, to: &written)
        #expect(written == [1, 0x81, 2, 0x7B, 0x7D])
    }

    @Test("A frame is the same where its payload is written into it", arguments: [0, 125, 126, 65_535, 65_536])
    func payloadInPlace(count: Int) {
        let payload = [UInt8](repeating: 0x61, count: count)
        var expected: [UInt8] = [1]
        WebSocketFrame.append(text: payload.span, to: &expected)
        var written: [UInt8] = [1]
        WebSocketFrame.append(textTo: &written) { $0 += payload }
        #expect(written == expected)
    }

    @Test("A client masks what it sends with a fresh key for each frame")
    func clientMasks() {
        let keys: [UInt32] = [0x0102_0304, 0xFFEE_DDCC]
        let counter = Counter()
        var peer = WebSocketPeer(role: .client, maskingKey: { keys[counter.next()] })
        var output: [UInt8] = []
        peer.send(text: [UInt8]("Hello").span, into: &output)
        peer.sendPing([9, 8].span, into: &output)
        let frames = Frame.decode(output)
        #expect(
            frames == [
                Frame(first: 0x81, payload: [UInt8]("Hello"), key: [4, 3, 2, 1]),
                Frame(first: 0x89, payload: [9, 8], key: [0xCC, 0xDD, 0xEE, 0xFF]),
            ])
    }

    @Test("A client without a source of keys still masks")
    func clientMasksWithSystemRandomness() {
        var peer = WebSocketPeer(role: .client)
        var output: [UInt8] = []
        for _ in 0..<8 { peer.send(binary: [1, 2, 3].span, into: &output) }
        let frames = Frame.decode(output)
        #expect(frames.map(\.payload) == Array(repeating: [1, 2, 3], count: 8))
        #expect(Set(frames.map(\.key)).count > 1)
    }

    @Test("A header that the caller follows with the payload itself")
    func headerAlone() {
        var output: [UInt8] = []
        WebSocketFrame.appendHeader(.text, payloadLength: 300, isFinal: false, maskingKey: 0x0D0C_0B0A, to: &output)
        #expect(output == [0x01, 0xFE, 0x01, 0x2C, 0x0A, 0x0B, 0x0C, 0x0D])
    }

    @Test("Masking a payload in pieces equals masking it whole, at any offset")
    func maskingInPieces() {
        var generator = SeededGenerator()
        for _ in 0..<300 {
            let key = UInt32.random(in: .min ... .max, using: &generator)
            let keyBytes = (0..<4).map { UInt8(truncatingIfNeeded: key >> UInt32(8 * $0)) }
            let count = Int.random(in: 0...150, using: &generator)
            let original = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            let start = Int.random(in: 0...count, using: &generator)
            let end = Int.random(in: start...count, using: &generator)
            let cut = Int.random(in: start...end, using: &generator)
            var masked = original
            var elements = masked.mutableSpan
            var bytes = MutableRawSpan(_elements: &elements)
            let turned = Masking.apply(key, to: &bytes, in: start..<cut)
            _ = Masking.apply(turned, to: &bytes, in: cut..<end)
            let expected = original.enumerated().map { index, byte in
                (start..<end).contains(index) ? byte ^ keyBytes[(index - start) % 4] : byte
            }
            #expect(masked == expected)
        }
    }

    @Test("An idle peer is small")
    func size() {
        #expect(MemoryLayout<WebSocketPeer>.size < 100)
    }
}

/// Counts up from 0; used on one thread.
final class Counter: @unchecked Sendable {
    private var count = -1
    func next() -> Int {
        count += 1
        return count
    }
}
