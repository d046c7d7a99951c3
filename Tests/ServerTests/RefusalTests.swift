import Broker
import Synchronization
import Testing

@testable import Server

/// What the HTTP API refuses, and how (PROTOCOL.md sections 8 and 10).
@Suite(.timeLimit(.minutes(5))) struct RefusalTests {
    static let thumb = "%F0%9F%91%8D"
    static let long = String(repeating: "a", count: 201)

    @Test(
        "the shapes of names and numbers are those of messages",
        arguments: [
            "GET /v1/channels/a%20b/messages/m", "GET /v1/channels/%C3%A9/messages", "GET /v1/channels//messages/m",
            "GET /v1/channels/\(long)/messages", "GET /v1/channels/chat:1/messages/*",
            "GET /v1/channels/chat:1/messages/..", "GET /v1/channels/chat:1/messages/",
            "GET /v1/channels/chat:1/messages/\(long)/reactors", "GET /v1/channels/chat:1/messages?limit=0",
            "GET /v1/channels/chat:1/messages?limit=101", "GET /v1/channels/chat:1/messages?limit=",
            "GET /v1/channels/chat:1/messages?limit=1.0", "GET /v1/channels/chat:1/messages?limit=-1",
            "GET /v1/channels/chat:1/messages/m/reactors?limit=99999999999999999999",
            "DELETE /v1/channels/chat:1/messages/m/reactions/x?count=0",
            "DELETE /v1/channels/chat:1/messages/m/reactions/x?count=1001",
            "DELETE /v1/channels/chat:1/messages/m/reactions?target=", "GET /v1/channels/chat:1/stream?mode=all",
            "GET /v1/channels/chat:1/stream?messages=m&messages=*", "GET /v1/channels/chat:1/stream?messages=",
            "PUT /v1/channels/chat:1/messages/m/reactions", "GET /v1/channels/%80/messages",
        ])
    func shapes(request: String) throws {
        let server = try TestServer(isDevelopment: false)
        let words = request.split(separator: " ").map(String.init)
        // The shape is judged before who asks.
        let answer = try server.call(words[0], words[1])
        #expect(answer.status == 400 && answer.code == "bad_request")
        #expect((answer.json["message"] as? String)?.isEmpty == false)
    }

    @Test(
        "bodies are read as messages are",
        arguments: [
            "{", "[]", "1", #"{"data":1}"#, #"{"count":0}"#, #"{"count":"1"}"#, #"{"count":1,"count":1}"#,
            "\u{FEFF}{}", #"{"data":{"a":"\ud800"}}"#,
        ])
    func bodies(body: String) throws {
        let server = try TestServer()
        let answer = try server.call("PUT", "/v1/channels/clap:1/messages/m/reactions/\(Self.thumb)?user=ada", body)
        #expect(answer.status == 400 && answer.code == "bad_request")
    }

    @Test(
        "Idempotency-Key has a key's shape",
        arguments: ["", "a b", String(repeating: "k", count: 65)])
    func key(key: String) throws {
        let server = try TestServer()
        let path = "/v1/channels/chat:1/messages/m/reactions/\(Self.thumb)?user=ada"
        let answer = try server.call("PUT", path, headers: ["Idempotency-Key": key])
        #expect(answer.code == "bad_request")
    }

    @Test("each code has its status")
    func statuses() throws {
        let server = try TestServer()
        func refused(_ method: String, _ path: String, _ status: Int, _ code: String, _ body: String? = nil) throws {
            let answer = try server.call(method, "/v1/channels/" + path, body)
            #expect(answer.status == status && answer.code == code, "\(method) \(path): \(answer.text)")
            #expect(answer.json.count == 2 && answer["content-type"] == "application/json")
        }
        let reactions = "chat:1/messages/m/reactions"
        try refused("PUT", "\(reactions)/x?user=ada", 422, "invalid_reaction")
        try refused("PUT", "\(reactions)/?user=ada", 422, "invalid_reaction")
        try refused("PUT", "only:1/messages/m/reactions/%F0%9F%94%A5?user=ada", 422, "reaction_not_allowed")
        try refused("GET", "nowhere:1/messages?user=ada", 403, "forbidden")
        try refused("GET", "nowhere:1/stream?user=ada", 403, "forbidden")
        try refused("PUT", "\(reactions)/\(Self.thumb)?user=ada", 400, "bad_request", #"{"count":2}"#)
        try refused("GET", "chat:1/messages?after=x&user=ada", 400, "unknown_cursor")
        _ = try server.call("PUT", "/v1/channels/few:1/messages/m/reactions/\(Self.thumb)?user=ada")
        try refused("PUT", "few:1/messages/m/reactions/%F0%9F%94%A5?user=ada", 409, "too_many_reactions")
        _ = try server.call("DELETE", "/v1/channels/chat:1/messages/gone?user=mod")
        try refused("PUT", "chat:1/messages/gone/reactions/\(Self.thumb)?user=ada", 409, "message_deleted")
        let socket = try server.connectWebSocket("mod")
        _ = try socket.request(#""type":"freeze","channel":"chat:1","frozen":true"#)
        try refused("PUT", "\(reactions)/\(Self.thumb)?user=ada", 409, "frozen")
        try refused("GET", "chat:1/messages?token=a.b.c", 401, "unauthorized")
        try refused("GET", "chat:1/stream?user=a%20b", 401, "unauthorized")
    }

    @Test("Retry-After goes with 429 and 503, in whole seconds that are enough")
    func retryAfter() throws {
        let server = try TestServer { $0.connections = 1 }
        let slow = "/v1/channels/slow:1/messages/m/reactions/\(Self.thumb)/toggle?user=ada"
        #expect(try server.call("POST", slow).status == 200)
        let fast = try server.call("POST", slow)
        #expect(fast.status == 429 && fast.code == "rate_limited" && fast["retry-after"] == "3")
        server.store.setBroken(true)
        let path = "/v1/channels/chat:1/messages/m/reactions/\(Self.thumb)?user=ada"
        let broken = try server.call("PUT", path)
        #expect(broken.status == 503 && broken.code == "unavailable" && broken["retry-after"] == "1")
        server.store.setBroken(false)
        #expect(try server.call("PUT", path).json["seq"] as? Int == 1)
        let first = try server.connect()
        try first.send("GET", "/v1/channels/chat:1/stream?user=ada")
        #expect(try first.head().status == 200)
        let full = try server.call("GET", "/v1/channels/chat:1/stream?user=ada")
        #expect(full.status == 503 && full.code == "unavailable" && full["retry-after"] != nil)
        #expect(try first.event().type == "subscribed")
    }

    @Test(
        "a broker that is about to end takes nobody who would stay", arguments: ["v1/ws", "v1/channels/chat:1/stream"])
    func draining(path: String) throws {
        let server = try TestServer()
        server.server.context.isDraining.store(true, ordering: .relaxed)
        let upgrade = [
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        ]
        let answer = try server.call("GET", "/\(path)?user=ada", headers: path == "v1/ws" ? upgrade : [:])
        #expect(answer.status == 503 && answer.code == "unavailable" && answer["retry-after"] != nil)
    }

    @Test("nothing at an address: 404; a method that it does not take: 405 with Allow")
    func addresses() throws {
        let server = try TestServer()
        for path in ["/v1", "/v1/channels/chat:1", "/v1/channels/chat:1/other", "/v2/channels/chat:1/messages", "/x/y"]
        {
            let answer = try server.call("GET", path)
            #expect(answer.status == 404 && answer.code == "not_found")
        }
        for (method, path, allowed) in [
            ("POST", "chat:1/messages/m", "GET, DELETE, HEAD, OPTIONS"),
            ("PUT", "chat:1/messages", "GET, HEAD, OPTIONS"),
            ("GET", "chat:1/messages/m/reactions/x", "PUT, DELETE, OPTIONS"),
            ("PUT", "chat:1/messages/m/reactions/x/toggle", "POST, OPTIONS"),
            ("BREW", "chat:1/stream", "GET, HEAD, OPTIONS"),
        ] {
            let answer = try server.call(method, "/v1/channels/" + path)
            #expect(answer.status == 405 && answer.code == "method_not_allowed" && answer["allow"] == allowed)
        }
        #expect(try server.call("POST", "/metrics").status == 405)
    }

    @Test("identity: a token in the header wins, then ?token=; nothing given is 401")
    func identity() throws {
        let server = try TestServer(isDevelopment: false)
        let path = "/v1/channels/chat:1/messages/m/reactions/\(Self.thumb)"
        let nobody = try server.call("PUT", path + "?user=ada")
        #expect(nobody.status == 401 && nobody.code == "unauthorized" && nobody["www-authenticate"] == "Bearer")
        let ada = try TestServer.token("ada")
        let bob = try TestServer.token("bob")
        let both = try server.call("PUT", path + "?token=\(bob)", headers: ["Authorization": "Bearer \(ada)"])
        #expect(both.json["own"] as? [String] == ["👍"])
        #expect(try server.call("GET", "/v1/channels/chat:1/messages/m?token=\(ada)").json["own"] as? [String] == ["👍"])
        #expect(try server.call("PUT", path + "?token=\(bob)").json["count"] as? Int == 2)
        #expect(try server.call("PUT", path + "?token=\(try TestServer.token("ada", expires: 1))").status == 401)
        let narrow = try TestServer.token("cy", channels: [.init(pattern: "chat:2", can: ["react"])])
        #expect(try server.call("PUT", path + "?token=\(narrow)").status == 403)
    }

    @Test("a server's key may act for anyone by ?user=, and all but react in its own name")
    func serverKeys() throws {
        let server = try TestServer(isDevelopment: false)
        let key = ["Authorization": "Bearer \(TestServer.serverKey)"]
        let path = "/v1/channels/chat:1/messages/m"
        let answer = try server.call("PUT", path + "/reactions/\(Self.thumb)?user=ada", headers: key)
        #expect(answer.json["own"] as? [String] == ["👍"])
        #expect(try server.call("PUT", path + "/reactions/\(Self.thumb)", headers: key).status == 403)
        #expect(try server.call("GET", path, headers: key).json["total"] as? Int == 1)
        #expect(try server.call("DELETE", path + "/reactions?target=ada", headers: key).json["removed"] as? Int == 1)
        #expect(try server.call("DELETE", path + "?user=ada", headers: key).json["result"] as? String == "deleted")
        let wrong = ["Authorization": "Bearer \(TestServer.serverKey)2"]
        #expect(try server.call("GET", path, headers: wrong).status == 401)
        #expect(try server.call("GET", path + "?user=a%20b", headers: key).status == 401)
    }
}
