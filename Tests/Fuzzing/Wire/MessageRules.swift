import Wire

/// Any text gives a broker's message or an error, and what was taken comes back when it is written and read again.
enum MessageRules {
    static func check(_ input: [UInt8]) throws(Broken) {
        guard let message = try? BrokerMessage.decode(input.span) else { return }
        var written: [UInt8] = []
        message.append(to: &written)
        guard let again = try? BrokerMessage.decode(written.span) else { throw Broken("\(written.text) is no message") }
        try expectSame(again, message, "a message came back otherwise")
    }
}
