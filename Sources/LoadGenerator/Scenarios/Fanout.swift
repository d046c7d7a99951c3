internal import Transport

/// Subscribers receive what publishers publish, at a fixed rate.
struct Fanout {
    /// Between two calls of the publishers: what falls due in between is sent together.
    private static let finest: UInt64 = 200_000

    private let stage: Stage
    private let plan: Plan
    private let subscribers: [LoopBound<Subscribers>]
    private let publishers: LoopBound<Publishers>

    /// Sets the stage: the subscribers' loops, and one more for the publishers, whose schedule must not wait for what arrives.
    init(_ stage: Stage) throws(LoadError) {
        self.stage = stage
        let plan = stage.plan
        self.plan = plan
        let dial = stage.dial
        var generator = SeededGenerator(seed: plan.seed)
        let run = RunID(UInt32(truncatingIfNeeded: generator.next()))
        let sends = SendLog(capacity: SendLog.capacity(rate: plan.rate))
        var groups: [LoopBound<Subscribers>] = []
        for loop in 0..<plan.loops {
            let numbers = plan.subscribers * loop / plan.loops..<plan.subscribers * (loop + 1) / plan.loops
            groups.append(
                try stage.add("subscribers-\(loop + 1)") { loop in
                    Subscribers(
                        numbers, plan: plan, run: run, sends: sends,
                        connector: Connector(prefix: "sub", plan: plan, dial: dial, loop: loop))
                })
        }
        subscribers = groups
        publishers = try stage.add("publishers") { loop in
            Publishers(
                plan: plan, run: run, sends: sends,
                connector: Connector(prefix: "pub", plan: plan, dial: dial, loop: loop))
        }
    }

    /// Runs it.
    func run() throws(LoadError) -> Report {
        let before = plan.serverProcess.flatMap(ProcessStatus.read(process:))
        let began = Clock.now()
        try stage.connect(0..<subscribers.count, connections: plan.subscribers)
        try stage.connect(subscribers.count..<subscribers.count + 1, connections: plan.publishers)
        let connecting = Duration.nanoseconds(Int64(Clock.now() - began))

        var start = stage.moment()
        start.time = publish()
        let end = stage.moment()
        drain()
        stage.collect()

        let total = stage.total
        var report = stage.report(from: start, to: end, connecting: connecting, before: before)
        let seconds = Double(max(1, end.time - start.time)) / 1e9
        report[.requests] = Double(total.requests)
        report[.acked] = Double(total.acked)
        report[.requestsPerSecond] = Double(total.requests) / (plan.duration / .seconds(1))
        report[.delivered] = Double(total.delivered)
        report[.expected] = Double(stage.balance.expected)
        report[.deliveredPerSecond] = Double(end.delivered - start.delivered) / seconds
        report[.untimed] = Double(total.untimed)
        report[.lost] = Double(stage.balance.missing)
        report[.overtaken] = Double(stage.balance.overtaken)
        report[.duplicates] = Double(total.duplicates)
        report[.reordered] = Double(total.reordered)
        report[.lagged] = Double(total.lagged)
        if stage.answers.missing > 0 { report.errorCodes["unanswered request"] = stage.answers.missing }
        report.set(Metric.latency, total.latency)
        report.set(Metric.latencyFromSend, total.latencyFromSend)
        report.set(Metric.ack, total.ack)
        report.set(Metric.lag, total.lag)
        return report
    }

    /// Calls the publishers whenever something is due, until the plan's duration is over.
    ///
    /// - Returns: When it began.
    private func publish() -> UInt64 {
        let nudge = publishers.nudge { $0.publish() }
        // The loops get a moment to learn of it.
        let start = Clock.now() + 10_000_000
        publishers.run { $0.begin(at: start) }
        var schedule = Schedule(plan)
        var next = start
        while let due = schedule.nextDue {
            next = max(start + due, next)
            stage.wait(until: next)
            nudge.post(())
            let now = Clock.now()
            while let due = schedule.nextDue, start + due <= now { schedule.advance() }
            next = now + Fanout.finest
        }
        stage.wait(until: start + plan.duration.nanoseconds)
        // What fell due between the last call and the end.
        nudge.post(())
        return start
    }

    /// Waits for the last acks and events, as long as the plan allows.
    private func drain() {
        let deadline = Clock.now() + plan.drain.nanoseconds
        stage.askForAnswers(publishers, until: deadline)
        let lastSeqs = stage.answers.lastSeqs
        guard !lastSeqs.isEmpty else { return }
        stage.settleBalance(subscribers, through: lastSeqs, until: deadline)
    }
}
