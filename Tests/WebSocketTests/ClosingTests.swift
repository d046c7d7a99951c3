import Testing

@testable import WebSocket

@Suite("Closing (RFC 6455 section 7)")
struct ClosingTests {
    static let validCodes: [UInt16] = [
        1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999,
    ]
    static let invalidCodes: [UInt16] = [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535]

    @Test("A close is echoed with its code", arguments: validCodes)
    func echo(code: UInt16) {
        let outcome = exchange([Frame.close(code, "bye 👋").bytes])
        #expect(outcome.frames == [Frame.close(code).unmasked])
        #expect(outcome.events == [.close(code, "bye 👋")])
        #expect(outcome.closeReceived == code)
        #expect(outcome.state == .closed)
        #expect(outcome.failure == nil)
        #expect(outcome.shouldCloseTransport)
    }

    @Test("A close code that must not be sent is answered with 1002", arguments: invalidCodes)
    func invalidCode(code: UInt16) {
        let outcome = exchange([Frame.close(code).bytes])
        #expect(outcome.failure == .invalidCloseCode(code))
        #expect(outcome.frames.first?.payload.prefix(2) == [0x03, 0xEA])
        #expect(outcome.events.isEmpty)
        #expect(outcome.closeReceived == nil)
    }

    @Test("A close without a code counts as 1005 and is answered without one")
    func noCode() {
        let outcome = exchange([Frame.close().bytes])
        #expect(outcome.frames == [Frame.close().unmasked])
        #expect(outcome.events == [.close(nil, "")])
        #expect(outcome.closeReceived == 1005)
    }

    @Test("A reason of 123 bytes is taken")
    func longReason() {
        let reason = String(repeating: "r", count: 123)
        #expect(exchange(Frame.close(1000, reason).bytes.pieces(of: 1)).events == [.close(1000, reason)])
    }

    @Test("Nothing after a close is read", arguments: [1, 1_000])
    func nothingAfterClose(length: Int) {
        let bytes = Frame.close(1000).bytes + Frame.text("late").bytes + Frame.ping().bytes + [0xFF, 0xFF]
        let outcome = exchange(bytes.pieces(of: length))
        #expect(outcome.events == [.close(1000, "")])
        #expect(outcome.frames == [Frame.close(1000).unmasked])
        #expect(outcome.failure == nil)
    }

    @Test("A close in the midst of a message drops the message")
    func closeInsideMessage() {
        let outcome = exchange([Frame(first: 0x01, payload: [65]).bytes + Frame.close(1001).bytes])
        #expect(outcome.events == [.close(1001, "")])
        #expect(outcome.failure == nil)
    }

    @Test("This end's close waits for the other one; the server then closes the transport, the client waits")
    func closingHandshake() {
        for (role, closes) in [(WebSocketRole.server, true), (.client, false)] {
            var peer = WebSocketPeer(role: role, maskingKey: { 1 })
            var recorder = Recorder()
            var output: [UInt8] = []
            peer.sendClose(code: 1001, reason: "going", into: &output)
            let waiting = peer.state
            let sent = Frame.decode(output)
            #expect(waiting == .closing)
            #expect(sent.first?.payload == [0x03, 0xE9] + [UInt8]("going"))
            let answer = role == .server ? Frame.close(1001) : Frame.close(1001).unmasked
            peer.feed(answer.bytes, into: &output, &recorder)
            let (state, shouldClose) = (peer.state, peer.shouldCloseTransport)
            #expect(state == .closed)
            #expect(shouldClose == closes)
            #expect(Frame.decode(output) == sent)
            #expect(recorder.events == [.close(1001, "")])
        }
    }

    @Test("While closing, messages are dropped and pings not answered, until the close comes")
    func droppedWhileClosing() {
        var peer = WebSocketPeer(role: .server)
        var recorder = Recorder()
        var output: [UInt8] = []
        peer.feed(Frame(first: 0x01, payload: [65]).bytes, into: &output, &recorder)
        peer.sendClose(code: 1000, into: &output)
        let sent = output
        let bytes =
            Frame(first: 0x80, payload: [0xFF]).bytes + Frame.text("late").bytes + Frame.ping([1]).bytes
            + Frame.pong().bytes + Frame.close(1000).bytes
        for piece in bytes.pieces(of: 3) { peer.feed(piece, into: &output, &recorder) }
        let (state, failure, held) = (peer.state, peer.failure, peer.assembly.capacity)
        #expect(recorder.events == [.close(1000, "")])
        #expect(output == sent)
        #expect(state == .closed)
        #expect(failure == nil)
        #expect(held == 0)
    }

    @Test("A violation while closing ends the connection without a second close frame")
    func violationWhileClosing() {
        var peer = WebSocketPeer(role: .server)
        var recorder = Recorder()
        var output: [UInt8] = []
        peer.sendClose(code: nil, into: &output)
        peer.feed([0x83, 0x80], into: &output, &recorder)
        let (state, failure) = (peer.state, peer.failure)
        #expect(state == .closed)
        #expect(failure == .reservedOpcode(3))
        #expect(Frame.decode(output) == [Frame.close().unmasked])
    }

    @Test("After a close nothing more is sent")
    func nothingSentAfterClose() {
        var peer = WebSocketPeer(role: .server)
        var output: [UInt8] = []
        peer.sendClose(code: 4001, into: &output)
        let sent = output
        peer.send(text: [65].span, into: &output)
        peer.send(binary: [65].span, into: &output)
        peer.sendPing([65].span, into: &output)
        peer.sendClose(code: 1000, into: &output)
        #expect(output == sent)
    }

    @Test("A handler that wants to close gets no further message of the same bytes")
    func handlerCloses() {
        let bytes = ["one", "two", "three"].flatMap { Frame.text($0).bytes } + Frame.close(4000).bytes
        for length in [1, 1_000] {
            let outcome = exchange(bytes.pieces(of: length), closesAfter: 2)
            #expect(outcome.events == [.text("one"), .text("two"), .close(4000, "")])
            #expect(outcome.frames == [Frame.close(4000, "enough").unmasked])
            #expect(outcome.state == .closed)
        }
    }

    @Test("A handler may close on a ping, which is still answered first")
    func handlerClosesOnPing() {
        let outcome = exchange([Frame.ping([1]).bytes + Frame.ping([2]).bytes], closesAfter: 1)
        #expect(outcome.events == [.ping([1])])
        #expect(outcome.frames == [Frame.pong([1]).unmasked, Frame.close(4000, "enough").unmasked])
        #expect(outcome.state == .closing)
    }

    @Test("A code that may not be sent goes out as 1011", arguments: invalidCodes)
    func unsendableCode(code: UInt16) {
        var peer = WebSocketPeer(role: .server)
        var output: [UInt8] = []
        peer.sendClose(code: code, reason: "x", into: &output)
        #expect(Frame.decode(output) == [Frame.close(1011, "x").unmasked])
    }

    @Test("A long reason is cut between characters, a long ping at 125 bytes")
    func cutReason() {
        var peer = WebSocketPeer(role: .server)
        var output: [UInt8] = []
        peer.sendPing([UInt8](repeating: 1, count: 200).span, into: &output)
        peer.sendClose(code: 4000, reason: String(repeating: "🎉", count: 40), into: &output)
        let frames = Frame.decode(output)
        #expect(
            frames == [
                Frame.ping([UInt8](repeating: 1, count: 125)).unmasked,
                Frame.close(4000, String(repeating: "🎉", count: 30)).unmasked,
            ])
    }
}
