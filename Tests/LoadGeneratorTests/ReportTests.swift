import Foundation
import Testing

@testable import LoadGenerator

@Suite struct ReportTests {
    private func plan(_ scenario: Plan.Scenario = .fanout, thresholds: [String] = []) throws -> Plan {
        var plan = Plan(scenario, target: try Target("ws://127.0.0.1:8080"))
        plan.thresholds = try thresholds.map { try Threshold($0, scenario: scenario) }
        return plan
    }

    private func histogram(_ values: UInt64...) -> Histogram {
        var histogram = Histogram()
        values.forEach { histogram.record($0) }
        return histogram
    }

    @Test func `A run without loss or errors is all right`() throws {
        var report = Report(try plan(thresholds: ["p99>50ms", "lost>0"]))
        report[.lost] = 0
        report.set(Metric.latency, histogram(1000, 2000, 3000))
        report.judge()
        #expect(report.isOK)
        #expect(report.text.hasSuffix("\nok\n"))
    }

    @Test(arguments: [
        Metric.lost, .duplicates, .reordered, .failed, .dropped, .afterUnsubscribe, .countsWrong, .eventCountsWrong,
    ])
    func `Whatever went wrong fails the run`(metric: Metric) throws {
        var report = Report(try plan())
        report[metric] = 3
        report.judge()
        #expect(!report.isOK)
        #expect(report.text.contains("FAILED: "))
    }

    @Test func `An error fails the run and is named`() throws {
        var report = Report(try plan())
        report.errorCodes = ["rate_limited": 7, "never": 0]
        report.judge()
        #expect(!report.isOK)
        #expect(report.text.contains("rate_limited"))
        #expect(!report.text.contains("never"))
        #expect(report.json.contains(#""errors":7"#))
        #expect(report.json.contains(#""errors_by_code":{"rate_limited":7}"#))
    }

    @Test func `A broken threshold fails the run, and one without a value is broken`() throws {
        var report = Report(try plan(thresholds: ["p99>2ms", "p50>10ms", "ack_ms.p50>1"]))
        report.set(Metric.latency, histogram(3000))
        report.judge()
        #expect(!report.isOK)
        #expect(report.text.contains("FAILED: threshold p99>2ms broke: 3 ms\n"))
        #expect(report.text.contains("FAILED: threshold ack_ms.p50>1 broke: not measured\n"))
        #expect(!report.text.contains("p50>10ms broke"))
        #expect(report.json.contains(#"{"expression":"p50>10ms","broke":false}"#))
    }

    @Test(arguments: [
        (2400.0, 90.0, 500.0, true), (2600, 50, 1, false), (1, 91, 1, false), (1, 50, 501, false),
    ])
    func `A generator that was too slow says so`(lag: Double, busy: Double, behind: Double, isValid: Bool) throws {
        var report = Report(try plan())
        report.set(Metric.latency, histogram(10_000))
        report.set(Metric.lag, histogram(UInt64(lag)))
        report[.loopCPU] = busy
        report[.loopDelay] = behind
        report.judge()
        #expect(report.text.contains("INVALID: ") == !isValid)
        #expect(report.json.contains(#""valid":\#(isValid)"#))
        #expect(report[.invalid] == (isValid ? 0 : 1))
        #expect(report.isOK)
    }

