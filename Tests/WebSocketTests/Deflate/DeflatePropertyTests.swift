import TestSupport
import Testing

@testable import WebSocket

@Suite("Properties of compressed conversations")
struct DeflatePropertyTests {
    /// Bytes with a little of everything: noise, runs, and repeats of what came before.
    private func content(_ before: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
            let count = Int.random(in: 0...600, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: bytes += (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            case 1: bytes += Array(repeating: UInt8.random(in: 65...90, using: &generator), count: count)
            default:
                let source = before + bytes
                let start = Int.random(in: 0...source.count, using: &generator)
                bytes += source[start...].prefix(count)
            }
        }
        return bytes
    }

    @Test("What is deflated is inflated again, with every window, with and without contexts", arguments: 9...15)
    func roundTrip(windowBits: Int) {
        var generator = SeededGenerator()
        for keepsContext in [true, false] {
            let parameters = DeflateParameters(
                keepsOwnContext: keepsContext, keepsPeerContext: keepsContext, ownWindowBits: windowBits,
                peerWindowBits: windowBits, maxRatio: .max)
            var client = WebSocketPeer(role: .client, deflate: parameters)
            var server = WebSocketPeer(role: .server, deflate: parameters)
            var recorder = Recorder()
            var (answers, messages, before) = ([UInt8](), [Event](), [UInt8]())
            for _ in 0..<40 {
                let message = content(before.suffix(2_000), using: &generator)
                messages.append(.binary(message))
                before += message
                var output: [UInt8] = []
                client.send(binary: message.span, into: &output)
                for piece in output.pieces(using: &generator) { server.feed(piece, into: &answers, &recorder) }
                if Bool.random(using: &generator) { client.rest() }
                if Bool.random(using: &generator) { server.rest() }
            }
            #expect(recorder.events == messages)
            #expect(answers.isEmpty)
        }
    }

    @Test("What is deflated stays inside the window, by a model that reads it bit by bit", arguments: 9...15)
    func window(windowBits: Int) throws {
        var generator = SeededGenerator()
        var peer = WebSocketPeer(role: .server, deflate: DeflateParameters(ownWindowBits: windowBits))
        var history: [UInt8] = []
        for _ in 0..<20 {
            let message = content(history.suffix(1_500), using: &generator)
            var output: [UInt8] = []
            peer.send(binary: message.span, into: &output)
            let frame = try #require(Frame.decode(output).first)
            guard frame.first == 0xC2 else {
                #expect(frame.payload == message)
                if !message.isEmpty { history = [] }  // the compressor begins anew
                continue
            }
            let inflated = try PlainInflate.message(frame.payload, after: history)
            #expect(inflated.output == history + message)
            #expect(inflated.farthest <= 1 << windowBits)
            history += message
        }
    }

    @Test("Messages of a pool are whole by themselves, with every window", arguments: 9...15)
    func pool(windowBits: Int) throws {
        var generator = SeededGenerator()
        let pool = DeflaterPool()
        for _ in 0..<20 {
            let message = content([], using: &generator)
            var output: [UInt8] = []
            let isCompressed = pool.append(text: message.span, windowBits: windowBits, to: &output)
            let frame = try #require(Frame.decode(output).first)
            #expect(frame.first == (isCompressed ? 0xC1 : 0x81))
            #expect(frame.payload.count < message.count || !isCompressed)
            let inflated = try isCompressed ? PlainInflate.message(frame.payload).output : frame.payload
            #expect(inflated == message)
            if Bool.random(using: &generator) { pool.rest() }
        }
    }

    @Test("A pool sends as it is what it has no window for", arguments: [8, 16])
    func noWindow(windowBits: Int) {
        var output: [UInt8] = []
        let zeros = [UInt8](repeating: 0, count: 500)
        #expect(!DeflaterPool().append(text: zeros.span, windowBits: windowBits, to: &output))
        #expect(Frame.decode(output) == [Frame(first: 0x81, payload: zeros, key: nil)])
    }

    @Test("Garbage never traps, and is judged the same however it is cut")
    func garbage() {
        var generator = SeededGenerator()
        let limits = WebSocketLimits(maxFrameBytes: 4_000, maxMessageBytes: 6_000, maxFragments: 6)
        for _ in 0..<1_000 {
            let keepsContext = Bool.random(using: &generator)
            // A reference past a smaller window may or may not be found, as zlib has it.
            let parameters = DeflateParameters(keepsPeerContext: keepsContext)
            var sender = WebSocketPeer(role: .client, deflate: DeflateParameters(keepsOwnContext: keepsContext))
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                sender.send(binary: content([], using: &generator).span, into: &bytes)
            }
            for _ in 0..<Int.random(in: 0...4, using: &generator) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
            }
            let whole = exchange([bytes], limits: limits, deflate: parameters)
            let cut = exchange(bytes.pieces(using: &generator), limits: limits, deflate: parameters)
            #expect(whole.events == cut.events)
            #expect(whole.state == cut.state)
            #expect(whole.failure?.closeCode == cut.failure?.closeCode)
        }
    }

    @Test("Arbitrary bytes, as a fuzzer gives them, never trap")
    func fuzzing() {
        var generator = SeededGenerator()
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            #expect(WebSocketPeer.survives(bytes.span) <= 1 << 16)
        }
    }
}
