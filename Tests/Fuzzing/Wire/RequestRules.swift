import Reactions
import Wire

/// Any text gives a request or an error, and what was taken comes back when it is written and read again.
enum RequestRules {
    static func check(_ input: [UInt8]) throws(Broken) {
        try checkBodies(input)
        let request: Request
        do throws(BadRequest) {
            request = try Request.decode(input.span)
        } catch {
            return try check(error)
        }
        try check(request)
    }

    private static func check(_ request: Request) throws(Broken) {
        var written: [UInt8] = []
        request.append(to: &written)
        guard let again = try? Request.decode(written.span) else { throw Broken("\(written.text) is no request") }
        try expectSame(again, request, "a request came back otherwise")
        try check(request.id)
        switch request.body {
        case .auth, .ping: break
        case .operation(let channel, let message, let action, let key):
            try expect(Shape.isChannel(channel), "a channel's shape")
            try expect(key.map(Shape.isKey) ?? true, "a key's shape")
            let isForAll = if case .clear(_, .some) = action { message == "*" } else { false }
            try expect(message.isEmpty || isForAll || Shape.isMessage(message), "a message's shape")
        case .subscribe(let subscribe):
            try check(subscribe.channel, subscribe.messages ?? [])
            try expect(subscribe.since?.seq ?? 0 <= Shape.maxWholeNumber, "a seq past the greatest")
        case .watch(let channel, let messages), .list(let channel, .messages(let messages)):
            try check(channel, messages)
        case .unsubscribe(let channel): try check(channel, [])
        case .reactors(let channel, let message, _, let limit, _):
            try check(channel, [message])
            try expect(Shape.limits.contains(limit), "a limit out of range")
        case .list(let channel, .page(let limit, _)):
            try check(channel, [])
            try expect(Shape.limits.contains(limit), "a limit out of range")
        }
    }

    private static func check(_ channel: String, _ messages: [String]) throws(Broken) {
        try expect(Shape.isChannel(channel), "a channel's shape")
        try expect(messages.count <= Shape.maxMessages, "too many messages")
        try expectSame(Set(messages).count, messages.count, "a message twice")
        try expect(messages.allSatisfy { $0.isEmpty || Shape.isMessage($0) }, "a message's shape")
    }

    private static func check(_ error: BadRequest) throws(Broken) {
        try check(error.id)
        try expect(error.channel.map(Shape.isChannel) ?? true, "an error's channel has no channel's shape")
        try expect(!error.reason.isEmpty, "an error without words")
    }

    private static func check(_ id: RequestID?) throws(Broken) {
        switch id {
        case .number(let number): try expect(number <= Shape.maxWholeNumber, "an id past the greatest")
        case .text(let text): try expect((1...Shape.maxIDBytes).contains(text.utf8.count), "an id's length")
        case nil: break
        }
    }

    /// The bodies over HTTP, and data by itself: its canonical form is data again, and its own canonical form.
    private static func checkBodies(_ input: [UInt8]) throws(Broken) {
        if let body = try? ReactionBody.decode(input.span) {
            try expect(body.count.map(Shape.counts.contains) ?? true, "a count out of range")
        }
        if let body = try? ReactionsBody.decode(input.span) {
            try expect(body.reactions.count <= Shape.maxReactions, "too many reactions")
        }
        guard let data = try? ReactionData.decode(input.span) else { return }
        try expect(data.text.utf8.count <= input.count, "data grew")
        let canonical = Array(data.canonical.utf8)
        guard canonical.count <= Shape.maxDataBytes else { return }
        guard let again = try? ReactionData.decode(canonical.span) else {
            throw Broken("\(data.canonical) is no data")
        }
        try expectSame(again.canonical, data.canonical, "a canonical form has another one")
    }
}
