import TestSupport
import Testing

@testable import WebSocket

/// What a handler was told.
enum Event: Equatable {
    case text(String)
    case binary([UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case close(UInt16?, String)
}

/// A handler that writes down what it is told, and may want to close after a number of events.
struct Recorder: WebSocketHandler, ~Copyable {
    var events: [Event] = []
    var closesAfter = Int.max
    var close = WebSocketClose(code: 4000, reason: "enough")

    mutating func received(text: Span<UInt8>) {
        events.append(.text(String(validating: Array(copying: text), as: UTF8.self) ?? "not UTF-8"))
    }
    mutating func received(binary: Span<UInt8>) { events.append(.binary(Array(copying: binary))) }
    mutating func receivedPing(_ payload: Span<UInt8>) { events.append(.ping(Array(copying: payload))) }
    mutating func receivedPong(_ payload: Span<UInt8>) { events.append(.pong(Array(copying: payload))) }
    mutating func receivedClose(code: UInt16?, reason: Span<UInt8>) {
        events.append(.close(code, String(validating: Array(copying: reason), as: UTF8.self) ?? "not UTF-8"))
    }
    var wantsClose: WebSocketClose? { events.count >= closesAfter ? close : nil }
}

/// A handler that leaves everything optional to the defaults.
struct Silent: WebSocketHandler {
    var texts = 0
    mutating func received(text: Span<UInt8>) { texts += 1 }
    mutating func received(binary: Span<UInt8>) {}
}

extension [UInt8] {
    init(copying span: Span<UInt8>) {
        self.init(span.indices.map { span[$0] })
    }

    init(_ text: String) { self.init(text.utf8) }

    /// The bytes cut into pieces of one length.
    func pieces(of length: Int) -> [[UInt8]] {
        stride(from: 0, to: count, by: length).map { Array(self[$0..<Swift.min($0 + length, count)]) }
    }

    /// The bytes cut at random places; pieces may be empty.
    func pieces(using generator: inout SeededGenerator) -> [[UInt8]] {
        var rest = self[...]
        var pieces: [[UInt8]] = []
        let longest = Int.random(in: 1...200, using: &generator)
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 0...longest, using: &generator))
            pieces.append(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }
}

extension WebSocketPeer {
    /// Feeds one piece from a buffer of exactly its length.
    mutating func feed<Handler: WebSocketHandler & ~Copyable>(
        _ piece: [UInt8], into output: inout [UInt8], _ handler: inout Handler
    ) {
        var copy = piece
        var elements = copy.mutableSpan
        var bytes = MutableRawSpan(_elements: &elements)
        receive(&bytes, answering: &output, &handler)
    }
}

/// All that a peer did with what it was fed.
struct Outcome {
    var events: [Event] = []
    var output: [UInt8] = []
    var state = WebSocketPeer.State.open
    var failure: WebSocketError?
    var closeReceived: UInt16?
    var shouldCloseTransport = false
    /// How many pieces had been fed when the peer closed.
    var piecesBeforeEnd = 0

    /// The frames that the peer sent.
    var frames: [Frame] { Frame.decode(output) }
}

/// Feeds pieces to a fresh peer.
func exchange(
    _ pieces: [[UInt8]], as role: WebSocketRole = .server, limits: WebSocketLimits = WebSocketLimits(),
    closesAfter: Int = .max, deflate: DeflateParameters? = nil
) -> Outcome {
    var peer = WebSocketPeer(role: role, limits: limits, maskingKey: { 0x0403_0201 }, deflate: deflate)
    var recorder = Recorder(closesAfter: closesAfter)
    var outcome = Outcome()
    for piece in pieces {
        if peer.state != .closed { outcome.piecesBeforeEnd += 1 }
        peer.feed(piece, into: &outcome.output, &recorder)
    }
    outcome.events = recorder.events
    outcome.state = peer.state
    outcome.failure = peer.failure
    outcome.closeReceived = peer.closeReceived
    outcome.shouldCloseTransport = peer.shouldCloseTransport
    return outcome
}

/// A frame written and read by the plainest means, as a model to compare with.
struct Frame: Equatable {
    var first: UInt8
    var payload: [UInt8]
    var key: [UInt8]? = [0x37, 0xFA, 0x21, 0x3D]

    static func text(_ text: String) -> Frame { Frame(first: 0x81, payload: Array(text.utf8)) }
    static func binary(_ payload: [UInt8]) -> Frame { Frame(first: 0x82, payload: payload) }
    static func ping(_ payload: [UInt8] = []) -> Frame { Frame(first: 0x89, payload: payload) }
    static func pong(_ payload: [UInt8] = []) -> Frame { Frame(first: 0x8A, payload: payload) }
    static func close(_ payload: [UInt8] = []) -> Frame { Frame(first: 0x88, payload: payload) }
    static func close(_ code: UInt16, _ reason: String = "") -> Frame {
        close([UInt8(code >> 8), UInt8(code & 255)] + Array(reason.utf8))
    }

    var unmasked: Frame { Frame(first: first, payload: payload, key: nil) }

    var bytes: [UInt8] {
        let mask: UInt8 = key == nil ? 0 : 128
        var bytes = [first]
        switch payload.count {
        case ..<126: bytes.append(mask + UInt8(payload.count))
        case ..<65_536: bytes += [mask + 126, UInt8(payload.count / 256), UInt8(payload.count % 256)]
        default: bytes += [mask + 127] + (0..<8).map { UInt8(payload.count >> (56 - 8 * $0) & 255) }
        }
        guard let key else { return bytes + payload }
        return bytes + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
    }

    static func decode(_ bytes: [UInt8]) -> [Frame] {
        var frames: [Frame] = []
        var rest = bytes[...]
        while rest.count >= 2 {
            let first = rest.removeFirst()
            let second = rest.removeFirst()
            let extra = [126: 2, 127: 8][second & 127] ?? 0
            let length = extra == 0 ? Int(second & 127) : rest.prefix(extra).reduce(0) { $0 * 256 + Int($1) }
            rest = rest.dropFirst(extra)
            let key = second >= 128 ? Array(rest.prefix(4)) : nil
            rest = rest.dropFirst(key?.count ?? 0)
            let payload = rest.prefix(length).enumerated().map { $1 ^ (key?[$0 % 4] ?? 0) }
            rest = rest.dropFirst(length)
            frames.append(Frame(first: first, payload: payload, key: key))
        }
        return frames
    }
}
