import Broker
import HTTP
import Testing
import Transport
import Wire

@testable import fanfare

@Suite("fanfare top")
struct TopTests {
    private static func status(at time: Int64, _ change: (inout BrokerStatus) -> Void = { _ in }) -> BrokerStatus {
        var status = BrokerStatus(
            time: time, version: "1.2.3", startedAt: 1_000, serving: true, loops: 2, store: .init(kind: "sqlite"))
        status.latency.boundsUs = [100, 200, 400]
        status.latency.acks = [0, 0, 0, 0]
        change(&status)
        return status
    }

    @Test("rates are those between two answers, and since the start after one")
    func rates() {
        var figures = TopFigures(Self.status(at: 11_000) { $0.counters.changes = 50 })
        #expect(figures.rate(\.changes) == 5)
        figures.take(Self.status(at: 13_000) { $0.counters.changes = 56 })
        #expect(figures.rate(\.changes) == 3 && figures.seconds == 2)
    }

    @Test("a broker that was started again begins anew, and no rate is ever negative")
    func restarted() {
        var figures = TopFigures(Self.status(at: 11_000) { $0.counters.changes = 50 })
        figures.take(
            Self.status(at: 22_000) { status in
                status.startedAt = 20_000
                status.counters.changes = 8
            })
        #expect(figures.rate(\.changes) == 4)
        figures.take(
            Self.status(at: 23_000) { status in
                status.startedAt = 20_000
                status.counters.changes = 2
            })
        #expect(figures.rate(\.changes) == 0)
        figures.take(Self.status(at: 23_000) { $0.startedAt = 20_000 })
        #expect(figures.seconds == 3)
    }

    @Test(
        "quantiles are spread evenly inside a range, and end with the last bound",
        arguments: [
            ([10, 0, 0, 0], 0.5, 50.0), ([10, 10, 0, 0], 0.5, 100), ([10, 10, 0, 0], 0.75, 150),
            ([0, 0, 4, 0], 1, 400),
            ([0, 0, 0, 3], 0.5, 400), ([1, 0, 0, 99], 0.5, 400), ([0, 0, 0, 0], 0.5, nil), ([], 0.5, nil),
        ] as [([UInt64], Double, Double?)])
    func quantiles(counts: [UInt64], share: Double, expected: Double?) {
        let figures = TopFigures(Self.status(at: 2_000) { $0.latency.acks = counts })
        #expect(figures.quantile(share, of: \.acks) == expected)
    }

    @Test("quantiles are of what came between two answers")
    func laterQuantiles() {
        var figures = TopFigures(Self.status(at: 2_000) { $0.latency.acks = [90, 0, 0, 0] })
        figures.take(Self.status(at: 3_000) { $0.latency.acks = [90, 0, 10, 0] })
        #expect(figures.quantile(0.5, of: \.acks) == 300)
    }

    @Test(
        "numbers have one decimal, whatever comes",
        arguments: [(0, "0.0"), (0.25, "0.3"), (87.56, "87.6"), (1e30, "100000000000000000.0"), (-1, "0.0")])
    func decimals(number: Double, text: String) {
        #expect(decimal(number) == text)
    }

