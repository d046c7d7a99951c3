import Broker
import Foundation
import HTTP
import Testing

@testable import Server

/// `traceparent` of requests stands in the log lines that belong to them.
@Suite(.timeLimit(.minutes(5))) struct TraceTests {
    static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    static let parent = "00f067aa0ba902b7"
    static let header = ["Traceparent": "00-\(trace)-\(parent)-01"]

    private func entries(_ server: TestServer, with words: String) -> [BrokerLog.Entry] {
        server.said.all.filter { $0.line.contains(words) }
    }

    @Test("an HTTP request that the broker fails")
    func request() throws {
        let server = try TestServer()
        server.store.setBroken(true)
        let path = "/v1/channels/chat:1/messages/m/reactions/%F0%9F%91%8D?user=ada"
        #expect(try server.call("PUT", path, headers: Self.header).status == 503)
        #expect(try server.call("PUT", path).status == 503)
        #expect(
            try server.call("PUT", path, headers: ["traceparent": "00-\(Self.trace)-\(Self.parent)-zz"]).status == 503)
        let traces = entries(server, with: "was answered with 503").map(\.trace?.traceID)
        #expect(traces == [Self.trace, nil, nil])
    }

    @Test("a revocation, and the WebSockets and streams that it ends, each with the trace of its own request")
    func connections() throws {
        let server = try TestServer(isDevelopment: true)
        let other = "00-" + String(Self.trace.reversed()) + "-\(Self.parent)-00"
        let socket = try server.connectWebSocket("mallory", headers: Self.header)
        let stream = try server.connect()
        try stream.send("GET", "/v1/channels/chat:1/stream?user=mallory", headers: ["traceparent": other])
        #expect(try stream.event(after: stream.head()).type == "subscribed")
        let plain = try server.connectWebSocket("mallory")
        let key = ["Authorization": "Bearer \(TestServer.serverKey)"].merging(Self.header) { $1 }
        #expect(try server.call("POST", "/v1/users/mallory/revoke", headers: key).status == 200)
        #expect(try socket.receive()["type"] as? String == "goodbye")
        #expect(try plain.receive()["type"] as? String == "goodbye")
        #expect(try stream.event().type == "goodbye")
        let ended = entries(server, with: "was ended with 4003: revoked").map { $0.trace?.traceID ?? "none" }
        #expect(ended.sorted() == [String(Self.trace.reversed()), Self.trace, "none"].sorted())
        #expect(entries(server, with: "a user was revoked by server").map(\.trace?.parentID) == [Self.parent])
        #expect(entries(server, with: "mallory").isEmpty)
    }

    @Test("a connection for which there is no place")
    func refused() throws {
        let server = try TestServer(limits: { $0.connections = 1 })
        let socket = try server.connectWebSocket("ada")
        let upgrade = [
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        ]
        #expect(try server.call("GET", "/v1/ws", headers: upgrade.merging(Self.header) { $1 }).status == 503)
        #expect(entries(server, with: "limits.connections").map(\.trace?.traceID) == [Self.trace])
        _ = try socket.request(#""type":"ping""#)
    }

    @Test("an event stream for which there is no place is told once, with where it came from")
    func refusedStream() throws {
        let server = try TestServer(limits: { $0.connections = 1 })
        let first = try server.connect()
        try first.send("GET", "/v1/channels/chat:1/stream?user=ada")
        #expect(try first.event(after: first.head()).type == "subscribed")
        #expect(try server.call("GET", "/v1/channels/chat:1/stream?user=ada", headers: Self.header).status == 503)
        let said = server.said.all.filter { $0.level != .info }
        #expect(said.map(\.line) == ["a connection from 127.0.0.1 was refused: limits.connections"])
        #expect(said.map(\.trace?.traceID) == [Self.trace])
    }
}

extension HTTPSocket {
    /// The first event of a stream whose head was read.
    fileprivate func event(after head: Answer) throws -> StreamEvent {
        #expect(head.status == 200)
        return try event()
    }
}
