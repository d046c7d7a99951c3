import Broker
import Dispatch
import Foundation
import Testing
import Transport

@testable import Server

/// How a server ends (Draining.md).
@Suite(.timeLimit(.minutes(5))) struct DrainTests {
    /// A stop under way, on a thread of its own.
    private final class Stop: Sendable {
        private let done = DispatchSemaphore(value: 0)
        private let outcome = Locked<Bool?>(nil)

        init(_ server: TestServer, _ drain: DrainSettings) {
            Thread.detachNewThread { [self] in
                let isWhole = server.server.stop(drain)
                outcome.withLock { $0 = isWhole }
                done.signal()
            }
        }

        /// Waits for its end: whether nothing is lost.
        func end() -> Bool? {
            done.wait()
            return outcome.withLock { $0 }
        }
    }

    /// So long that no test comes to its bound.
    private let patient = DrainSettings(withinMilliseconds: 600_000)

    private func add(_ id: Int, _ message: String) -> String {
        #"{"id":\#(id),"type":"add","channel":"chat:1","message":"\#(message)","reaction":"👍"}"#
    }

    /// The types of what comes until the server ends the connection.
    private func rest(of socket: WebSocketSocket) -> [String] {
        var types: [String] = []
        while let message = try? socket.receive() { types.append(message["type"] as? String ?? "?") }
        return types
    }

    @Test("what was taken is finished, and its ack comes before the goodbye; what comes meanwhile is not taken")
    func underWay() throws {
        let server = try TestServer()
        server.store.hold()
        let busy = try server.connectWebSocket("ada")
        let idle = try server.connectWebSocket("bob")
        try busy.send(add(1, "m1"))
        try server.awaitMetric("fanfare_waiting_requests", 1)
        let stop = Stop(server, patient)
        // Whoever waits for nothing is told at once.
        let goodbye = try idle.receive()
        #expect(goodbye["type"] as? String == "goodbye")
        #expect(goodbye["code"] as? Int == 1012)
        #expect((0...5_000).contains(goodbye["retry_after_ms"] as? Int ?? -1))
        #expect(rest(of: idle) == [])
        try busy.send(add(2, "m2"))
        server.store.release()
        #expect(rest(of: busy) == ["ack", "goodbye"])
        #expect(stop.end() == true)
    }

    @Test("who follows a channel hears what others still bring about, and only then the goodbye", arguments: [1, 3])
    func followers(loops: Int) throws {
        let server = try TestServer(loops: loops)
        server.store.hold()
        // Connections come to the loops as the kernel likes.
        let followers = try (0..<6).map { try server.connectWebSocket("bob-\($0)") }
        for follower in followers {
            let reply = try follower.request(#""type":"subscribe","channel":"chat:1""#)
            #expect(reply["type"] as? String == "subscribed")
        }
        let busy = try server.connectWebSocket("ada")
        let idle = try server.connectWebSocket("eve")
        try busy.send(add(1, "m1"))
        try server.awaitMetric("fanfare_waiting_requests", 1)
        let stop = Stop(server, patient)
        #expect(rest(of: idle) == ["goodbye"], "who follows nothing waits for nobody")
        server.store.release()
        #expect(rest(of: busy) == ["ack", "goodbye"])
        for follower in followers { #expect(rest(of: follower) == ["added", "goodbye"]) }
        #expect(stop.end() == true)
    }

    @Test("who has no answer at the bound is told goodbye without it")
    func bound() throws {
        let server = try TestServer()
        server.store.hold()
        let (socket, follower) = (try server.connectWebSocket("ada"), try server.connectWebSocket("bob"))
        _ = try follower.request(#""type":"subscribe","channel":"chat:1""#)
        try socket.send(add(1, "m1"))
        try server.awaitMetric("fanfare_waiting_requests", 1)
        let stop = Stop(server, DrainSettings(withinMilliseconds: 200))
        #expect(rest(of: socket) == ["goodbye"])
        #expect(rest(of: follower) == ["goodbye"])
        #expect(stop.end() == false, "what the store has not taken is lost, and the server says so")
    }

    @Test("first it is not ready, while all goes on as before; then nobody is let in")
    func notice() throws {
        let server = try TestServer()
        #expect(try server.call("GET", "/readyz").status == 200)
        let stop = Stop(server, DrainSettings(noticeMilliseconds: 600_000, withinMilliseconds: 600_000))
        while try server.call("GET", "/readyz").status != 503 {}
        #expect(try server.call("GET", "/healthz").status == 200)
        let socket = try server.connectWebSocket("ada")
        #expect(try socket.request(#""type":"ping""#)["type"] as? String == "pong")
        server.server.endNotice()
        #expect(rest(of: socket) == ["goodbye"])
        #expect(stop.end() == true)
        #expect(throws: (any Error).self) { try server.connectWebSocket("late") }
    }

    @Test("an HTTP request that was taken is answered, and one that comes meanwhile is unavailable")
    func overHTTP() throws {
        let server = try TestServer()
        server.store.hold()
        let (busy, late) = (try server.connect(), try server.connect())
        try late.send("GET", "/healthz")
        _ = try late.answer()
        let target = "/v1/channels/chat:1/messages/m1/reactions/\(EventStreamTests.thumb)?user=ada"
        try busy.send("PUT", target)
        try server.awaitMetric("fanfare_waiting_requests", 1)
        let witness = try server.connectWebSocket("bob")
        let stop = Stop(server, patient)
        #expect(rest(of: witness) == ["goodbye"])
        try late.send("GET", "/v1/channels/chat:1/messages/m1?user=ada")
        let refusal = try late.answer()
        #expect(refusal.status == 503 && refusal.code == "unavailable")
        server.store.release()
        let answer = try busy.answer(to: "PUT")
        #expect(answer.status == 200 && answer.json["result"] as? String == "added")
        #expect(stop.end() == true)
    }
}
