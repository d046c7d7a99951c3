import Testing

@testable import LoadGenerator

@Suite struct ClockReadingTests {
    @Test func `The quickest answer tells the other clock, and half its way is the error`() {
        var reading = Coordinator.ClockReading()
        reading.take(sent: 1000, received: 1400, theirs: 9200)
        #expect(reading == Coordinator.ClockReading(ahead: 8000, error: 200))
        reading.take(sent: 2000, received: 2100, theirs: 10_080)
        #expect(reading == Coordinator.ClockReading(ahead: 8030, error: 50))
        reading.take(sent: 3000, received: 4000, theirs: 99_999)
        #expect(reading.error == 50, "a slower answer tells nothing new")
    }
}

@Suite struct CoordinatorTests {
    @Test(arguments: [["127.0.0.1:9", "127.0.0.1:9"], ["127.0.0.1:9", "127.0.0.1:10", "localhost:9"]])
    func `A worker that is named twice is refused at once`(workers: [String]) throws {
        let plan = Plan(.fanout, target: try Target("ws://127.0.0.1:8080"))
        #expect {
            try Coordinator(plan, workers: workers).run(
                interruption: Interruption(), words: { _ in [] }, show: { _ in })
        } throws: { error in
            guard case LoadError.contradiction(let words) = error else { return false }
            return words.contains("one and the same")
        }
    }

    @Test func `A coordinator that is interrupted before it has reached its workers ends`() throws {
        let plan = Plan(.fanout, target: try Target("ws://127.0.0.1:8080"))
        let worker = try Worker(listening: "127.0.0.1:0")
        let interruption = Interruption()
        interruption.request()
        #expect(throws: LoadError.interrupted) {
            try Coordinator(plan, workers: [worker.address]).run(
                interruption: interruption, words: { _ in [] }, show: { _ in })
        }
        worker.run(interruption: interruption) { _ in plan }
    }
}

@Suite struct TransferTests {
    private func report(_ values: ClosedRange<UInt64>, lost: Double) throws -> Report {
        var report = Report(Plan(.fanout, target: try Target("ws://127.0.0.1:8080")))
        var histogram = Histogram()
        for value in values { histogram.record(value * 37) }
        report.set(Metric.latency, histogram)
        report[.lost] = lost
        report[.loopCPU] = Double(values.lowerBound)
        report[.loopDelay] = Double(values.upperBound)
        report.errorCodes = ["rate_limited": 2]
        report.closeCodes = [1012: 1]
        return report
    }

    @Test func `Reports of several processes add up, and their distributions merge without loss`() throws {
        let one = try report(1...1000, lost: 1)
        let other = try report(500...4000, lost: 2)
        var sum = Report(one.plan)
        for (part, name) in [(one, "a"), (other, "b")] {
            let sent = try JSON(reading: part.transfer.description)
            let isRead = sum.add(sent, from: name)
            #expect(isRead)
        }
        var merged = try #require(one.histograms[Metric.latency])
        merged.merge(try #require(other.histograms[Metric.latency]))
        #expect(sum.histograms[Metric.latency] == merged)
        #expect(sum[.lost] == 3)
        #expect(sum[.loopCPU] == 500, "a share is the largest")
        #expect(sum[.loopDelay] == 4000, "and so is a delay")
        #expect(sum.errorCodes == ["rate_limited": 4] && sum.closeCodes == [1012: 2])
    }

    @Test func `A doubt of one process is a doubt of all`() throws {
        var busy = try report(1...10, lost: 0)
        busy[.loopCPU] = 95
        busy.judge()
        var sum = Report(busy.plan)
        let isRead = sum.add(busy.transfer, from: "10.0.0.5:9199")
        #expect(isRead)
        sum.judge()
        #expect(!sum.isValid && sum.text.contains("INVALID: 10.0.0.5:9199: a loop"))
        #expect(sum.text.ranges(of: "INVALID").count == 1, "it is said once")
    }

    @Test func `A process that was interrupted makes the sum so, and what it noted is noted`() throws {
        var one = try report(1...10, lost: 0)
        one.isInterrupted = true
        one.notes = ["nobody left"]
        var sum = Report(one.plan)
        let isRead = sum.add(one.transfer, from: "a")
        #expect(isRead && sum.isInterrupted && sum.notes == ["a: nobody left"])
    }

    @Test func `What lacks a process's part is incomplete, and fails`() throws {
        var sum = try report(1...10, lost: 0)
        sum.errorCodes = [:]
        sum.missingParts = ["worker b (the connection ended)"]
        sum.judge()
        #expect(!sum.isOK && sum.json.contains(#""incomplete":true"#))
        #expect(sum.text.contains("FAILED: incomplete: without worker b (the connection ended)\n"))
    }

    @Test(arguments: [
        "{}", "null",
        #"{"values":{},"histograms":{"latency_ms":{"max":1,"counts":[999999999,1]}},"errors":{},"closes":{},"doubts":[]}"#,
        #"{"values":{},"histograms":{"latency_ms":{"max":-1,"counts":[]}},"errors":{},"closes":{},"doubts":[]}"#,
        #"{"values":{},"histograms":{"latency_ms":{"max":1,"counts":[1]}},"errors":{},"closes":{},"doubts":[]}"#,
    ])
    func `What is no report is refused`(text: String) throws {
        var report = Report(Plan(.fanout, target: try Target("ws://127.0.0.1:8080")))
        let isRead = report.add(try JSON(reading: text), from: "a")
        #expect(!isRead)
    }
}
