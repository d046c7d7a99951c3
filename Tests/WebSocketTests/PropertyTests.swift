import TestSupport
import Testing

@testable import WebSocket

@Suite("Properties of random conversations")
struct PropertyTests {
    @Test(
        "What was sent is what is received, however it is fragmented, interleaved and cut",
        arguments: [WebSocketRole.server, .client])
    func roundTrip(role: WebSocketRole) {
        var generator = SeededGenerator()
        for _ in 0..<150 {
            var conversation = Conversation(isMasked: role == .server)
            for _ in 0..<Int.random(in: 1...12, using: &generator) { conversation.addMessage(using: &generator) }
            let outcome = exchange(conversation.bytes.pieces(using: &generator), as: role)
            #expect(outcome.failure == nil)
            #expect(outcome.events == conversation.events)
            let pings = conversation.events.compactMap { if case .ping(let payload) = $0 { payload } else { nil } }
            #expect(outcome.frames.map(\.payload) == pings)
        }
    }

    @Test("Two peers understand each other")
    func twoPeers() {
        var generator = SeededGenerator()
        var client = WebSocketPeer(role: .client)
        var server = WebSocketPeer(role: .server)
        var atClient = Recorder()
        var atServer = Recorder()
        var (texts, toServer, toClient): ([String], [UInt8], [UInt8]) = ([], [], [])
        for _ in 0..<50 {
            texts.append(randomText(using: &generator))
            client.send(text: [UInt8](texts[texts.count - 1]).span, into: &toServer)
        }
        client.sendPing([7].span, into: &toServer)
        client.sendClose(code: 1000, reason: "done", into: &toServer)
        for piece in toServer.pieces(using: &generator) { server.feed(piece, into: &toClient, &atServer) }
        for piece in toClient.pieces(using: &generator) { client.feed(piece, into: &toServer, &atClient) }
        let states = [client.state, server.state]
        #expect(atServer.events == texts.map(Event.text) + [.ping([7]), .close(1000, "done")])
        #expect(atClient.events == [.close(1000, "")])
        #expect(states == [.closed, .closed])
    }

    @Test("Garbage never traps, and is judged the same however it is cut")
    func garbage() {
        var generator = SeededGenerator()
        for _ in 0..<2_000 {
            let role: WebSocketRole = Bool.random(using: &generator) ? .server : .client
            var conversation = Conversation(isMasked: role == .server)
            for _ in 0..<Int.random(in: 0...3, using: &generator) { conversation.addMessage(using: &generator) }
            var bytes = conversation.bytes
            for _ in 0..<Int.random(in: 0...4, using: &generator) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
            }
            bytes += (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            let limits = WebSocketLimits(maxFrameBytes: 600, maxMessageBytes: 800, maxFragments: 6)
            let whole = exchange([bytes], as: role, limits: limits)
            let cut = exchange(bytes.pieces(using: &generator), as: role, limits: limits)
            #expect(whole.events == cut.events)
            #expect(whole.output == cut.output)
            #expect(whole.failure == cut.failure)
            #expect(whole.state == cut.state)
        }
    }
}

/// Random valid messages as frames, and the events that they stand for.
private struct Conversation {
    let isMasked: Bool
    var bytes: [UInt8] = []
    var events: [Event] = []

    mutating func addMessage(using generator: inout SeededGenerator) {
        let isText = Bool.random(using: &generator)
        let text = randomText(using: &generator)
        let payload = [UInt8](text)
        var cuts = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
            Int.random(in: 0...payload.count, using: &generator)
        }
        cuts = [0] + cuts.sorted() + [payload.count]
        for index in 1..<cuts.count {
            let opcode: UInt8 = index > 1 ? 0 : isText ? 1 : 2
            let isLast = index == cuts.count - 1
            addFrame((isLast ? 0x80 : 0) | opcode, Array(payload[cuts[index - 1]..<cuts[index]]), using: &generator)
            if isLast { events.append(isText ? .text(text) : .binary(payload)) }
            if Int.random(in: 0..<4, using: &generator) == 0 { addControl(using: &generator) }
        }
    }

    private mutating func addControl(using generator: inout SeededGenerator) {
        let payload = (0..<Int.random(in: 0...125, using: &generator)).map { UInt8($0) }
        let isPing = Bool.random(using: &generator)
        addFrame(isPing ? 0x89 : 0x8A, payload, using: &generator)
        events.append(isPing ? .ping(payload) : .pong(payload))
    }

    private mutating func addFrame(_ first: UInt8, _ payload: [UInt8], using generator: inout SeededGenerator) {
        let key = (0..<4).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        bytes += Frame(first: first, payload: payload, key: isMasked ? key : nil).bytes
    }
}

func randomText(using generator: inout SeededGenerator) -> String {
    let alphabet: [Character] = ["a", "{", "\"", "é", "ß", "€", "漢", "👍", "🎉", "👨‍👩‍👧", "\u{10FFFF}", "\u{0}"]
    let count = [0, 3, 20, 150].randomElement(using: &generator) ?? 0
    return String((0..<count).map { _ in alphabet.randomElement(using: &generator) ?? "a" })
}
