import Broker
import Foundation
import Testing
import Wire

@testable import Server

/// `GET /v1/status` and `GET /v1/settings`, and the dashboard that shows them.
@Suite(.timeLimit(.minutes(5))) struct StatusTests {
    static let key = ["Authorization": "Bearer \(TestServer.serverKey)"]

    private func status(_ server: TestServer) throws -> BrokerStatus {
        let answer = try server.call("GET", "/v1/status", headers: Self.key)
        #expect(answer.status == 200 && answer["cache-control"] == "no-store", "\(answer.text)")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(BrokerStatus.self, from: Data(answer.body))
    }

    @Test("a server's key may look, and in development mode who shows none", arguments: ["/v1/status", "/v1/settings"])
    func whoMay(path: String) throws {
        let moderator = try TestServer.token("mod", channels: [.init(pattern: "*", can: ["moderate"])])
        for isDevelopment in [true, false] {
            let server = try TestServer(isDevelopment: isDevelopment)
            func status(_ headers: [String: String], _ target: String = path) throws -> Int {
                let answer = try server.call("GET", target, headers: headers)
                #expect(answer.status == 200 || answer.code == "unauthorized", "\(answer.text)")
                return answer.status
            }
            #expect(try status(Self.key) == 200)
            #expect(try status([:]) == (isDevelopment ? 200 : 401))
            #expect(try status([:], path + "?user=mod") == (isDevelopment ? 200 : 401))
            #expect(try status(["Authorization": "Bearer \(TestServer.serverKey)x"]) == 401)
            #expect(try status(["Authorization": TestServer.serverKey]) == 401)
            #expect(try status(["Authorization": "Bearer \(moderator)"]) == 401)
            #expect(try status([:], path + "?token=\(TestServer.serverKey)") == (isDevelopment ? 200 : 401))
            #expect(try server.call("POST", path, headers: Self.key)["allow"] == "GET, HEAD, OPTIONS")
        }
    }

    @Test("it counts what happens, and says what is there")
    func counts() throws {
        let server = try TestServer(limits: { $0.connections = 77 })
        let before = try status(server)
        #expect(before.counters.changes == 0 && before.present.connections == 0 && before.serving)
        #expect(before.store == BrokerStatus.Store(kind: "memory"))
        #expect(before.nats == nil && before.loops == 1 && before.startedAt < before.time)
        let socket = try server.connectWebSocket("ada")
        _ = try socket.request(#""type":"subscribe","channel":"chat:1""#)
        _ = try socket.request(#""type":"add","channel":"chat:1","message":"m","reaction":"👍""#)
        _ = try socket.request(#""type":"add","channel":"chat:1","message":"m","reaction":"no""#)
        // The ack and the event are counted when they are written, which may be after they are read here.
        var after = try status(server)
        while after.latency.acks.reduce(0, +) == 0 || after.latency.deliveries.reduce(0, +) == 0 {
            after = try status(server)
        }
        #expect(after.counters.changes == 1 && after.counters.deliveries == 1 && after.counters.refusals == 1)
        #expect(after.counters.requests == 3 && after.counters.bytesSent > before.counters.bytesSent)
        #expect(after.present.connections == 1 && after.present.subscriptions == 1 && after.present.channels == 1)
        #expect(after.present.connectionsLimit == 77 && after.present.memoryBytes > 1_000_000)
        #expect(after.present.memoryLimitBytes > 0 && after.present.memoryUsedRatio > 0)
        #expect(after.latency.acks.count == after.latency.boundsUs.count + 1)
        #expect(after.latency.acks.reduce(0, +) == 1 && after.latency.commits.reduce(0, +) == 1)
    }

    @Test("a store that refuses is told, and so are the last lines of the log")
    func trouble() throws {
        let server = try TestServer()
        server.store.setBroken(true)
        let path = "/v1/channels/chat:1/messages/m/reactions/%F0%9F%91%8D?user=ada"
        #expect(try server.call("PUT", path).status == 503)
        let status = try status(server)
        #expect(!status.store.healthy && status.counters.commitFailures == 1 && status.counters.serverErrors == 1)
        #expect(status.problems.map(\.level) == ["error", "warning"])
        #expect(status.problems[0].line.contains("broken by a test"), "\(status.problems)")
        #expect(status.problems[1].line == "an HTTP request (PUT) was answered with 503")
    }

    @Test("the settings are those in force: what needs a restart stays as it was")
    func settings() throws {
        let server = try TestServer()
        var others = server.server.started
        others.report = [
            SettingRow(name: "listen[0].address", value: "elsewhere", source: "a reload"),
            SettingRow(name: "origins", value: "none", source: "a reload"),
        ]
        func rows() throws -> [[String: String]] {
            try #require(
                try server.call("GET", "/v1/settings", headers: Self.key).json["settings"] as? [[String: String]])
        }
        let before = try rows()
        #expect(before.map { $0["source"] } == ["a test", "a test"])
        #expect(server.server.reload(others).kept == 0)
        let after = try rows()
        #expect(after[0] == before[0])
        #expect(after[1] == ["name": "origins", "value": "none", "source": "a reload"])
    }

    @Test("the dashboard is served to all, in no frame of another page, and its files beside it")
    func dashboard() throws {
        let server = try TestServer(isDevelopment: false)
        let page = try server.call("GET", "/dashboard")
        #expect(page.status == 200 && page["content-type"] == "text/html; charset=utf-8")
        #expect(page["x-frame-options"] == "DENY" && page["referrer-policy"] == "no-referrer")
        var known: Set<String> = []
        for file in page.text.matches(of: /(?:href|src)="(dashboard\/[a-z.-]+)"/) {
            let answer = try server.call("GET", "/" + file.1)
            #expect(answer.status == 200, "\(file.1)")
            known.insert(String(file.1))
            for module in answer.text.matches(of: /from "\.\/([a-z.-]+)"/) {
                #expect(try server.call("GET", "/dashboard/" + module.1).status == 200, "\(module.1)")
            }
        }
        #expect(known == ["dashboard/dashboard.css", "dashboard/dashboard.js"])
        #expect(try server.call("GET", "/dashboard/else.js").status == 404)
    }

    @Test("the example on the page of the dashboard is a status, with all of its fields")
    func example() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Server/Documentation.docc/Dashboard.md")
        let text = try #require(
            try String(contentsOf: page, encoding: .utf8).firstMatch(of: /(?s)```json\n(.*?)```/)?.1)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let status = try decoder.decode(BrokerStatus.self, from: Data(text.utf8))
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        func names(_ data: Data) throws -> Set<String> {
            var found: Set<String> = []
            func visit(_ value: Any, _ path: String) {
                if let object = value as? [String: Any] {
                    for (name, value) in object {
                        found.insert(path + name)
                        visit(value, path + name + ".")
                    }
                } else if let list = value as? [Any] {
                    for value in list { visit(value, path) }
                }
            }
            visit(try JSONSerialization.jsonObject(with: data), "")
            return found
        }
        #expect(try names(Data(text.utf8)) == names(encoder.encode(status)))
    }
}
