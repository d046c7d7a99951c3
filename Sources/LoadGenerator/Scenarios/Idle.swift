internal import Transport

/// Connections do nothing: how fast they are opened, how long their welcome takes, and what each costs the broker.
struct Idle {
    private let stage: Stage
    private let plan: Plan

    /// Sets the stage.
    init(_ stage: Stage) throws(LoadError) {
        self.stage = stage
        let plan = stage.plan
        self.plan = plan
        let dial = stage.dial
        for loop in 0..<plan.loops {
            let numbers = plan.subscribers * loop / plan.loops..<plan.subscribers * (loop + 1) / plan.loops
            _ = try stage.add("idlers-\(loop + 1)") { loop in
                Idlers(
                    numbers, plan: plan, connector: Connector(prefix: "sub", plan: plan, dial: dial, loop: loop))
            }
        }
    }

    /// Runs it.
    func run() throws(LoadError) -> Report {
        let before = plan.serverProcess.flatMap(ProcessStatus.read(process:))
        let began = Clock.now()
        try stage.connect(0..<plan.loops, connections: plan.subscribers)
        let connecting = Duration.nanoseconds(Int64(Clock.now() - began))

        let start = stage.moment()
        stage.wait(until: start.time + plan.duration.nanoseconds)
        let end = stage.moment()

        var report = stage.report(from: start, to: end, connecting: connecting, before: before)
        if let before, let after = end.server, stage.total.connected > 0 {
            let grown = Double(after.residentBytes) - Double(before.residentBytes)
            report[.serverMemoryEach] = grown / Double(stage.total.connected)
        }
        return report
    }
}
