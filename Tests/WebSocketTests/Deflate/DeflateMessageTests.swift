import TestSupport
import Testing

@testable import WebSocket

/// A compressed payload and what it stands for.
struct Compressed: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var payload: [UInt8]
    var text: String

    init(_ name: String, _ digits: String, _ text: String) {
        (testDescription, payload, self.text) = (name, [UInt8](hexadecimal: digits), text)
    }
}

extension [UInt8] {
    init(hexadecimal digits: String) {
        self = digits.utf8.filter { $0 > 0x20 }.map { UInt8($0) }.pieces(of: 2).compactMap {
            UInt8(String(decoding: $0, as: UTF8.self), radix: 16)
        }
    }
}

/// What Python's zlib was given for the longer ones.
private let events = (0..<20).map {
    "{\"type\":\"added\",\"seq\":\($0),\"message\":\"m\($0 % 7)\",\"reaction\":\"\(["a", "b"][$0 % 2])\"},"
}.joined()

/// Blocks of every type; the first six are the examples of section 7.2.3.
let blocks: [Compressed] = [
    Compressed("fixed codes", "f248cdc9c90700", "Hello"),
    Compressed("no compression", "000500faff48656c6c6f00", "Hello"),
    Compressed("the last block, and a byte behind it", "f348cdc9c9070000", "Hello"),
    Compressed("two blocks", "f248050000 00ffff cac9c90700", "Hello"),
    Compressed("the empty message", "00", ""),
    Compressed("the last block with nothing behind it", "f348cdc9c90700", "Hello"),
    Compressed("no byte at all", "", ""),
    Compressed("a last block, then others", "f348cdc9c90700 f248cdc9c90700", "HelloHello"),
    Compressed("a last block, then a reference across it", "f348cdc9c90700 f200110000", "HelloHello"),
    Compressed("two last blocks", "f348cdc9c90700 f348cdc9c90700", "HelloHello"),
    Compressed("empty blocks of all types", "000000ffff 02000000ffff f248cdc9c90700 0000ffff 00", "Hello"),
    Compressed("the empty fixed block", "0200", ""),
    Compressed("the empty last block", "0300", ""),
    Compressed(
        "dynamic codes",
        """
        9c93390ec3201045ef323505c3e6e53624a02885b3e126b27277c7e548e107d1024faf78fc8dd6f723d34c31a59c4851c94f9ab5a225\
        97122fc7cda2bfc7af1ccfebf57e3b5ed2476d3f3116184bec54c58cc04cabcd0accb6da9cc05cabcd0bccb7da82c042ab6d4001eab6\
        1105a8db2614a06e638d0a806fc22801f019d400f82c8a007cae7306be6f071cfa86c043df1278ec9b024fffb6b003
        """, events),
    Compressed(
        "fixed codes with references",
        """
        aa562aa92c4855b2524a4c49494d51d2512a4e2d54b232d051ca4d2d2e4e4c07c9e41a00858b5213934b32f3f3402a956a75aab16a33\
        44d16688aa2d09a73623146d46c4da668ca2cd9858db4c50b499106b9b298a3653626d3343d16646ac6de6f82200b76d16f82200b76d\
        96f82200b76d8606f862004f3231c4170578ec33c2170778ec33c6170978ec3321331b9892970f0ccdc8cb0886e6e4e504430bf2b282\
        a125a1bc0000
        """, events),
]

@Suite("Messages with permessage-deflate (RFC 7692 section 7.2)")
struct DeflateMessageTests {
    private func frames(_ pieces: [[UInt8]], opcode: UInt8 = 1) -> [UInt8] {
        pieces.enumerated().flatMap { index, piece in
            let first = (index == 0 ? 0x40 | opcode : 0) | (index == pieces.count - 1 ? 0x80 : 0)
            return Frame(first: first, payload: piece).bytes
        }
    }

    @Test("7.2.2: blocks of every type are inflated", arguments: blocks)
    func inflating(_ message: Compressed) {
        let outcome = exchange([frames([message.payload])], deflate: DeflateParameters())
        #expect(outcome.events == [.text(message.text)])
        #expect(outcome.failure == nil)
    }