    @Test("the screen tells what is busy, slow and wrong, and fits")
    func screen() {
        let status = Self.status(at: 61_000) { status in
            status.busiest.windowMs = 2_000
            status.busiest.channels = [.init(channel: "chat:42", changes: 9, subscriptions: 3)]
            status.busiest.messages = [.init(channel: "chat:42", message: "", changes: 5)]
            var reader = BrokerStatus.SlowReader(connection: "c-0-1-0")
            reader.user = "\u{1B}[31mada"
            reader.waitingBytes = 2_048
            reader.stalledMs = 3_000
            status.slowReaders = [reader]
            status.problems = [.init(at: 5_000, level: "error", line: "the store refused\u{1B}[2J")]
        }
        var board = TopBoard(TopFigures(status), clock: WallClock(offset: 3600) { 0 })
        func texts(_ width: Int, _ height: Int) -> [String] {
            board.rows(width: width, height: height).map { $0.pieces.map(\.text).joined(separator: " ") }
        }
        let rows = texts(100, 50)
        #expect(rows[0] == "● fanfare 1.2.3 up 1m 0s q quits")
        #expect(rows.contains("chat:42 4.5 3"), "\(rows)")
        #expect(rows.contains("chat:42  (the channel) 2.5"), "\(rows)")
        #expect(rows.contains("c-0-1-0  ?[31mada 2.0 KiB 3s"), "\(rows)")
        #expect(rows.last == "01:00:05 error: the store refused?[2J")
        #expect(texts(30, 5).count == 5 && texts(0, 5).isEmpty && texts(5, 0).isEmpty)
        for row in board.rows(width: 30, height: 60) { #expect(row.end <= 30) }
        board.failure = "no answer"
        #expect(texts(100, 1) == ["● fanfare 1.2.3 no answer q quits"])
    }

    @Test("what keeps the channels is told, and what is wrong with it, also by an older broker")
    func store() {
        func row(_ store: BrokerStatus.Store) -> String? {
            let status = Self.status(at: 61_000) { $0.store = store }
            return TopBoard(TopFigures(status), clock: WallClock(offset: 0) { 0 }).rows(width: 100, height: 50)
                .map { $0.pieces.map(\.text).joined(separator: " ") }.first { $0.hasPrefix("store ") }
        }
        #expect(row(.init(kind: "nats")) == "store nats takes changes")
        let fault = "the store cannot be read"
        #expect(row(.init(kind: "sqlite", healthy: false, fault: fault)) == "store sqlite: the store cannot be read")
        #expect(row(.init(kind: "sqlite", healthy: false)) == "store sqlite REFUSES changes")
    }

    @Test(
        "memory is told with what bounds it",
        arguments: [
            (
                1_048_576, "memory_bytes", "30.0 MiB, 3000.0 % of 1.0 MiB (memory_bytes)",
                "memory_limit=1048576B memory_used=3000.0%"
            ),
            (
                314_572_800, nil as String?, "30.0 MiB, 10.0 % of 300.0 MiB",
                "memory_limit=314572800B memory_used=10.0%"
            ), (0, nil, "30.0 MiB", "memory=31457280B memory_limit=0B"),
        ])
    func memory(limit: UInt64, bound: String?, words: String, figures: String) {
        let status = Self.status(at: 61_000) { status in
            status.present.memoryBytes = 31_457_280
            status.present.memoryLimitBytes = limit
            status.present.memoryLimitBy = bound
            status.present.memoryUsedRatio = limit == 0 ? 0 : 31_457_280 / Double(limit)
        }
        let board = TopBoard(TopFigures(status), clock: WallClock(offset: 0) { 0 })
        let rows = board.rows(width: 200, height: 50).map { $0.pieces.map(\.text).joined(separator: " ") }
        #expect(rows.contains { $0.contains("process") && $0.contains(words + " · cpu") }, "\(rows)")
        #expect(TopFigures(status).line.contains(figures))
    }

    @Test("log lines end with their trace, as text and as JSON")
    func traces() throws {
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        let context = try #require(TraceContext("00-\(trace)-00f067aa0ba902b7-01"))
        let said = Said()
        let log = BrokerLog { said.add($0) }
        log.error("it \"failed\"", trace: context)
        log.info("plain")
        let lines = said.entries
        #expect(LogForm.textLine(lines[0]) == "error: it \"failed\" [trace \(trace)-00f067aa0ba902b7]")
        #expect(LogForm.textLine(lines[1]) == "info: plain")
        #expect(
            LogForm.jsonLine(lines[0]).hasSuffix(
                #""level":"error","message":"it \"failed\"","trace_id":"\#(trace)","parent_id":"00f067aa0ba902b7"}"#))
        #expect(LogForm.jsonLine(lines[1]).hasSuffix(#""level":"info","message":"plain"}"#))
    }
}

/// What was said in a log.
private final class Said: Sendable {
    private let said = Locked<[BrokerLog.Entry]>([])

    var entries: [BrokerLog.Entry] { said.withLock { $0 } }

    func add(_ entry: BrokerLog.Entry) { said.withLock { $0.append(entry) } }
}
