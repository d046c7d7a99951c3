import Broker
import Testing
import Transport

@testable import Server

/// How requests and answers share a connection.
@Suite(.timeLimit(.minutes(5))) struct ExchangeTests {
    static let thumb = "%F0%9F%91%8D"
    static let reaction = "/v1/channels/chat:1/messages/m/reactions/\(thumb)?user=ada"

    @Test("pipelined requests are answered in order, while the first waits for the store")
    func pipelining() throws {
        let server = try TestServer()
        server.store.hold()
        let socket = try server.connect()
        var text = "PUT \(Self.reaction) HTTP/1.1\r\nHost: a\r\n\r\n"
        text += "GET /v1/channels/chat:1/messages/m?user=ada HTTP/1.1\r\nHost: a\r\n\r\n"
        text += "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
        text += "DELETE \(Self.reaction) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
        text += "GET /nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        try socket.send(text)
        // Another connection's request is answered meanwhile: the loop has read all of the above by then.
        #expect(try server.call("GET", "/healthz").text == "ok\n")
        #expect(server.recipientCount == 1)
        server.store.release()
        #expect(try socket.answer().json["result"] as? String == "added")
        #expect(try socket.answer().json["total"] as? Int == 1)
        #expect(try socket.answer().text == "ok\n")
        #expect(try socket.answer().json["result"] as? String == "removed")
        let last = try socket.answer()
        #expect(last.status == 404 && last["connection"] == "close")
        #expect(try socket.isAtEnd())
    }

    @Test("a thousand pipelined requests that are refused at once are all answered")
    func manyRefusals() throws {
        let server = try TestServer(isDevelopment: false)
        let socket = try server.connect()
        let one = "GET /v1/channels/chat:1/messages HTTP/1.1\r\nHost: a\r\n\r\n"
        try socket.send(String(repeating: one, count: 1_000))
        for _ in 0..<1_000 { #expect(try socket.answer().status == 401) }
    }

    @Test("answers that nobody reads hold up the requests behind them, and only those")
    func slowReader() throws {
        let server = try TestServer(isLocal: true) { $0.outboundBytes = 10_000 }
        let socket = try server.connect()
        // Larger by far than the socket's buffer, whichever page it is.
        let count = 2_000
        for _ in 0..<count / 100 {
            try socket.send(String(repeating: "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", count: 100))
        }
        #expect(try server.call("GET", "/healthz").status == 200)
        for _ in 0..<count { #expect(try socket.answer().status == 200) }
    }

    @Test("a client that has sent all it will still gets its answer")
    func halfClosed() throws {
        let server = try TestServer()
        server.store.hold()
        let socket = try server.connect()
        try socket.send("PUT", Self.reaction)
        socket.socket.finishWriting()
        #expect(try server.call("GET", "/healthz").status == 200)
        server.store.release()
        #expect(try socket.answer().json["result"] as? String == "added")
        #expect(try socket.isAtEnd())
    }

    @Test("a connection that closes while its request waits leaves nothing behind, and the request takes effect")
    func closedWhileWaiting() throws {
        let server = try TestServer()
        server.store.hold()
        for _ in 0..<3 {
            let socket = try server.connect()
            try socket.send("PUT", Self.reaction)
            try socket.send("PUT", Self.reaction)
            #expect(try server.call("GET", "/healthz").status == 200)
            #expect(server.recipientCount == 1)
            socket.socket.resetOnClose()
        }
        #expect(try server.call("GET", "/healthz").status == 200)
        #expect(server.recipientCount == 0)
        server.store.release()
        #expect(try server.call("GET", "/v1/channels/chat:1/messages/m?user=ada").json["total"] as? Int == 1)
        #expect(server.recipientCount == 0)
    }

    @Test("Expect: 100-continue is answered before the body comes")
    func expectContinue() throws {
        let server = try TestServer()
        let socket = try server.connect()
        try socket.send(
            "PUT \(Self.reaction) HTTP/1.1\r\nHost: a\r\nContent-Length: 16\r\nExpect: 100-continue\r\n\r\n")
        #expect(try socket.answer().status == 100)
        try socket.send(#"{"data":{"a":1}}"#)
        #expect(try socket.answer().status == 200)
    }

    @Test("a body past limits.message_bytes is too_large, announced or in chunks")
    func tooLarge() throws {
        let server = try TestServer { $0.messageBytes = 100 }
        let announced = try server.call("PUT", Self.reaction, String(repeating: " ", count: 101))
        #expect(announced.status == 413 && announced.code == "too_large" && announced["connection"] == "close")
        #expect(try server.call("PUT", Self.reaction, "{}" + String(repeating: " ", count: 98)).status == 200)
        let socket = try server.connect()
        try socket.send("PUT \(Self.reaction) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        try socket.send("65\r\n" + String(repeating: " ", count: 101) + "\r\n0\r\n\r\n")
        let chunked = try socket.answer()
        #expect(chunked.status == 413 && chunked.code == "too_large")
    }

    @Test("HEAD is answered like GET, without the body")
    func head() throws {
        let server = try TestServer()
        for path in ["/v1/channels/chat:1/messages/m?user=ada", "/healthz", "/metrics", "/"] {
            let socket = try server.connect()
            try socket.send("HEAD", path)
            let head = try socket.answer(to: "HEAD")
            #expect(head.status == 200 && head["content-length"].flatMap { Int($0) } ?? 0 > 0)
            try socket.send("GET", "/healthz")
            #expect(try socket.answer().text == "ok\n")
        }
        let stream = try server.connect()
        try stream.send("HEAD", "/v1/channels/chat:1/stream?user=ada")
        let head = try stream.answer(to: "HEAD")
        #expect(head.status == 200 && head["content-type"] == "text/event-stream")
        #expect(try stream.isAtEnd())
    }

    @Test("a message's document has a tag that changes with it, and is left out where it is known")
    func tags() throws {
        let server = try TestServer()
        let path = "/v1/channels/chat:1/messages/m?user=ada"
        let first = try server.call("GET", path)
        let tag = try #require(first["etag"])
        #expect(tag.hasPrefix("\"") && first.all("vary").contains("Authorization"))
        for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
            let socket = try server.connect()
            try socket.send("GET", path, headers: ["If-None-Match": known])
            let answer = try socket.answer()
            #expect(answer.status == 304 && answer["etag"] == tag)
        }
        _ = try server.call("PUT", Self.reaction)
        let changed = try server.call("GET", path, headers: ["If-None-Match": tag])
        #expect(changed.status == 200 && changed["etag"] != tag)
    }

    @Test("OPTIONS * tells the methods of the server as a whole (RFC 9110 section 9.3.7)")
    func optionsOfEverything() throws {
        let server = try TestServer()
        let answer = try server.call("OPTIONS", "*")
        #expect(answer.status == 204 && answer["allow"] == "GET, PUT, POST, DELETE, HEAD, OPTIONS")
        #expect(try server.call("GET", "*").status == 400)
    }

    @Test("pages of other origins may read what is theirs to read (the Fetch standard)")
    func crossOrigin() throws {
        let path = "/v1/channels/chat:1/messages/m"
        let server = try TestServer(origins: ["https://example.org"])
        for (origin, isAllowed) in [("https://example.org", true), ("http://test", true), ("https://evil.org", false)] {
            let asked = ["Origin": origin, "Access-Control-Request-Method": "DELETE"]
            for answer in [
                try server.call("GET", path + "?user=ada", headers: asked),
                try server.call("GET", path + "?token=x", headers: asked),
                try server.call("OPTIONS", path, headers: asked),
            ] {
                #expect(answer["access-control-allow-origin"] == (isAllowed ? origin : nil))
                #expect(answer.all("vary").contains("Origin"))
            }
            let preflight = try server.call("OPTIONS", path, headers: asked)
            #expect(preflight.status == 204 && preflight["allow"] == "GET, DELETE, HEAD, OPTIONS")
            #expect((preflight["access-control-allow-methods"]?.contains("DELETE") ?? false) == isAllowed)
            #expect((preflight["access-control-allow-headers"]?.contains("Idempotency-Key") ?? false) == isAllowed)
        }
        #expect(try server.call("GET", "/healthz", headers: ["Origin": "https://example.org"]).all("vary").isEmpty)
    }
}