    @Test func `The table has a row for each group and a column for each percentile`() throws {
        var report = Report(try plan())
        report[.opened] = 110
        report[.openedPerSecond] = 5000
        report[.delivered] = 100_000
        report[.lost] = 0
        report[.serverMemory] = 42_000_000
        report.set(Metric.latency, histogram(420, 1234))
        report.judge()
        let lines = report.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0] == "fanout  ws://127.0.0.1:8080/v1/ws")
        #expect(lines[1] == "100 subscribers, 10 publishers, chat:load, 100/s (constant) for 10.0 s")
        #expect(lines.contains("connections   opened 110   rate 5000/s"))
        #expect(lines.contains("delivered     events 100000"))
        #expect(lines.contains("correctness   lost 0   errors 0"))
        #expect(lines.contains("server        rss 40.1 MiB"))
        #expect(lines.contains("milliseconds                p50      p90      p95      p99    p99.9   p99.99      max"))
        #expect(lines.contains("  latency                 0.420     1.23     1.23     1.23     1.23     1.23     1.23"))
        #expect(lines.contains("  ack                         -        -        -        -        -        -        -"))
    }

    @Test func `JSON has every distribution, null where nothing was measured, and no number that is not there`() throws
    {
        var report = Report(try plan(.idle))
        report[.opened] = 5
        report.judge()
        #expect(
            report.json == #"{"tool":"fanfare-load","report":1,"scenario":"idle","#
                + #""target":"ws://127.0.0.1:8080/v1/ws","ok":true,"valid":true,"interrupted":false,"incomplete":false,"settings":{"connections":100,"#
                + #""subscribes":false,"channel":"chat:load","channels":1,"duration_s":10,"loops":1,"seed":1,"faults":[]},"#
                + #""connections":{"opened":5},"errors":0,"generator":{"invalid":0},"welcome_ms":{"p50":null,"#
                + #""p90":null,"p95":null,"p99":null,"p99.9":null,"p99.99":null,"max":null},"errors_by_code":{},"close_codes":{},"#
                + #""thresholds":[],"failures":[],"doubts":[],"notes":[],"timeline":[]}"#)
    }

    @Test func `JSON escapes what must be escaped`() {
        #expect(JSON.text("a\"b\\c\n\u{1}👍").description == #""a\"b\\c\n\u0001👍""#)
        #expect(
            JSON.list([.number(1.5), .number(2), .number(.nan), .null, .bool(true)]).description
                == "[1.5,2,null,null,true]")
    }

    @Test(arguments: [
        (0.1234, "0.123"), (1.234, "1.23"), (12.34, "12.3"), (123.4, "123"), (5.0, "5"), (0.0, "0"), (-1.5, "-1.50"),
        (.infinity, "-"), (0.9999, "1.000"), (1e18, "-"),
    ])
    func `Numbers are shown with about three digits`(value: Double, text: String) {
        #expect(Format.short(value) == text)
    }

    @Test func `A second's row stands under its heading`() {
        #expect(Row.heading.hasPrefix("   time  connected  published/s  delivered/s   p50 ms   p99 ms  errors"))
        #expect(row.text == "  3.0 s        110          100        10000    0.420    0.420       2  2 closed 1012")
    }

    /// A row of half a second.
    private var row: Row {
        var tally = Tally()
        tally.requests = 50
        tally.delivered = 5000
        tally.latency.record(420)
        tally.errors = ["rate_limited": 2]
        tally.closeCodes = [1012: 2]
        return Row(tally, .fanout, connected: 110, elapsed: 3_000_000_000, length: 500_000_000)
    }

    @Test func `The live view writes over what it has shown, and paints only where colours are wanted`() throws {
        var view = LiveView(try plan(), width: 80, hasColor: false)
        let first = view.show(row)
        #expect(first.contains("delivered 10000/s") && first.contains("█") && !first.contains("\u{1B}"))
        #expect(view.show(row).hasPrefix("\u{1B}[5F\u{1B}[J"))
        var painted = LiveView(try plan(), width: 80, hasColor: true)
        #expect(painted.show(row).contains("\u{1B}[34m"))
    }

    @Test func `CSV has a line for each second under the names`() throws {
        var report = Report(try plan())
        report.rows = [row]
        #expect(report.csv.hasSuffix("\r\n3.0,110,0,100,10000,0.420,0.420,2,,,,1012x2,0.500,0,50,0,5000,\r\n"))
        #expect(report.csv.hasPrefix("seconds,connected,"))
    }

    @Test func `A row's latency is that of its deliveries, and of welcomes where nothing is delivered`() {
        var tally = Tally()
        tally.welcome.record(7000)
        #expect(Row(tally, .fanout, connected: 1, elapsed: 1, length: 1).median == nil)
        #expect(Row(tally, .idle, connected: 1, elapsed: 1, length: 1).median == 7)
        tally.latency.record(3000)
        #expect(Row(tally, .fanout, connected: 1, elapsed: 1, length: 1).p99 == 3)
    }

    @Test func `A run that was interrupted is not all right, and every output says so`() throws {
        var report = Report(try plan())
        report.rows = [row, row]
        report.isInterrupted = true
        report.judge()
        #expect(!report.isOK && report.failures.isEmpty)
        #expect(report.text.hasSuffix("\ninterrupted: what was measured until then\n"))
        #expect(report.json.contains(#""ok":false,"valid":true,"interrupted":true"#))
        #expect(report.csv.hasSuffix(",5000,interrupted\r\n"))
        #expect(report.csv.split(separator: "\r\n").count { $0.hasSuffix(",interrupted") } == 1)
        #expect(report.junit.contains(#"tests="2" failures="0" errors="1""#))
        #expect(report.junit.contains(#"name="the run went on to its end"><error message="interrupted: "#))
        #expect(report.html.contains("Ended before its time") && report.html.contains("Interrupted: "))
    }

    @Test func `A generator that was held up while idle connections came is measured against their welcomes`() throws {
        var report = Report(try plan(.idle))
        report.set(Metric.welcome, histogram(8_000_000))
        report[.loopDelay] = 1900
        report.judge()
        #expect(report.isValid)
        report[.loopDelay] = 2100
        report.judge()
        #expect(report.text.contains("a quarter of welcome p99"))
    }

    @Test(arguments: [
        (Plan.Scenario.slow, [Fault](), Metric.slowLagged, "slow: "),
        (.fanout, [.throttled(percent: 10, bytesPerSecond: 1000)], .slowBehind, "throttle: "),
        (.churn, [], .left, "nobody left"), (.fanout, [.resets(perSecond: 0.01)], .left, "nobody left"),
    ])
    func `What was to happen on purpose and did not is said`(
        scenario: Plan.Scenario, faults: [Fault], metric: Metric, words: String
    ) throws {
        var plan = try plan(scenario)
        plan.faults = faults
        var tally = Tally()
        var outcome = Broadcast.Outcome()
        let moment = Moment(time: 1, processCPU: 0, loopCPU: [], loopDelay: 0, opened: 0, delivered: 0)
        var report = Report(plan)
        report.take(tally, outcome, from: moment, to: moment)
        #expect(report.notes.count == 1 && report.notes[0].hasPrefix(words), "\(report.notes)")
        #expect(report.text.contains("NOTE: \(words)"))
        tally.slowLagged = 1
        tally.left = 1
        outcome.balance.behind = 1
        var other = Report(plan)
        other.take(tally, outcome, from: moment, to: moment)
        #expect(other.notes.isEmpty && other[metric] == 1)
    }

    @Test func `JUnit has a case for the run and one for each threshold`() throws {
        var report = Report(try plan(thresholds: ["p99>2ms", "p50>10ms"]))
        report.set(Metric.latency, histogram(3000))
        report[.lost] = 1
        report.judge()
        #expect(report.junit.contains(#"tests="3" failures="2""#))
        #expect(report.junit.contains(#"name="not p99&gt;2ms"><failure message="threshold p99&gt;2ms broke: 3 ms"/>"#))
        #expect(report.junit.contains(#"name="not p50&gt;10ms"/>"#))
        #expect(report.junit.contains(#"<failure message="lost: 1"/>"#))
    }

    @Test func `The page holds its plots, and nothing that could be taken for markup`() throws {
        var report = Report(try plan())
        var latency = Histogram()
        for value in 1...1000 as ClosedRange<UInt64> { latency.record(value * 10) }
        report.set(Metric.latency, latency)
        report.rows = [row, Row(Tally(), .fanout, connected: 1, elapsed: 4_000_000_000, length: 1_000_000_000)]
        report.errorCodes = ["<script>": 1]
        report.judge()
        let page = report.html
        #expect(page.contains("&lt;script&gt;") && !page.contains("<script"))
        #expect(
            page.components(separatedBy: "<svg").count == 4, "percentiles, rates, histogram; one second has latencies")
        #expect(page.contains("Not all right"))
    }

    @Test func `A histogram's bars hold every value once`() {
        var histogram = Histogram()
        for value in [1, 5, 5, 900, 70_000_000] as [UInt64] { histogram.record(value) }
        let bars = histogram.bars(perDecade: 10)
        #expect(bars.reduce(0) { $0 + $1.count } == 5)
        #expect(zip(bars, bars.dropFirst()).allSatisfy { $0.to == $1.from })
        #expect(Histogram().bars(perDecade: 10).isEmpty)
    }
}

@Suite struct ProcessStatusTests {
    private let stat =
        "42 (a ) b) S 1 42 42 0 -1 4194560 100 0 0 0 150 50 0 0 20 0 3 0 100 1000000 500 18446744073709551615"

    @Test func `Memory and processor time are read as proc(5) has them`() throws {
        let status = "Name:\tfanfare\nVmPeak:\t   99999 kB\nVmRSS:\t   12345 kB\nThreads:\t3\n"
        let read = try #require(ProcessStatus(status: status, stat: stat, ticksPerSecond: 100))
        #expect(read.residentBytes == 12345 * 1024)
        #expect(read.cpuNanoseconds == 2_000_000_000)
    }

    @Test func `A process without memory, such as a dead one, has no status`() {
        #expect(ProcessStatus(status: "Name:\tx\nState:\tZ\n", stat: stat, ticksPerSecond: 100) == nil)
        #expect(ProcessStatus(status: "VmRSS: 1 kB\n", stat: "", ticksPerSecond: 100) == nil)
    }
}
