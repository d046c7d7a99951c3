import Broker
import Foundation
import Testing

@testable import Server

/// `POST /v1/users/{user}/revoke`: who may, and what it does to those who are there.
@Suite(.timeLimit(.minutes(5))) struct RevocationTests {
    static let key = ["Authorization": "Bearer \(TestServer.serverKey)"]
    static let path = "/v1/users/mallory/revoke"

    @Test("only a server's key may revoke")
    func whoMay() throws {
        let server = try TestServer(isDevelopment: true)
        let moderator = try TestServer.token("mod", channels: [.init(pattern: "*", can: ["moderate"])])
        func refused(_ target: String, _ headers: [String: String], _ status: Int, _ code: String) throws {
            let answer = try server.call("POST", target, headers: headers)
            #expect(answer.status == status && answer.code == code, "\(target): \(answer.text)")
        }
        try refused(Self.path, ["Authorization": "Bearer a.b.c"], 401, "unauthorized")
        try refused(Self.path, ["Authorization": "Bearer \(TestServer.serverKey)x"], 401, "unauthorized")
        try refused(Self.path, ["Authorization": "Bearer \(moderator)"], 403, "forbidden")
        try refused(Self.path + "?user=mod", [:], 403, "forbidden")
        try refused("/v1/users/a%20b/revoke", Self.key, 400, "bad_request")
        try refused("/v1/users//revoke", Self.key, 400, "bad_request")
        try refused(Self.path + "?user=a%20b", Self.key, 401, "unauthorized")
        #expect(try server.call("GET", Self.path, headers: Self.key)["allow"] == "POST, OPTIONS")
        let strict = try TestServer(isDevelopment: false)
        #expect(try strict.call("POST", Self.path).status == 401)
    }

    @Test("connections and streams end with 4003, and what was issued before is refused")
    func ends() throws {
        let server = try TestServer(isDevelopment: false)
        let old = try TestServer.token("mallory")
        let path = "/v1/channels/chat:1/messages/m"
        #expect(try server.call("GET", path + "?token=\(old)").status == 200)
        let stream = try server.connect()
        try stream.send("GET", "/v1/channels/chat:1/stream?token=\(old)")
        #expect(try stream.head().status == 200)
        #expect(try stream.event().type == "subscribed")
        let before = Int64(Date().timeIntervalSince1970 * 1000)
        let answer = try server.call("POST", Self.path, headers: Self.key)
        #expect(answer.status == 200 && answer.json["user"] as? String == "mallory")
        let moment = try #require(answer.json["revoked_before"] as? Int64)
        #expect(moment >= before && moment < before + 60_000)
        let refused = try server.call("GET", path + "?token=\(old)")
        #expect(refused.status == 401 && refused.code == "unauthorized")
        let new = try JSONWebToken.sign(
            .init(sub: "mallory", exp: 4e9, iat: Double(moment + 1) / 1000), secret: Array(TestServer.secret.utf8))
        // It comes from the future for the rest of this millisecond.
        while try server.call("GET", path + "?token=\(new)").status != 200 {}
        #expect(try server.call("GET", path + "?token=\(try TestServer.token("ada"))").status == 200)
        let goodbye = try stream.event()
        #expect(goodbye.type == "goodbye" && goodbye.json["code"] as? Int == 4003)
        #expect(goodbye.json["retry_after_ms"] is NSNull && goodbye.retry == nil)
        #expect(try stream.isAtEnd())
    }

    @Test("where the store cannot take it, nothing is revoked")
    func outage() throws {
        let server = try TestServer(isDevelopment: false)
        server.store.setBroken(true)
        let answer = try server.call("POST", Self.path, headers: Self.key)
        #expect(answer.status == 503 && answer.code == "unavailable")
        let token = try TestServer.token("mallory")
        #expect(try server.call("GET", "/v1/channels/chat:1/messages/m?token=\(token)").status == 200)
    }

    @Test("a server's key that reacts for nobody is told what is missing")
    func noUser() throws {
        let server = try TestServer()
        let path = "/v1/channels/chat:1/messages/m/reactions/%F0%9F%91%8D"
        let answer = try server.call("PUT", path, headers: Self.key)
        #expect(answer.status == 403 && (answer.json["message"] as? String)?.contains("?user=") == true)
    }
}
