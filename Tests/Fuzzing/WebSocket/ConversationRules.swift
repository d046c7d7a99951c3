import WebSocket

/// What one peer sends is what the other one reads, however it is cut.
///
/// Input: a byte of options, a seed for the cutting, then the messages that ``Sender/sendAll(_:)`` takes.
enum ConversationRules {
    static func check(_ input: [UInt8]) throws(Broken) {
        guard input.count > 2 else { return }
        let role: WebSocketRole = input[0] & 1 == 0 ? .client : .server
        var sender = Sender(role)
        sender.sendAll(input[2...])
        var receiver = Exchange(as: role.other, limits: Sender.limits)
        receiver.feed(sender.output.cut(by: input[1]))
        try expectSame(receiver.peer.failure, nil, "what was sent cannot be read")
        try expectSame(receiver.events, sender.sent, "what was sent is not what was received")
    }
}
