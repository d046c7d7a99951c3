import WebSocket

/// Any stream is judged the same however it is cut, as the plain model does it, and what is answered can be read.
///
/// Input: a byte of options, a seed for the cutting, the stream.
enum WebSocketRules {
    private struct Options {
        let role: WebSocketRole
        let limits: WebSocketLimits
        /// After how many events the handler wants to close.
        let closesAfter: Int

        init(_ byte: UInt8) {
            role = byte & 1 == 0 ? .server : .client
            limits =
                byte & 2 == 0
                ? WebSocketLimits() : WebSocketLimits(maxFrameBytes: 200, maxMessageBytes: 300, maxFragments: 5)
            closesAfter = byte & 4 == 0 ? .max : 1 + Int(byte >> 4)
        }
    }

    static func check(_ input: [UInt8]) throws(Broken) {
        guard input.count > 2 else { return }
        let options = Options(input[0])
        let stream = Array(input[2...])
        var whole = Exchange(as: options.role, limits: options.limits, closesAfter: options.closesAfter)
        whole.feed([stream])
        var cut = Exchange(as: options.role, limits: options.limits, closesAfter: options.closesAfter)
        cut.feed(stream.cut(by: input[1]))

        try expectSame(whole.events, cut.events, "the cutting changes the events")
        try expectSame(whole.peer.state, cut.peer.state, "the cutting changes the state")
        try expectSame(whole.peer.failure, cut.peer.failure, "the cutting changes the failure")
        try expectSame(whole.peer.closeReceived, cut.peer.closeReceived, "the cutting changes the close code")
        if cut.output.count < Exchange.maxPongBytes {
            try expectSame(whole.output, cut.output, "the cutting changes the answers")
        }
        try checkEvents(whole.events, options.limits)
        try checkAnswers(cut, options)
        try checkModel(whole, stream, options)
        try checkEnd(&whole, options)
    }

    static func checkEvents(_ events: [Event], _ limits: WebSocketLimits) throws(Broken) {
        for (index, event) in events.enumerated() {
            switch event {
            case .text(let text):
                try expect(text.count <= limits.maxMessageBytes, "a text is past the limit")
                try expect(String(validating: text, as: UTF8.self) != nil, "a text is not UTF-8")
            case .binary(let bytes):
                try expect(bytes.count <= limits.maxMessageBytes, "a message is past the limit")
            case .ping(let payload), .pong(let payload):
                try expect(payload.count <= 125, "a control frame is too long")
            case .close(let code, let reason):
                try expect(index == events.count - 1, "something was told after a close")
                try expect(code.map(WebSocketCloseCode.mayBeSent) ?? true, "a close code that may not be sent")
                try expect(String(validating: reason, as: UTF8.self) != nil, "a reason is not UTF-8")
            }
        }
    }

    /// The other role can read the answers: a pong for each ping, and the close frame that is due.
    private static func checkAnswers(_ exchange: borrowing Exchange, _ options: Options) throws(Broken) {
        var other = Exchange(as: options.role.other)
        other.feed([exchange.output])
        try expectSame(other.peer.failure, nil, "the answers cannot be read")
        var expected: [Event] = exchange.events.compactMap {
            if case .ping(let payload) = $0 { .pong(payload) } else { nil }
        }
        if exchange.events.count >= options.closesAfter, !endsInClose(exchange.events, at: options.closesAfter) {
            expected.append(.close(Recorder.close.code, Array(Recorder.close.reason.utf8)))
        } else if let failure = exchange.peer.failure {
            expected.append(.close(failure.closeCode, Array(failure.description.utf8)))
        } else if let code = exchange.peer.closeReceived {
            expected.append(.close(code == WebSocketCloseCode.noStatus ? nil : code, []))
        }
        guard exchange.output.count < Exchange.maxPongBytes else { return }
        try expectSame(other.events, expected, "the answers are not those that are due")
    }

    /// Whether the event after which the handler wants to close is the other end's close itself.
    private static func endsInClose(_ events: [Event], at count: Int) -> Bool {
        if case .close = events[count - 1] { true } else { false }
    }

    private static func checkModel(
        _ exchange: borrowing Exchange, _ stream: [UInt8], _ options: Options
    ) throws(Broken) {
        guard options.closesAfter == .max else { return }
        var model = PlainReader(stream, options.role, options.limits)
        model.readAll()
        try expectSame(exchange.events, model.events, "the model was told something else")
        if let code = model.failure {
            try expectSame(exchange.peer.failure?.closeCode, code, "the model fails")
        } else if let failure = exchange.peer.failure {
            try expect(
                model.isInsideFrame && failure == .invalidUTF8, "the model does not fail, the peer says \(failure)")
        }
    }

    /// Nothing is read or said any more once a peer is closed.
    private static func checkEnd(_ exchange: inout Exchange, _ options: Options) throws(Broken) {
        try expect(exchange.peer.failure == nil || exchange.peer.state == .closed, "failed, yet not closed")
        guard exchange.peer.state == .closed else { return }
        let (events, output) = (exchange.events, exchange.output)
        var frames: [UInt8] = []
        var sender = WebSocketPeer(role: options.role.other, maskingKey: { 0 })
        sender.sendPing([1].span, into: &frames)
        sender.send(text: Array("late".utf8).span, into: &frames)
        exchange.feed([frames])
        exchange.peer.send(binary: [1].span, into: &exchange.output)
        exchange.peer.sendClose(code: 1000, into: &exchange.output)
        try expectSame(exchange.events, events, "a closed peer told something")
        try expectSame(exchange.output, output, "a closed peer said something")
    }
}
