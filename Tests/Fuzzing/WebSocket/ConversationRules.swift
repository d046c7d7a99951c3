import WebSocket

/// What one peer sends is what the other one reads, however it is cut.
///
/// Input: a byte of options, a seed for the cutting, then messages: a byte of kind, a byte of length, that many bytes.
enum ConversationRules {
    static func check(_ input: [UInt8]) throws(Broken) {
        guard input.count > 2 else { return }
        let role: WebSocketRole = input[0] & 1 == 0 ? .client : .server
        var sender = Sender(role)
        var rest = input[2...]
        while rest.count >= 2 {
            let kind = rest.removeFirst()
            let length = Int(rest.removeFirst())
            let payload = Array(rest.prefix(length))
            rest = rest.dropFirst(length)
            // Long messages come from few bytes; the longest has a length of eight bytes.
            let times = kind & 8 == 0 ? 1 : kind >> 4 == 15 ? 300 : 1 + Int(kind >> 4)
            sender.send(kind & 7, Array(repeatElement(payload, count: times).joined()))
        }
        var receiver = Exchange(as: role.other, limits: WebSocketLimits(maxFrameBytes: 80_000, maxMessageBytes: 80_000))
        receiver.feed(sender.output.cut(by: input[1]))
        try expectSame(receiver.peer.failure, nil, "what was sent cannot be read")
        try expectSame(receiver.events, sender.sent, "what was sent is not what was received")
    }

    /// A peer that writes down what the other one should be told.
    private struct Sender: ~Copyable {
        private var peer: WebSocketPeer
        private(set) var output: [UInt8] = []
        private(set) var sent: [Event] = []

        init(_ role: WebSocketRole) {
            peer = WebSocketPeer(role: role, maskingKey: { 0xA1B2_C3D4 })
        }

        mutating func send(_ kind: UInt8, _ payload: [UInt8]) {
            guard peer.state == .open else { return }
            switch kind {
            case 0, 1:
                let text = Array(payload.text.utf8.prefix(80_000))
                let whole = text.text.utf8.count == text.count ? text : []
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
}
