import Broker
import Foundation
import Testing

@testable import Server

/// `GET /v1/channels/{channel}/stream` (PROTOCOL.md section 10).
@Suite(.timeLimit(.minutes(5))) struct EventStreamTests {
    static let thumb = "%F0%9F%91%8D"

    func open(
        _ server: TestServer, _ query: String = "?user=ada", channel: String = "chat:1", after id: String? = nil
    ) throws -> HTTPSocket {
        let socket = try server.connect()
        try socket.send(
            "GET", "/v1/channels/\(channel)/stream" + query, headers: id.map { ["Last-Event-ID": $0] } ?? [:])
        let head = try socket.head()
        #expect(head.status == 200 && head["content-type"] == "text/event-stream" && head["connection"] == "close")
        return socket
    }

    func react(_ server: TestServer, on message: String = "m", _ body: String? = nil, channel: String = "chat:1") throws
    {
        let path = "/v1/channels/\(channel)/messages/\(message)/reactions/\(Self.thumb)/toggle?user=bob"
        #expect(try server.call("POST", path, body).status == 200)
    }

    @Test("data is what a WebSocket would carry, from subscribed on; events have an id, and Last-Event-ID resumes")
    func eventsAndResume() throws {
        let server = try TestServer()
        let first = try open(server)
        let subscribed = try first.event()
        #expect(subscribed.type == "subscribed" && subscribed.json["id"] == nil && subscribed.id == nil)
        try react(server)
        let event = try first.event()
        #expect(event.type == "added" && event.json["user"] as? String == "bob" && event.id == "e1/1")
        try react(server)
        try react(server, on: "n")
        let second = try open(server, after: event.id)
        let again = try second.event()
        #expect(again.json["recovered"] as? Bool == true && again.seq == 1)
        #expect(try second.event().id == "e1/2")
        #expect(try second.event().id == "e1/3")
        for id in ["e0/1", "e1/9", "x", "e1/", "/", "e1/-1", "e1/99999999999999999999"] {
            #expect(try open(server, after: id).event().json["recovered"] as? Bool == false, "\(id)")
        }
    }

    @Test("summaries have an id too, also the one that makes up for what was missed")
    func summaries() throws {
        let server = try TestServer()
        let stream = try open(server, "?user=ada&mode=summary")
        #expect(try stream.event().json["mode"] as? String == "summary")
        try react(server)
        let summary = try stream.event()
        #expect(summary.type == "summary" && summary.id == "e1/1")
        try react(server)
        let second = try open(server, "?user=ada&mode=summary", after: summary.id)
        #expect(try second.event().json["recovered"] as? Bool == true)
        let missed = try second.event()
        #expect(missed.type == "summary" && missed.id == "e1/2")
    }

    @Test("only the messages that are named; the channel's own is written -")
    func filter() throws {
        let server = try TestServer()
        let stream = try open(server, "?user=ada&messages=b&messages=-&messages=b")
        _ = try stream.event()
        for message in ["a", "b", "-"] { try react(server, on: message) }
        #expect(try stream.event().id == "e1/2")
        #expect(try stream.event().json["message"] as? String == "")
    }

    @Test("line breaks inside data are put back together by the reader")
    func lineBreaks() throws {
        let server = try TestServer()
        let stream = try open(server)
        _ = try stream.event()
        try react(server, "{\"data\":{\"a\":\r\n1,\r\"b\":\n\"x\\n\"}}")
        let data = try stream.event().json["data"] as? [String: Any]
        #expect(data?["a"] as? Int == 1 && data?["b"] as? String == "x\n")
    }

    @Test("own, bursts and frozen come as they are, without an id")
    func others() throws {
        let server = try TestServer()
        let own = try open(server, "?user=bob&mode=summary")
        let burst = try open(server, channel: "burst:1")
        _ = try own.event()
        _ = try burst.event()
        try react(server)
        let types = Set([try own.event().type, try own.event().type])
        #expect(types == ["own", "summary"])
        _ = try server.call("PUT", "/v1/channels/burst:1/messages/m/reactions/\(Self.thumb)?user=bob")
        let told = try burst.event()
        #expect(told.type == "burst" && told.id == nil)
        let socket = try server.connectWebSocket("mod")
        _ = try socket.request(#""type":"freeze","channel":"chat:1","frozen":true"#)
        let frozen = try own.event()
        #expect(frozen.type == "frozen" && frozen.id == nil)
    }

    @Test("a stream that is not allowed is refused as a request, and the connection goes on")
    func refused() throws {
        let server = try TestServer()
        let socket = try server.connect()
        try socket.send("GET", "/v1/channels/nowhere:1/stream?user=ada")
        #expect(try socket.answer().code == "forbidden")
        try socket.send("GET", "/v1/channels/chat:1/stream?user=ada&mode=x")
        #expect(try socket.answer().code == "bad_request")
        try socket.send("GET", "/healthz")
        #expect(try socket.answer().text == "ok\n")
        #expect(server.recipientCount == 0)
    }

    @Test("silent streams get comments, and end when their token does")
    func deadlines() throws {
        let server = try TestServer(isDevelopment: false) { $0.heartbeatMilliseconds = 20 }
        let expires = Date.now.timeIntervalSince1970 + 0.3
        let stream = try open(server, "?token=\(try TestServer.token("ada", expires: expires))")
        _ = try stream.event()
        #expect(try stream.line() == ":")
        let goodbye = try stream.event()
        #expect(goodbye.type == "goodbye" && goodbye.json["code"] as? Int == 4001 && goodbye.retry == "0")
        #expect(try stream.isAtEnd())
    }

    @Test("a reader that leaves frees its place, and the broker's end is told")
    func ends() throws {
        let server = try TestServer()
        do {
            let stream = try open(server)
            _ = try stream.event()
            #expect(server.recipientCount == 1)
        }
        try server.awaitMetric("fanfare_connections", 0)
        try server.awaitMetric("fanfare_subscriptions", 0)
        let stream = try open(server)
        _ = try stream.event()
        server.server.stop(DrainSettings(withinMilliseconds: 1_000))
        let goodbye = try stream.event()
        #expect(goodbye.json["code"] as? Int == 1012 && goodbye.retry != nil)
    }

    @Test("a stream whose namespace is gone from the settings ends")
    func revoked() throws {
        let server = try TestServer()
        let stream = try open(server)
        _ = try stream.event()
        var settings = server.server.context.broker.settings
        settings.namespaces["chat"] = nil
        server.server.context.broker.adopt(settings)
        let end = try stream.event()
        #expect(end.type == "unsubscribed" && end.json["reason"] as? String == "forbidden")
        #expect(try stream.isAtEnd())
    }

    /// Fills a stream that is not read until the broker has left events out.
    func fill(_ server: TestServer, _ count: Int, from start: Int = 0) throws {
        let socket = try server.connectWebSocket("bob")
        let data = String(repeating: "x", count: 1_000)
        for index in start..<start + count {
            try socket.send(
                #"{"type":"add","channel":"chat:1","message":"m\#(index)","reaction":"👍","data":{"x":"\#(data)"}}"#)
        }
        _ = try socket.request(#""type":"list","channel":"chat:1","limit":1"#)
    }

    @Test("a slow reader is bounded: past the bound lagged, and then fresh state from which events go on")
    func lagged() throws {
        let bound = 50_000
        let server = try TestServer(isLocal: true) { $0.outboundBytes = bound }
        let stream = try open(server)
        _ = try stream.event()
        try fill(server, 600)
        var (last, bytes, lags) = (0, 0, 0)
        // How often it falls behind and catches up before the socket's buffer is full depends on the machine.
        while last < 600 {
            let event = try stream.event()
            if event.type == "lagged" {
                #expect(event.json["from"] as? Int == last + 1)
                let end = try #require(event.json["to"] as? Int)
                try #require(end > last)
                let fresh = try stream.event()
                #expect(fresh.type == "subscribed" && fresh.json["recovered"] as? Bool == false && fresh.seq == end)
                (last, lags) = (end, lags + 1)
            } else {
                last += 1
                bytes += event.data.utf8.count
                #expect(event.type == "added" && event.seq == last && event.id == "e1/\(last)")
            }
        }
        #expect(lags > 0)
        #expect(bytes < 400_000, "the bound and what the socket holds")
        try fill(server, 1, from: 600)
        #expect(try stream.event().id == "e1/601")
        #expect(try server.metric("fanfare_lagged_total") == Double(lags))
    }

    @Test("a reader that takes nothing is dropped")
    func stalled() throws {
        let server = try TestServer(isLocal: true) {
            $0.outboundBytes = 50_000
            $0.heartbeatMilliseconds = 20
            $0.stallMilliseconds = 50
        }
        let stream = try open(server)
        _ = try stream.event()
        try fill(server, 600)
        try server.awaitMetric(#"fanfare_closed_total{code="4008"}"#, 1)
        #expect(throws: (any Error).self) { while true { _ = try stream.event() } }
    }
}
