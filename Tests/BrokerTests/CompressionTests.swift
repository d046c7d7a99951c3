import Foundation
import Testing
import Transport
import WebSocket
import Wire

@testable import Broker

/// What is compressed for a hub's connections, and how often.
@Suite struct CompressionTests {
    private let form = SharedCompressor.Form(DeflateParameters(minimumBytes: 50))

    private func frame(_ text: String) -> [UInt8] {
        var frame: [UInt8] = []
        WebSocketFrame.append(text: Array(text.utf8).span, to: &frame)
        return frame
    }

    private func batch(_ texts: [String]) -> EventBatch {
        var bytes: [UInt8] = []
        var marks: [EventBatch.Mark] = []
        for (index, text) in texts.enumerated() {
            let start = bytes.count
            bytes += frame(text)
            marks.append(
                EventBatch.Mark(seq: UInt64(index + 1), message: "m", reactions: .none, frame: start..<bytes.count))
        }
        return EventBatch(bytes: SharedBytes(bytes), marks: marks)
    }

    /// What a client reads of a server's frames.
    private func read(_ frames: [UInt8]) -> [String] {
        var client = WebSocketPeer(role: .client, deflate: DeflateParameters(keepsPeerContext: false))
        var reader = Reader()
        var output: [UInt8] = []
        var bytes = frames
        var elements = bytes.mutableSpan
        var span = MutableRawSpan(_elements: &elements)
        client.receive(&span, answering: &output, &reader)
        #expect(client.failure == nil)
        return reader.texts
    }

    private struct Reader: WebSocketHandler {
        var texts: [String] = []
        mutating func received(text: Span<UInt8>) {
            texts.append(String(decoding: text.indices.map { text[$0] }, as: UTF8.self))
        }
        mutating func received(binary: Span<UInt8>) {}
    }

    private func bytes(_ shared: SharedBytes) -> [UInt8] { shared.withSpan { span in span.indices.map { span[$0] } } }

    private let long = String(repeating: "a reaction, and another reaction. ", count: 20)

    @Test("a shared frame is compressed once a turn, whoever asks")
    func once() {
        let compressor = SharedCompressor()
        let frame = SharedBytes(frame(long))
        let first = compressor.compressed(frame, as: form)
        #expect(read(bytes(first)) == [long])
        #expect(first.count < frame.count / 4)
        #expect(compressor.compressed(frame, as: form).isIdentical(to: first))
        let other = SharedCompressor.Form(DeflateParameters(ownWindowBits: 9, minimumBytes: 50))
        #expect(!compressor.compressed(frame, as: other).isIdentical(to: first))
        #expect(compressor.compressed(frame, as: form).isIdentical(to: first))
        compressor.endTurn()
        #expect(!compressor.compressed(frame, as: form).isIdentical(to: first))
    }

    @Test("each event of a batch is a message by itself, and any run of them can be sent")
    func batches() {
        let compressor = SharedCompressor()
        let texts = ["short", long + "1", "short too", long + "2", long + "3"]
        let batch = batch(texts)
        let result = compressor.compressed(batch, batch.marks.indices, as: form)
        let all = bytes(result.bytes)
        #expect(all.count < batch.bytes.count / 3)
        for start in texts.indices {
            for end in start..<texts.count {
                #expect(read(Array(all[result.frames(of: start..<end + 1)])) == Array(texts[start...end]))
            }
        }
        #expect(result.marks.map(\.seq) == batch.marks.map(\.seq))
        let again = compressor.compressed(batch, 1..<2, as: form)
        #expect(again.bytes.isIdentical(to: result.bytes))
    }

    @Test("what no message of becomes smaller is shared as it is")
    func unchanged() {
        let compressor = SharedCompressor()
        let short = batch(["short", "short too"])
        #expect(compressor.compressed(short, 0..<2, as: form).bytes.isIdentical(to: short.bytes))
        let noise = SharedBytes(frame((0..<90).map { _ in String(UnicodeScalar(UInt8.random(in: 33...126))) }.joined()))
        #expect(compressor.compressed(noise, as: SharedCompressor.Form(DeflateParameters())).count <= noise.count)
        let tiny = SharedBytes(frame("0123456789"))
        #expect(compressor.compressed(tiny, as: SharedCompressor.Form(DeflateParameters())).isIdentical(to: tiny))
    }

