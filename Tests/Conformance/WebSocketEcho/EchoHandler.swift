import WebSocket

/// Sends every message back as it came, text as text and binary as binary; or only listens.
struct EchoHandler: ~Copyable, WebSocketHandler {
    /// Limits that let the biggest messages of the conformance suite pass: 65,536 pieces, and an empty frame that ends them.
    static let limits = WebSocketLimits(maxFrameBytes: 16 << 20, maxMessageBytes: 16 << 20, maxFragments: 65_537)

    /// The first text message that came.
    private(set) var firstText: String?

    /// Frames what is sent, also when the reading end has seen a close behind a message.
    private var writer: WebSocketPeer
    /// The bytes of a pong before its payload.
    private let pongHeaderBytes: Int
    /// How many bytes of pongs the reading end has written in this call.
    private var pongBytes = 0
    private let echoes: Bool
    private var replies: [(afterPongBytes: Int, frame: [UInt8])] = []

    init(role: WebSocketRole, echoes: Bool, deflate: DeflateParameters? = nil) {
        self.echoes = echoes
        writer = WebSocketPeer(role: role, limits: Self.limits, deflate: deflate)
        pongHeaderBytes = role == .client ? 6 : 2
    }

    mutating func received(text: Span<UInt8>) {
        if firstText == nil, let text = try? UTF8Span(validating: text) {
            firstText = String(copying: text)
        }
        guard echoes else { return }
        var frame: [UInt8] = []
        writer.send(text: text, into: &frame)
        replies.append((pongBytes, frame))
    }

    mutating func received(binary: Span<UInt8>) {
        guard echoes else { return }
        var frame: [UInt8] = []
        writer.send(binary: binary, into: &frame)
        replies.append((pongBytes, frame))
    }

    mutating func receivedPing(_ payload: Span<UInt8>) {
        pongBytes += pongHeaderBytes + payload.count
    }

    /// Puts the echoes among the answers of the reading end, pongs and a close, in the order of what they answer.
    mutating func merged(with answers: [UInt8]) -> [UInt8] {
        defer {
            pongBytes = 0
            replies = []
        }
        if replies.isEmpty { return answers }
        var merged: [UInt8] = []
        var taken = 0
        for reply in replies {
            let end = min(max(reply.afterPongBytes, taken), answers.count)
            merged += answers[taken..<end]
            merged += reply.frame
            taken = end
        }
        return merged + answers[taken...]
    }
}
