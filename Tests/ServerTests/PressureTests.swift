import Broker
import Foundation
import Glibc
import Testing

/// What a connection that asks for much at once costs, and gets.
@Suite(.timeLimit(.minutes(5))) struct PressureTests {
    private func list(_ id: Int) -> String { #"{"type":"list","id":\#(id),"channel":"chat:1"}"# }

    private func add(_ id: Int, on message: String) -> String {
        #"{"type":"add","id":\#(id),"channel":"chat:1","message":"\#(message)","reaction":"👍"}"#
    }

    @Test("requests whose replies may be large are taken a few at a time, and all are answered in order")
    func fewAtATime() throws {
        let server = try TestServer()
        let ada = try server.connectWebSocket("ada")
        server.store.hold()
        // Those behind the change wait with it, so that what was taken can be counted.
        try ada.send([add(0, on: "m")] + (1...100).map(list))
        try server.awaitMetric(#"fanfare_requests_total{type="list"}"#, 16)
        _ = try server.connectWebSocket("bob").request(#""type":"ping""#)
        #expect(try server.metric(#"fanfare_requests_total{type="list"}"#) == 16)
        server.store.release()
        for id in 0...100 { #expect(try ada.receive()["id"] as? Int == id) }
        #expect(try ada.request(#""type":"ping""#)["type"] as? String == "pong")
    }

    @Test(
        "what was sent before the end takes effect, also behind what is held back", arguments: ["a close", "a reset"])
    func lastRequests(end: String) throws {
        let server = try TestServer()
        var ada: WebSocketSocket? = try server.connectWebSocket("ada")
        server.store.hold()
        try ada?.send([add(0, on: "m")] + (1...40).map(list) + [add(41, on: "last")], closing: end == "a close")
        try server.awaitMetric(#"fanfare_requests_total{type="list"}"#, 16)
        if end == "a reset" { ada?.resetOnClose() }
        ada = nil
        try server.awaitMetric(#"fanfare_requests_total{type="add"}"#, 2)
        server.store.release()
        let last = try server.call("GET", "/v1/channels/chat:1/messages/last?user=bob")
        #expect(last.json["total"] as? Int == 1)
    }

    @Test(
        "a peer from which nothing is read, because much waits for it, is not taken for silent",
        .disabled(if: isThreadSanitized, "this client answers no ping, and then reads for longer than a silent one may")
    )
    func notSilent() throws {
        let server = try TestServer(isLocal: true) {
            $0.outboundBytes = 1024
            $0.heartbeatMilliseconds = 50
            $0.silenceMilliseconds = 1500
        }
        let ada = try server.connectWebSocket("ada")
        try ada.send((0..<20_000).map { _ in "{}" })
        // Twice what a silent peer is given.
        #expect(!ada.isEnded(within: 3100))
        for _ in 0..<20_000 { #expect(try ada.receive()["code"] as? String == "bad_request") }
        #expect(try ada.request(#""type":"ping""#)["type"] as? String == "pong")
    }
}

#if TSAN
private let isThreadSanitized = true
#else
private let isThreadSanitized = false
#endif