    @Test("what goes to one connection is compressed message by message")
    func personal() {
        let compressor = SharedCompressor()
        var output: [UInt8] = []
        let frames = frame(long) + frame("short") + frame(long)
        compressor.append(frames.span, as: form, to: &output)
        #expect(read(output) == [long, "short", long])
        // Two equal messages are equally long: none refers to the other.
        let one = output.count - frame("short").count
        #expect(one % 2 == 0)
        #expect(Array(output.prefix(one / 2)) == Array(output.suffix(one / 2)))
    }

    @Test("what is sent is counted for each connection, as it was and as it would have been")
    func counted() {
        let compressor = SharedCompressor()
        let frame = SharedBytes(frame(long))
        let compressed = compressor.compressed(frame, as: form)
        _ = compressor.compressed(frame, as: form)
        #expect(compressor.sent.plain == UInt64(2 * frame.count))
        #expect(compressor.sent.compressed == UInt64(2 * compressed.count))
        var more = CompressedBytes()
        (more.compressed, more.plain) = (3, 5)
        compressor.count(received: more)
        compressor.count(received: more)
        #expect((compressor.received.compressed, compressor.received.plain) == (6, 10))
    }

    @Test("more forms than are remembered cost time alone")
    func manyForms() {
        let compressor = SharedCompressor()
        let frame = SharedBytes(frame(long))
        for _ in 0..<2 {
            for minimum in 1...20 {
                let form = SharedCompressor.Form(DeflateParameters(minimumBytes: minimum))
                #expect(read(bytes(compressor.compressed(frame, as: form))) == [long])
            }
        }
    }

    // MARK: Settings

    @Test(
        "the option's words",
        arguments: [
            ("off", CompressionSettings()), ("on", CompressionSettings(mode: .on)),
            ("above:0", CompressionSettings(mode: .above, aboveBytes: 0)),
            ("above:2048", CompressionSettings(mode: .above, aboveBytes: 2048)),
            ("above", CompressionSettings(mode: .above, aboveBytes: 1024)), ("above:", nil), ("above:-1", nil),
            ("above:1k", nil), ("above:16777217", nil), ("", nil),
            ("ON", nil),
        ] as [(String, CompressionSettings?)])
    func words(text: String, settings: CompressionSettings?) {
        #expect(CompressionSettings(text) == settings)
    }

    @Test("the broker never lets its own messages refer to each other")
    func deflate() {
        #expect(CompressionSettings().deflate == nil)
        let always = CompressionSettings(mode: .on, contextTakeover: true, windowBits: 10).deflate
        #expect(
            always == DeflateSettings(keepsOwnContext: false, keepsPeerContext: true, windowBits: 10, minimumBytes: 1))
        #expect(CompressionSettings(mode: .above).deflate?.minimumBytes == 1025)
        #expect(CompressionSettings(mode: .above).deflate?.keepsPeerContext == false)
    }

    private func listener(_ compression: String) throws(SettingsError) -> CompressionSettings? {
        let text = "{\"listen\": [{\"address\": \":1\",\n\"compression\": \(compression)}]}"
        return try SettingsFile(Array(text.utf8), defaults: .usual).listen?.first?.compression
    }

    @Test("a listener's settings are read from the file")
    func file() throws {
        let all = #"{"mode": "above", "above_bytes": 9, "context_takeover": true, "window_bits": 9}"#
        #expect(
            try listener(all)
                == CompressionSettings(mode: .above, aboveBytes: 9, contextTakeover: true, windowBits: 9))
        #expect(try listener(#"{"mode": "on"}"#) == CompressionSettings(mode: .on))
        #expect(try listener("null") == CompressionSettings())
    }

    @Test(
        "what cannot be is refused with its line",
        arguments: [
            (#"{}"#, "mode"), (#"{"mode": "always"}"#, "off or on or above"), (#""on""#, "an object"),
            (#"{"mode": "on", "window_bits": 8}"#, "9 to 15"), (#"{"mode": "on", "window_bits": 16}"#, "9 to 15"),
            (#"{"mode": "above", "above_bytes": -1}"#, "0 to 16777216"), (#"{"mode": "on", "level": 9}"#, "level"),
            (#"{"mode": "on", "context_takeover": 1}"#, "true or false"),
        ])
    func refused(compression: String, words: String) {
        let error = #expect(throws: SettingsError.self) { _ = try listener(compression) }
        #expect(error?.line == 2)
        #expect(error?.reason.contains(words) == true)
    }
}