    @Test("6.2: a message may be cut into frames anywhere, and they anywhere into reads", arguments: blocks)
    func fragments(_ message: Compressed) {
        for cut in 0...message.payload.count {
            let (start, end) = (Array(message.payload[..<cut]), Array(message.payload[cut...]))
            let bytes = frames([start, end])
            for pieces in [[bytes], bytes.pieces(of: 1), bytes.pieces(of: 3)] {
                #expect(exchange(pieces, deflate: DeflateParameters()).events == [.text(message.text)])
            }
        }
        let bytes = frames(message.payload.pieces(of: 1) + [[]])
        #expect(exchange([bytes], deflate: DeflateParameters()).events == [.text(message.text)])
    }

    @Test("6.1: only the first frame of a message has RSV1", arguments: [0xC0, 0x40] as [UInt8])
    func continuations(first: UInt8) {
        let start = Frame(first: 0x41, payload: [0xF2, 0x48]).bytes
        let outcome = exchange([start + Frame(first: first, payload: [0xCD]).bytes], deflate: DeflateParameters())
        #expect(outcome.failure == .reservedBits)
        #expect(outcome.frames == [Frame.close(1002, "reserved bit set").unmasked])
    }

    @Test("6.1: control frames have no RSV1", arguments: [0xC8, 0xC9, 0xCA] as [UInt8])
    func controlFrames(first: UInt8) {
        let outcome = exchange([Frame(first: first, payload: []).bytes], deflate: DeflateParameters())
        #expect(outcome.failure == .reservedBits)
        #expect(outcome.failure?.closeCode == 1002)
    }

    @Test("6: RSV1 without the extension, and RSV2 and RSV3 with it, fail the connection")
    func otherBits() {
        #expect(exchange([frames([blocks[0].payload])]).failure == .reservedBits)
        for first in [0xA1, 0x91, 0xE1, 0xF1] as [UInt8] {
            let bytes = Frame(first: first, payload: []).bytes
            #expect(exchange([bytes], deflate: DeflateParameters()).failure == .reservedBits)
        }
    }

    @Test("6.1: control frames come between the frames of a compressed message")
    func interleaved() {
        let bytes =
            Frame(first: 0x41, payload: [0xF2, 0x48, 0xCD]).bytes + Frame.ping([7]).bytes
            + Frame(first: 0x80, payload: [0xC9, 0xC9, 0x07, 0x00]).bytes
        #expect(exchange(bytes.pieces(of: 1), deflate: DeflateParameters()).events == [.ping([7]), .text("Hello")])
    }

    @Test("6: messages may come uncompressed, and compressed ones refer past them")
    func mixed() {
        let bytes =
            frames([blocks[0].payload]) + Frame.text("between").bytes + frames([[0xF2, 0x00, 0x11, 0x00, 0x00]])
            + Frame.binary([1, 2]).bytes
        let outcome = exchange([bytes], deflate: DeflateParameters())
        #expect(outcome.events == [.text("Hello"), .text("between"), .text("Hello"), .binary([1, 2])])
    }

    @Test("7.1.1: without context takeover no message refers to an earlier one")
    func noContext() {
        let bytes = frames([blocks[0].payload]) + frames([[0xF2, 0x00, 0x11, 0x00, 0x00]])
        let outcome = exchange([bytes], deflate: DeflateParameters(keepsPeerContext: false))
        #expect(outcome.events == [.text("Hello")])
        #expect(outcome.failure == .invalidDeflate)
    }

    @Test("A binary message may be compressed as well")
    func binary() {
        let outcome = exchange([frames([blocks[0].payload], opcode: 2)], deflate: DeflateParameters())
        #expect(outcome.events == [.binary([UInt8]("Hello"))])
    }

    @Test(
        "7.2.2: what is no DEFLATE, or breaks off inside a block, is 1007",
        arguments: [
            "f248cdc9", "f2", "04", "0a", "07", "000500faff4865", "000500faaa48656c6c6f00", "f348", "f200110000",
            "f248cdc9c90700ff", "f348cdc9c90700f2", "9c93390ec3201045ef3235",
        ])
    func damaged(digits: String) {
        let outcome = exchange([frames([[UInt8](hexadecimal: digits)])], deflate: DeflateParameters())
        #expect(outcome.events == [])
        #expect(outcome.failure == .invalidDeflate)
        #expect(outcome.failure?.closeCode == 1007)
    }

