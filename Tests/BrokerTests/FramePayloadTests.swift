import Testing
import WebSocket

@testable import Broker

@Suite struct FramePayloadTests {
    @Test("payloads of neighbouring frames, with headers of all lengths, are taken out as they were put in")
    func payloads() {
        let texts = [0, 1, 125, 126, 65_535, 65_536, 3].map { [UInt8](repeating: UInt8($0 & 0x7F), count: $0) }
        var frames: [UInt8] = []
        for text in texts { WebSocketFrame.append(text: text.span, to: &frames) }
        var found: [[UInt8]] = []
        frames.span.forEachPayload { payload in found.append(payload.indices.map { payload[$0] }) }
        #expect(found == texts)
    }

    @Test("frames that were cut off are left out", arguments: [1, 3, 9, 10, 70_009])
    func cut(length: Int) {
        var frames: [UInt8] = []
        WebSocketFrame.append(text: [UInt8](repeating: 0, count: 70_000).span, to: &frames)
        var count = 0
        frames.span.extracting(first: length).forEachPayload { _ in count += 1 }
        #expect(count == 0)
    }

    @Test("a message's type is seen by its beginning")
    func types() {
        let text = Array(#"{"type":"error","code":"x"}"#.utf8)
        func isMessage(ofType type: StaticString, first count: Int = 100) -> Bool {
            text.span.extracting(first: count).isMessage(ofType: type)
        }
        #expect(isMessage(ofType: "error") && isMessage(ofType: "error", first: 15))
        #expect(!isMessage(ofType: "err") && !isMessage(ofType: "errors") && !isMessage(ofType: "error", first: 14))
    }
}
