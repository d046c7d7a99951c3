internal import Transport

/// Publishers and subscribers of any WebSocket server, which speak in texts that the plan gives.
struct RawBroadcast {
    /// How long the server may take to know its subscribers, who get no answer that we understand.
    private static let settling: UInt64 = 300_000_000

    private let stage: Stage
    private let plan: Plan
    private let subscribers: [LoopBound<RawSubscribers>]
    private let publishers: LoopBound<RawPublishers>

    /// Sets the stage.
    init(_ stage: Stage) throws(LoadError) {
        self.stage = stage
        let plan = stage.plan
        self.plan = plan
        let setting = stage.setting
        var groups: [LoopBound<RawSubscribers>] = []
        for loop in 0..<plan.loops {
            let numbers = plan.subscribers(onLoop: loop)
            groups.append(
                try stage.add("subscribers-\(loop + 1)") { loop in
                    RawSubscribers(numbers, setting, connector: Connector(prefix: "sub", setting, loop: loop))
                })
        }
        subscribers = groups
        publishers = try stage.add("publishers") { loop in
            RawPublishers(setting, connector: Connector(prefix: "pub", setting, loop: loop))
        }
    }

    /// Runs it.
    func run() throws(LoadError) -> Report {
        let before = plan.serverProcess.flatMap(ProcessStatus.read(process:))
        let ramp = try stage.ramp(
            (0..<subscribers.count, plan.subscribers), (subscribers.count..<subscribers.count + 1, plan.publishers))
        stage.wait(until: Clock.now() + RawBroadcast.settling) { stage.isInterrupted }

        var start = stage.moment()
        let nudge = publishers.nudge { $0.publish() }
        var pacer = Pacer(stage: stage, agenda: Agenda())
        start.time = pacer.run(
            begin: { start, end in publishers.run { $0.begin(at: start, until: end) } }, nudge: { nudge.post(()) })
        publishers.run { $0.stop() }
        let end = stage.moment()
        let balance = drain()
        stage.finish()
        let outcome = Broadcast.Outcome(balance: balance, loopDelay: stage.takeLoopDelay())

        var report = stage.report(from: start, to: end, ramp, before: before)
        report.take(stage.total, outcome, from: start, to: end)
        return report
    }

    /// Waits for the last deliveries, as long as the plan allows.
    private func drain() -> Subscribers.Balance {
        let deadline = Clock.now() + plan.drain.nanoseconds
        let published = stage.ask([publishers], until: Clock.now() + 5_000_000_000) { $0.count }.first ?? 0
        while true {
            let isLast = Clock.now() >= deadline
            let balance = stage.ask(subscribers, until: Clock.now() + 5_000_000_000) { group in
                if isLast { group.end() }
                return group.balance(of: published)
            }.reduce(Subscribers.Balance(), +)
            if isLast || balance.missing == 0 { return balance }
            stage.wait(until: min(deadline, Clock.now() + 20_000_000))
        }
    }
}
