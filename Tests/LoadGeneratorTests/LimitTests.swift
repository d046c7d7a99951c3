import Testing

@testable import LoadGenerator

@Suite struct LimitTests {
    private func limit(held: Double?, broke: Double?, isInterrupted: Bool = false) throws -> Limit {
        let plan = Plan(.fanout, target: try Target("ws://127.0.0.1:8080"))
        var limit = Limit(subject: .rate, plan: plan)
        for (amount, reason) in [(held, nil), (broke, "threshold p99>1ms broke: \"2 ms\"")] as [(Double?, String?)] {
            guard let amount else { continue }
            var report = Report(plan)
            var latency = Histogram()
            latency.record(UInt64(amount))
            report.set(Metric.latency, latency)
            limit.steps.append(.init(amount: amount, report: report, reason: reason, isGeneratorsLimit: false))
        }
        limit.held = held
        limit.broke = broke
        limit.isInterrupted = isInterrupted
        return limit
    }

    @Test(
        arguments: [
            (nil, nil, "nothing had held, and nothing had broken"), (100.0, nil, "100/s held, and nothing had broken"),
            (100, 200, "100/s held, and 200/s did not"),
        ] as [(Double?, Double?, String)])
    func `An interrupted search has found no limit, and says what it knows`(
        held: Double?, broke: Double?, words: String
    ) throws {
        let limit = try limit(held: held, broke: broke, isInterrupted: true)
        #expect(!limit.isFound)
        #expect(limit.text.hasPrefix("interrupted: the limit was not found; by then "))
        #expect(limit.text.contains(words) && !limit.text.contains("nothing broke"))
        #expect(limit.json.contains(#""interrupted":true"#))
        #expect(limit.csv.hasSuffix(",interrupted\r\n"))
        #expect(limit.junit.contains(#"errors="1""#) && limit.junit.contains("<error message=\"interrupted"))
        #expect(limit.html.contains("interrupted: the limit was not found"))
    }

    @Test func `A search has its steps in every file`() throws {
        let limit = try limit(held: 100, broke: 200)
        #expect(limit.isFound)
        #expect(limit.text == "limit: 100/s held; 200/s did not (threshold p99>1ms broke: \"2 ms\")\n")
        #expect(limit.csv.hasPrefix("rate,held,p50_ms,p99_ms,server_cpu_percent,generator_limit,reason\r\n"))
        #expect(limit.csv.contains("\r\n200,no,0.200,0.200,,no,\"threshold p99>1ms broke: \"\"2 ms\"\"\"\r\n"))
        #expect(limit.json.contains(#"{"amount":100,"held":true,"reason":null,"p50_ms":0.1,"p99_ms":0.1"#))
        #expect(limit.junit.contains(#"failures="0" errors="0""#))
        #expect(limit.html.contains("<svg") && limit.html.contains("p99&gt;1ms") && limit.html.hasSuffix("</html>\n"))
    }

    @Test func `A search in which nothing held fails`() throws {
        let limit = try limit(held: nil, broke: 1)
        #expect(!limit.isFound && limit.text.contains("not even 1/s held"))
        #expect(limit.junit.contains(#"failures="1" errors="0""#))
    }
}
