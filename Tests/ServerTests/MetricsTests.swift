import Foundation
import Testing

@testable import Server

/// `GET /metrics`, in Prometheus' text format 0.0.4.
@Suite(.timeLimit(.minutes(5))) struct MetricsTests {
    @Test("what was done is counted where it belongs")
    func counts() throws {
        let server = try TestServer()
        let follower = try server.connectWebSocket("cy")
        _ = try follower.request(#""type":"subscribe","channel":"chat:1""#)
        let path = "/v1/channels/chat:1/messages/m/reactions/%F0%9F%91%8D?user=ada"
        for _ in 0..<2 { _ = try server.call("PUT", path, headers: ["Idempotency-Key": "k"]) }
        _ = try server.call("PUT", path)
        _ = try server.call("PUT", "/v1/channels/chat:1/messages/m/reactions/x?user=ada")
        _ = try server.call("GET", "/v1/channels/nowhere:1/messages?user=ada")
        try follower.send("{")
        #expect(try follower.receive()["type"] as? String == "added")
        #expect(try follower.receive()["type"] as? String == "error")
        for (name, value) in [
            (#"fanfare_reactions_total{result="added"}"#, 1.0), (#"fanfare_reactions_total{result="duplicate"}"#, 1),
            (#"fanfare_reactions_total{result="unchanged"}"#, 1), (#"fanfare_reactions_total{result="removed"}"#, 0),
            (#"fanfare_requests_total{type="add"}"#, 4), (#"fanfare_requests_total{type="subscribe"}"#, 1),
            (#"fanfare_requests_total{type="invalid"}"#, 1), (#"fanfare_errors_total{code="invalid_reaction"}"#, 1),
            (#"fanfare_errors_total{code="forbidden"}"#, 1), (#"fanfare_errors_total{code="bad_request"}"#, 1),
            ("fanfare_events_total", 1), ("fanfare_deliveries_total", 1), ("fanfare_connections", 1),
            ("fanfare_subscriptions", 1), ("fanfare_channels", 1), ("fanfare_commit_seconds_count", 1),
            ("fanfare_commit_records_count", 1), (#"fanfare_commit_seconds_bucket{le="+Inf"}"#, 1),
            ("fanfare_lagged_total", 0), (#"fanfare_closed_total{code="1003"}"#, 0),
        ] {
            #expect(try server.metric(name) == value, "\(name)")
        }
        #expect(try server.metric("fanfare_bytes_sent_total") ?? 0 > 500)
    }

    @Test("how long an ack and a delivery took is counted, and what HTTP answered")
    func times() throws {
        let server = try TestServer()
        let follower = try server.connectWebSocket("cy")
        _ = try follower.request(#""type":"subscribe","channel":"chat:1""#)
        for emoji in ["%F0%9F%91%8D", "%F0%9F%91%8D", "x"] {
            _ = try server.call("PUT", "/v1/channels/chat:1/messages/m/reactions/\(emoji)?user=ada")
        }
        #expect(try follower.receive()["type"] as? String == "added")
        for (name, value) in [
            ("fanfare_ack_seconds_count", 2.0), ("fanfare_delivery_seconds_count", 1),
            (#"fanfare_http_responses_total{status="4xx"}"#, 1), (#"fanfare_http_responses_total{status="1xx"}"#, 1),
            ("fanfare_waiting_requests", 0), ("fanfare_outbound_bytes", 0), ("fanfare_blocked_connections", 0),
            ("fanfare_store_waiting_records", 0), ("fanfare_commit_failures_total", 0),
            ("fanfare_shared_log_lost_batches_total", 0),
            (#"fanfare_build_info{version="0.1.0"}"#, 1),
        ] {
            #expect(try server.metric(name) == value, "\(name)")
        }
        #expect(try server.metric("fanfare_ack_seconds_sum") ?? 0 > 0)
        #expect(try server.metric("fanfare_loop_turn_seconds_count") ?? 0 > 5)
        #expect(try server.metric("fanfare_bytes_received_total") ?? 0 > 500)
    }

    @Test("what waits for the store, and what it refuses, is told")
    func waiting() throws {
        let server = try TestServer()
        let path = "/v1/channels/chat:1/messages/m/reactions/%F0%9F%91%8D?user="
        server.store.hold()
        let sockets = try (0..<3).map { _ in try server.connect() }
        for (number, socket) in sockets.enumerated() { try socket.send("PUT", path + "u\(number)") }
        try server.awaitMetric("fanfare_waiting_requests", 3)
        server.store.release()
        for socket in sockets { #expect(try socket.answer().status == 200) }
        #expect(try server.metric("fanfare_waiting_requests") == 0)
        server.store.setBroken(true)
        #expect(try server.call("PUT", path + "dee").code == "unavailable")
        #expect(try server.metric("fanfare_commit_failures_total") == 1)
    }

    @Test("the process is told of as the system knows it")
    func process() throws {
        let server = try TestServer()
        let now = Date().timeIntervalSince1970
        #expect(try server.metric("process_cpu_seconds_total") ?? 0 > 0)
        #expect(try server.metric("process_resident_memory_bytes") ?? 0 > 1_000_000)
        let start = try server.metric("process_start_time_seconds") ?? 0
        #expect(start > now - 36_000 && start < now + 1)
        let before = try server.metric("process_open_fds") ?? 0
        let sockets = try (0..<20).map { _ in try server.connect() }
        #expect(try server.metric("process_open_fds") ?? 0 >= before + 20)
        #expect(try server.metric("process_max_fds") ?? 0 > before + 20)
        #expect(sockets.count == 20)
    }

    @Test("the text is what the format asks for: help and type before each name, units, and buckets that only grow")
    func format() throws {
        let server = try TestServer()
        _ = try server.call("PUT", "/v1/channels/chat:1/messages/m/reactions/%F0%9F%91%8D?user=ada")
        let answer = try server.call("GET", "/metrics")
        #expect(answer["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        #expect(answer.text.hasSuffix("\n"))
        var families = try MetricsParser(answer.text).families
        for family in families {
            #expect(family.name.wholeMatch(of: /[a-z][a-z0-9_]*/) != nil)
            #expect(family.help.hasSuffix(".") && family.samples.isEmpty == false, "\(family.name)")
            #expect((family.kind == "counter") == family.name.hasSuffix("_total"), "\(family.name)")
            if family.kind == "histogram" { try checkHistogram(family) }
            #expect(Set(family.samples.map(\.key)).count == family.samples.count, "\(family.name) has one twice")
        }
        families.removeAll { $0.name.hasPrefix("process_") }
        #expect(Set(families.map(\.name)).count == families.count)
    }

    private func checkHistogram(_ family: MetricsParser.Family) throws {
        let buckets = family.samples.filter { $0.name == family.name + "_bucket" }
        let bounds = buckets.map { $0.labels["le"] == "+Inf" ? .infinity : Double($0.labels["le"] ?? "") ?? .nan }
        #expect(bounds == bounds.sorted() && bounds.last == .infinity, "\(family.name)")
        #expect(buckets.map(\.value) == buckets.map(\.value).sorted(), "\(family.name)")
        #expect(family.samples.first { $0.name == family.name + "_count" }?.value == buckets.last?.value)
        #expect(family.samples.contains { $0.name == family.name + "_sum" })
        #expect(family.samples.count == buckets.count + 2)
    }
}
