import WebSocket

/// Any compressed stream is judged the same however it is cut and stays within the bounds; what one peer compresses is
/// what the other one reads.
///
/// Input: two bytes of options, a seed for the cutting, then frames, or deflated data that is put into frames here, or
/// messages as in ``ConversationRules``.
enum DeflateRules {
    private struct Options {
        let role: WebSocketRole
        let limits: WebSocketLimits
        let parameters: DeflateParameters
        /// What follows the options: 0 and 1, frames; 2, deflated data; 3, messages.
        let kind: UInt8

        init(_ one: UInt8, _ other: UInt8) {
            role = one & 1 == 0 ? .server : .client
            limits =
                one & 2 == 0
                ? WebSocketLimits() : WebSocketLimits(maxFrameBytes: 200, maxMessageBytes: 2_000, maxFragments: 5)
            parameters = DeflateParameters(
                keepsOwnContext: one & 4 == 0, keepsPeerContext: one & 8 == 0, ownWindowBits: 8 + Int(other & 7),
                peerWindowBits: 8 + Int(other >> 3 & 7), minimumBytes: one & 16 == 0 ? 0 : 20,
                maxRatio: one & 32 == 0 ? 100 : .max)
            kind = one >> 6
        }

        /// The same, as the other end sees it.
        var mirrored: DeflateParameters {
            DeflateParameters(
                keepsOwnContext: parameters.keepsPeerContext, keepsPeerContext: parameters.keepsOwnContext,
                ownWindowBits: parameters.peerWindowBits, peerWindowBits: parameters.ownWindowBits)
        }
    }

    static func check(_ input: [UInt8]) throws(Broken) {
        guard input.count > 3 else { return }
        let options = Options(input[0], input[1])
        let rest = input[3...]
        switch options.kind {
        case 3: try checkConversation(rest, seed: input[2], options)
        case 2: try checkStream(frames(of: rest, for: options.role), seed: input[2], options)
        default: try checkStream(Array(rest), seed: input[2], options)
        }
    }

    private static func checkStream(_ stream: [UInt8], seed: UInt8, _ options: Options) throws(Broken) {
        var whole = Exchange(as: options.role, limits: options.limits, deflate: options.parameters)
        whole.feed([stream])
        var cut = Exchange(as: options.role, limits: options.limits, deflate: options.parameters)
        cut.feed(stream.cut(by: seed))
        try expectSame(whole.events, cut.events, "the cutting changes the events")
        try expectSame(whole.peer.state, cut.peer.state, "the cutting changes the state")
        try checkFailures(whole.peer.failure, cut.peer.failure)
        try WebSocketRules.checkEvents(whole.events, options.limits)
        var other = Exchange(as: options.role.other, deflate: options.mirrored)
        other.feed([whole.output])
        try expectSame(other.peer.failure, nil, "the answers cannot be read")
    }

    /// A message may be damaged, too long, and no text all at once; what is seen first depends on the cutting.
    private static func checkFailures(_ whole: WebSocketError?, _ cut: WebSocketError?) throws(Broken) {
        let ofContent: Set<UInt16> = [WebSocketCloseCode.invalidPayload, WebSocketCloseCode.messageTooBig]
        if let whole, let cut, ofContent.isSuperset(of: [whole.closeCode, cut.closeCode]) { return }
        try expectSame(whole, cut, "the cutting changes the failure")
    }

    private static func checkConversation(
        _ messages: ArraySlice<UInt8>, seed: UInt8, _ options: Options
    ) throws(Broken) {
        var sender = Sender(options.role, deflate: options.parameters)
        sender.sendAll(messages)
        var mirrored = options.mirrored
        mirrored.maxRatio = .max
        var receiver = Exchange(as: options.role.other, limits: Sender.limits, deflate: mirrored)
        receiver.feed(sender.output.cut(by: seed))
        try expectSame(receiver.peer.failure, nil, "what was sent cannot be read")
        try expectSame(receiver.events, sender.sent, "what was sent is not what was received")
    }

    /// Compressed messages, each of as many bytes as the byte before them says.
    private static func frames(of data: ArraySlice<UInt8>, for role: WebSocketRole) -> [UInt8] {
        var (rest, stream) = (data, [UInt8]())
        while let length = rest.popFirst() {
            let payload = rest.prefix(Int(length & 127))
            rest = rest.dropFirst(payload.count)
            // The top bit makes it text; with 126 or 127 the length takes two bytes.
            stream.append(length & 128 == 0 ? 0xC2 : 0xC1)
            let mask: UInt8 = role == .server ? 128 : 0
            stream += payload.count < 126 ? [mask | UInt8(payload.count)] : [mask | 126, 0, UInt8(payload.count)]
            if role == .server { stream += [0, 0, 0, 0] }
            stream += payload
        }
        return stream
    }
}
