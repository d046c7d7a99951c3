import WebSocket

/// What a peer told its handler.
enum Event: Equatable {
    case text([UInt8])
    case binary([UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case close(UInt16?, [UInt8])
}

/// A handler that writes down what it is told, and may want to close after a number of events.
struct Recorder: WebSocketHandler {
    static let close = WebSocketClose(code: 4000, reason: "enough")

    var closesAfter = Int.max
    var events: [Event] = []

    mutating func received(text: Span<UInt8>) { events.append(.text(Array(copying: text))) }
    mutating func received(binary: Span<UInt8>) { events.append(.binary(Array(copying: binary))) }
    mutating func receivedPing(_ payload: Span<UInt8>) { events.append(.ping(Array(copying: payload))) }
    mutating func receivedPong(_ payload: Span<UInt8>) { events.append(.pong(Array(copying: payload))) }
    mutating func receivedClose(code: UInt16?, reason: Span<UInt8>) {
        events.append(.close(code, Array(copying: reason)))
    }
    var wantsClose: WebSocketClose? { events.count >= closesAfter ? Self.close : nil }
}

/// One peer, its handler, and what it answered.
struct Exchange: ~Copyable {
    /// As long as there is less than this to answer in one call, all pings are.
    static let maxPongBytes = 16_384

    var peer: WebSocketPeer
    var recorder: Recorder
    var output: [UInt8] = []

    init(
        as role: WebSocketRole, limits: WebSocketLimits = WebSocketLimits(), closesAfter: Int = .max,
        deflate: DeflateParameters? = nil
    ) {
        peer = WebSocketPeer(role: role, limits: limits, maskingKey: { 0x0403_0201 }, deflate: deflate)
        recorder = Recorder(closesAfter: closesAfter)
    }

    mutating func feed(_ pieces: [[UInt8]]) {
        for var piece in pieces {
            var elements = piece.mutableSpan
            var bytes = MutableRawSpan(_elements: &elements)
            peer.receive(&bytes, answering: &output, &recorder)
        }
    }

    var events: [Event] { recorder.events }
}

extension WebSocketRole {
    var other: WebSocketRole { self == .client ? .server : .client }
}