    @Test("Inflated text is checked as far as it is there, and fails before the message ends")
    func incrementalUTF8() {
        // A stored block of "é" cut in two, then a byte that cannot follow.
        let good = Frame(first: 0x41, payload: [0x00, 0x02, 0x00, 0xFD, 0xFF, 0xC3]).bytes
        let bad = Frame(first: 0x00, payload: [0x41]).bytes
        let outcome = exchange([good, bad, Frame(first: 0x80, payload: [0]).bytes], deflate: DeflateParameters())
        #expect(outcome.failure == .invalidUTF8)
        #expect(outcome.piecesBeforeEnd == 2)
        let whole = Frame(first: 0x00, payload: [0xA9]).bytes + Frame(first: 0x80, payload: [0]).bytes
        #expect(exchange([good, whole], deflate: DeflateParameters()).events == [.text("é")])
        let incomplete = frames([[0x00, 0x01, 0x00, 0xFE, 0xFF, 0xC3, 0x00]])
        #expect(exchange([incomplete], deflate: DeflateParameters()).failure == .invalidUTF8)
    }

    // MARK: Sending

    private func sent(_ texts: [String], _ parameters: DeflateParameters, role: WebSocketRole = .server) -> [Frame] {
        var peer = WebSocketPeer(role: role, deflate: parameters)
        var output: [UInt8] = []
        for text in texts { peer.send(text: [UInt8](text).span, into: &output) }
        return Frame.decode(output)
    }

    @Test("7.2.1: a message is compressed, and its four last bytes are left out")
    func compressing() throws {
        let frame = try #require(sent([events], DeflateParameters()).first)
        #expect(frame.first == 0xC1)
        #expect(try PlainInflate.message(frame.payload).output == [UInt8](events))
        #expect(frame.payload.suffix(4) != [0x00, 0x00, 0xFF, 0xFF])
    }

    @Test("7.2.3.2: with context takeover the second of two equal messages is shorter, without it is not")
    func takeover() throws {
        let kept = sent([events, events], DeflateParameters())
        #expect(kept[1].payload.count < kept[0].payload.count / 4)
        #expect(try PlainInflate.message(kept[1].payload, after: [UInt8](events)).output == [UInt8](events + events))
        let fresh = sent([events, events], DeflateParameters(keepsOwnContext: false))
        #expect(fresh[0] == fresh[1])
    }

    @Test("What would not become smaller, is short or empty is sent as it is")
    func notWorthIt() {
        let frames = sent(["", "x", "Hi there", events], DeflateParameters())
        #expect(frames.map(\.first) == [0x81, 0x81, 0x81, 0xC1])
        let short = sent([events, events + "!"], DeflateParameters(minimumBytes: events.utf8.count + 1))
        #expect(short.map(\.first) == [0x81, 0xC1])
    }

    @Test("What was not sent compressed is not referred to")
    func discarded() throws {
        var generator = SeededGenerator()
        let noise = (0..<200).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        var peer = WebSocketPeer(role: .server, deflate: DeflateParameters())
        var output: [UInt8] = []
        peer.send(binary: noise.span, into: &output)
        peer.send(binary: (noise + noise).span, into: &output)
        let frames = Frame.decode(output)
        #expect(frames.map(\.first) == [0x82, 0xC2])
        #expect(try PlainInflate.message(frames[1].payload).output == noise + noise)
    }

    @Test("A client that is told a window of 256 bytes, which zlib has not, sends everything as it is")
    func smallestWindow() {
        let frames = sent([events, events], DeflateParameters(ownWindowBits: 8), role: .client)
        #expect(frames.map(\.first) == [0x81, 0x81])
    }

    @Test("Control frames and a close are never compressed")
    func control() {
        var peer = WebSocketPeer(role: .server, deflate: DeflateParameters())
        var output: [UInt8] = []
        peer.sendPing([UInt8](repeating: 7, count: 125).span, into: &output)
        peer.sendClose(code: 1000, reason: String(repeating: "a", count: 100), into: &output)
        #expect(Frame.decode(output).map(\.first) == [0x89, 0x88])
    }
}
