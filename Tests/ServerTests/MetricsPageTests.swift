import Foundation
import Testing

@testable import Broker
@testable import Server

/// The page that tells of the metrics tells of all of them, as they are.
@Suite(.timeLimit(.minutes(5))) struct MetricsPageTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Server/Documentation.docc/Metrics.md")

    /// What the page's tables say: each name with its kind.
    private func told() throws -> [String: String] {
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        var kinds: [String: String] = [:]
        for row in page.matches(of: /(?m)^\| `([a-z_]+)` \| ([a-z]+) \|/) { kinds[String(row.1)] = String(row.2) }
        return kinds
    }

    @Test("every exported name is on the page with its kind, and the reverse")
    func names() throws {
        var outbound = HubMetrics()
        outbound.webhooks["chat"] = WebhookMetrics()
        outbound.hooks.count(.connect, .allowed)
        var more = MetricsText()
        outbound.write(to: &more)
        let families = try MetricsParser(try TestServer().call("GET", "/metrics").text + more.lines).families
        let exported = Dictionary(families.map { ($0.name, $0.kind) }) { first, _ in first }
        #expect(exported == (try told()))
    }

    @Test("each bound has a label, and heartbeat_ms, which is none, has not")
    func bounds() throws {
        let text = try TestServer().call("GET", "/metrics").text
        let labels = text.matches(of: /fanfare_limit_hits_total\{limit="([a-z_]+)"\}/).map { String($0.1) }
        let expected = LimitName.allCases.map(\.rawValue).filter { $0 != "heartbeat_ms" }
        #expect(labels.sorted() == expected.sorted())
    }
}
