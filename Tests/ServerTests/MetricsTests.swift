import Testing

@testable import Server

/// `GET /metrics`, in Prometheus' text format 0.0.4.
@Suite(.timeLimit(.minutes(1))) struct MetricsTests {
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

    @Test("each line has the form of the format, each name its type, and buckets only grow")
    func format() throws {
        let server = try TestServer()
        _ = try server.call("PUT", "/v1/channels/chat:1/messages/m/reactions/%F0%9F%91%8D?user=ada")
        let answer = try server.call("GET", "/metrics")
        #expect(answer["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        var types: Set<Substring> = []
        var bucket = (name: Substring(""), value: 0.0)
        for line in answer.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let words = line.split(separator: " ")
            if line.hasPrefix("# TYPE ") { types.insert(words[2]) }
            guard !line.hasPrefix("#") else { continue }
            let value = try #require(words.count == 2 ? Double(words[1]) : nil, "\(line)")
            let name = words[0].prefix { $0 != "{" }
            let family = ["_bucket", "_sum", "_count"].first { name.hasSuffix($0) }.map { name.dropLast($0.count) }
            #expect(types.contains(name) || family.map(types.contains) == true, "\(line)")
            guard name.hasSuffix("_bucket") else { continue }
            #expect(name != bucket.name || value >= bucket.value, "\(line)")
            bucket = (name, value)
        }
        #expect(types.count == 13)
    }
}
