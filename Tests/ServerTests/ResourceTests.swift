import Foundation
import Synchronization
import Testing

@testable import Server

/// PROTOCOL.md section 10, row by row.
@Suite(.timeLimit(.minutes(5))) struct ResourceTests {
    static let messages = "/v1/channels/chat%3A1/messages"
    static let thumb = "%F0%9F%91%8D"

    let server: TestServer

    init() throws {
        server = try TestServer()
    }

    func call(
        _ method: String, _ path: String, _ body: String? = nil, user: String = "ada", headers: [String: String] = [:]
    ) throws -> Answer {
        let mark = path.contains("?") ? "&" : "?"
        return try server.call(method, Self.messages + path + mark + "user=" + user, body, headers: headers)
    }

    /// A JSON object as text with sorted names, so that two can be compared whole.
    func canonical(_ object: [String: Any]) throws -> String {
        let data = try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])
        return String(decoding: data, as: UTF8.self)
    }

    @Test("GET message: a SUMMARY plus channel, epoch and seq; a bare message has total 0")
    func message() throws {
        let bare = try call("GET", "/m1")
        #expect(bare.status == 200 && bare["content-type"] == "application/json")
        #expect(
            bare.text == #"{"channel":"chat:1","epoch":"e1","seq":0,"message":"m1","total":0,"reactions":[],"own":[]}"#)
        _ = try call("PUT", "/m1/reactions/\(Self.thumb)")
        let summary = try call("GET", "/m1").json
        #expect(summary["total"] as? Int == 1 && summary["seq"] as? Int == 1)
        #expect(summary["own"] as? [String] == ["👍"])
        #expect(try call("GET", "/m1", user: "bob").json["own"] as? [String] == [])
    }

    @Test(
        "GET message: own_counts where the policy is multiple, also of a bare one; nobody named where it is anonymous")
    func messagePolicies() throws {
        let clap = "/v1/channels/clap:1/messages/m?user=ada"
        #expect(try server.call("GET", clap).text.hasSuffix(#""own":[],"own_counts":{}}"#))
        _ = try server.call("PUT", "/v1/channels/clap:1/messages/m/reactions/\(Self.thumb)?user=ada", #"{"count":7}"#)
        #expect(try server.call("GET", clap).text.hasSuffix(#""own":["👍"],"own_counts":{"👍":7}}"#))
        let anon = "/v1/channels/anon:1/messages/m"
        _ = try server.call("PUT", anon + "/reactions/\(Self.thumb)?user=ada")
        let shown = try server.call("GET", anon + "?user=bob")
        #expect(shown.json["total"] as? Int == 1 && !shown.text.contains("ada") && !shown.text.contains("latest"))
        #expect(try server.call("GET", anon + "/reactors?user=bob").code == "forbidden")
    }

    @Test("PUT adds and DELETE removes: the ack is a WebSocket's without the id")
    func addAndRemove() throws {
        let socket = try server.connectWebSocket("ada")
        for (method, type) in [("PUT", "add"), ("DELETE", "remove")] {
            let answer = try call(method, "/http/reactions/\(Self.thumb)")
            var ack = try socket.request(#""type":"\#(type)","channel":"chat:1","message":"socket","reaction":"👍""#)
            ack["id"] = nil
            var expected = answer.json
            #expect(answer.status == 200 && expected["message"] as? String == "http")
            expected["message"] = "socket"
            expected["seq"] = (expected["seq"] as? Int).map { $0 + 1 }
            #expect(try canonical(ack) == canonical(expected))
        }
    }

    @Test("PUT's body: data and count; DELETE's count")
    func bodies() throws {
        let data = try call("PUT", "/m/reactions/\(Self.thumb)", #"{"data":{"a":1.50},"later":true}"#)
        #expect(data.json["result"] as? String == "added")
        #expect(try call("GET", "/m/reactors").text.contains(#""data":{"a":1.50}"#))
        let clap = "/v1/channels/clap:1/messages/m/reactions/\(Self.thumb)"
        #expect(try server.call("PUT", clap + "?user=ada", #"{"count":5}"#).json["count"] as? Int == 5)
        #expect(try server.call("DELETE", clap + "?count=2&user=ada").json["count"] as? Int == 3)
    }

    @Test("POST toggle, with PUT's body")
    func toggle() throws {
        let path = "/m/reactions/\(Self.thumb)/toggle"
        #expect(try call("POST", path, #"{"data":{"x":1}}"#).json["result"] as? String == "added")
        #expect(try call("POST", path).json["result"] as? String == "removed")
    }

    @Test("PUT reactions sets them")
    func set() throws {
        _ = try call("PUT", "/m/reactions/\(Self.thumb)")
        let answer = try call("PUT", "/m/reactions", #"{"reactions":["🔥","🎉"]}"#).json
        #expect(answer["result"] as? String == "changed" && answer["seq"] as? Int == 4)
        #expect(answer["own"] as? [String] == ["🔥", "🎉"])
        #expect(try call("PUT", "/m/reactions", #"{"reactions":[]}"#).json["own"] as? [String] == [])
    }

    @Test("DELETE reactions clears: moderators only, narrowed by reaction and target, who is never who asks")
    func clear() throws {
        for user in ["ada", "bob"] {
            for emoji in [Self.thumb, "%F0%9F%94%A5"] { _ = try call("PUT", "/m/reactions/\(emoji)", user: user) }
        }
        #expect(try call("DELETE", "/m/reactions?target=bob").status == 403)
        let one = try call("DELETE", "/m/reactions?target=bob&reaction=\(Self.thumb)", user: "mod").json
        #expect(one["result"] as? String == "cleared" && one["removed"] as? Int == 1)
        #expect(try call("DELETE", "/m/reactions?target=mod", user: "mod").json["result"] as? String == "unchanged")
        #expect(try call("DELETE", "/m/reactions", user: "mod").json["removed"] as? Int == 3)
        _ = try call("PUT", "/m/reactions/\(Self.thumb)", user: "bob")
        _ = try call("PUT", "/n/reactions/\(Self.thumb)", user: "bob")
        #expect(try call("DELETE", "/*/reactions", user: "mod").code == "bad_request")
        #expect(try call("DELETE", "/*/reactions?target=bob", user: "mod").json["removed"] as? Int == 2)
    }

    @Test("DELETE message deletes it, and it is told as deleted from then on")
    func delete() throws {
        _ = try call("PUT", "/m/reactions/\(Self.thumb)")
        #expect(try call("DELETE", "/m").code == "forbidden")
        let answer = try call("DELETE", "/m", user: "mod").json
        #expect(answer["result"] as? String == "deleted" && answer["removed"] as? Int == 1)
        let shown = try call("GET", "/m").json
        #expect(shown["deleted"] as? Bool == true && shown["total"] as? Int == 0)
    }

    @Test("GET reactors and GET messages page as on a WebSocket")
    func pages() throws {
        for user in ["ada", "bob", "cy"] { _ = try call("PUT", "/m-\(user)/reactions/\(Self.thumb)", user: user) }
        for user in ["ada", "bob", "cy"] { _ = try call("PUT", "/m/reactions/\(Self.thumb)", user: user) }
        for (path, list, name) in [("/m/reactors", "reactors", "user"), ("", "messages", "message")] {
            var found: [String] = []
            var cursor: String? = ""
            while let after = cursor {
                let next = after.isEmpty ? "" : "&after=" + after
                let page = try call("GET", path + "?limit=1" + next).json
                found += (page[list] as? [[String: Any]] ?? []).compactMap { $0[name] as? String }
                cursor = page["after"] as? String
            }
            #expect(found == (list == "reactors" ? ["cy", "bob", "ada"] : ["m", "m-cy", "m-bob", "m-ada"]))
        }
        #expect(try call("GET", "/m/reactors?reaction=%F0%9F%94%A5").json["total"] as? Int == 0)
        #expect(try call("GET", "/m/reactors").json["total"] as? Int == 3)
    }

    @Test("the channel's own message is written -, and parts are percent-encoded UTF-8")
    func channelItself() throws {
        #expect(try call("PUT", "/-/reactions/%e2%9d%a4").json["reaction"] as? String == "❤️")
        #expect(try call("GET", "/-").json["message"] as? String == "")
        let odd = "/v1/channels/any%3Aa%2Fb/messages/m%25%3F/reactions/party_parrot?user=ada"
        let answer = try server.call("PUT", odd).json
        #expect(answer["channel"] as? String == "any:a/b" && answer["message"] as? String == "m%?")
    }

    @Test("Idempotency-Key is key, over HTTP and WebSocket alike")
    func keys() throws {
        let socket = try server.connectWebSocket("ada")
        let key = ["Idempotency-Key": "k1"]
        let first = try call("PUT", "/m/reactions/\(Self.thumb)", headers: key).json
        _ = try call("PUT", "/m/reactions/%F0%9F%94%A5")
        let again = try call("PUT", "/m/reactions/\(Self.thumb)", headers: key).json
        #expect(again["duplicate"] as? Bool == true && again["seq"] as? Int == first["seq"] as? Int)
        let add = #""type":"add","channel":"chat:1","message":"m","reaction":"👍","key":"k1""#
        #expect(try socket.request(add)["duplicate"] as? Bool == true)
        #expect(try call("DELETE", "/m/reactions/\(Self.thumb)", headers: key).code == "key_reused")
        #expect(try call("PUT", "/m/reactions/\(Self.thumb)", user: "bob", headers: key).json["duplicate"] == nil)
        let list = #""type":"remove","channel":"chat:1","message":"m","reaction":"🔥","key":"k2""#
        _ = try socket.request(list)
        let over = try call("DELETE", "/m/reactions/%F0%9F%94%A5", headers: ["Idempotency-Key": "k2"])
        #expect(over.json["duplicate"] as? Bool == true)
    }

    @Test("readyz says that the store refuses changes, until it takes one")
    func storeHealth() throws {
        server.store.setBroken(true)
        #expect(try call("PUT", "/m/reactions/\(Self.thumb)").code == "unavailable")
        let refusing = try server.call("GET", "/readyz")
        #expect(refusing.status == 503 && refusing.code == "unavailable")
        #expect(try server.call("GET", "/healthz").status == 200)
        server.store.setBroken(false)
        #expect(try call("PUT", "/m/reactions/\(Self.thumb)").status == 200)
        #expect(try server.call("GET", "/readyz").status == 200)
    }

    @Test("readyz says that the store cannot be read, and comes back by itself when it can")
    func unreadableStore() throws {
        server.store.setUnreadable { _ in true }
        #expect(try call("GET", "/m").code == "unavailable")
        // The store is looked at when a channel was not read.
        while try server.call("GET", "/readyz").status == 200 {}
        let refusing = try server.call("GET", "/readyz")
        #expect(refusing.status == 503 && refusing.text.contains("the store cannot be read"), "\(refusing.text)")
        let store = try server.call("GET", "/v1/status", headers: StatusTests.key).json["store"] as? [String: Any]
        #expect(store?["healthy"] as? Bool == false && store?["fault"] as? String == "the store cannot be read")
        #expect(try server.metric("fanfare_read_failures_total") == 1)
        server.store.setUnreadable { _ in false }
        while try server.call("GET", "/readyz").status != 200 {}
        #expect(try call("GET", "/m").status == 200)
    }

    @Test("readyz does not heed channels of which one or two cannot be read, but three in a row, until another is read")
    func damagedChannels() throws {
        func get(_ channel: Int) throws -> Int {
            try server.call("GET", "/v1/channels/chat%3A\(channel)/messages/m?user=ada").status
        }
        server.store.setUnreadable { ["chat:1", "chat:2", "chat:3"].contains($0) }
        for channel in [1, 1, 1, 2, 1] {
            #expect(try get(channel) == 503)
            #expect(try server.call("GET", "/readyz").status == 200)
        }
        #expect(try get(3) == 503)
        #expect(try server.call("GET", "/readyz").status == 503)
        #expect(try get(4) == 200)
        #expect(try server.call("GET", "/readyz").status == 200)
        #expect(try server.metric("fanfare_read_failures_total") == 6)
    }

    @Test("healthz and readyz")
    func health() throws {
        #expect(try server.call("GET", "/healthz").status == 200)
        #expect(try server.call("GET", "/readyz").status == 200)
        server.server.context.isLeaving.store(true, ordering: .relaxed)
        let ready = try server.call("GET", "/readyz")
        #expect(ready.status == 503 && ready["retry-after"] != nil && ready["connection"] == "close")
    }
}
