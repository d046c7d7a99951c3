import WebSocket

/// A peer that sends messages and writes down what the other one should be told.
struct Sender: ~Copyable {
    /// What the other end must take: the longest message, of eight bytes of length, is among those that are sent.
    static let limits = WebSocketLimits(maxFrameBytes: 80_000, maxMessageBytes: 80_000)

    private var peer: WebSocketPeer
    private(set) var output: [UInt8] = []
    private(set) var sent: [Event] = []

    init(_ role: WebSocketRole, deflate: DeflateParameters? = nil) {
        peer = WebSocketPeer(role: role, maskingKey: { 0xA1B2_C3D4 }, deflate: deflate)
    }

    /// Sends messages, each a byte of kind, a byte of length, and that many bytes.
    mutating func sendAll(_ messages: ArraySlice<UInt8>) {
        var rest = messages
        while rest.count >= 2 {
            let kind = rest.removeFirst()
            let length = Int(rest.removeFirst())
            let payload = Array(rest.prefix(length))
            rest = rest.dropFirst(length)
            // Long messages come from few bytes.
            let times = kind & 8 == 0 ? 1 : kind >> 4 == 15 ? 300 : 1 + Int(kind >> 4)
            send(kind & 7, Array(repeatElement(payload, count: times).joined()))
        }
    }

    private mutating func send(_ kind: UInt8, _ payload: [UInt8]) {
        guard peer.state == .open else { return }
        switch kind {
        case 0, 1:
            let text = Array(payload.text.utf8.prefix(80_000))
            // A character that is cut comes back as another one, which may be as long.
            let whole = Array(text.text.utf8) == text ? text : []
            peer.send(text: whole.span, into: &output)
            sent.append(.text(whole))
        case 2, 3:
            peer.send(binary: payload.span, into: &output)
            sent.append(.binary(payload))
        case 4, 5:
            peer.sendPing(payload.span, into: &output)
            sent.append(.ping(Array(payload.prefix(125))))
        case 6:
            peer.sendClose(code: nil, reason: "not sent", into: &output)
            sent.append(.close(nil, []))
        default:
            let code = payload.prefix(2).reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
            let reason = Array(payload.dropFirst(2)).text
            peer.sendClose(code: code, reason: reason, into: &output)
            sent.append(.close(WebSocketCloseCode.mayBeSent(code) ? code : 1011, Self.shortened(reason)))
        }
    }

    /// As many whole scalars as have room beside the code.
    private static func shortened(_ reason: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for scalar in reason.unicodeScalars {
            let next = Array(String(scalar).utf8)
            guard bytes.count + next.count <= 123 else { break }
            bytes += next
        }
        return bytes
    }
}
