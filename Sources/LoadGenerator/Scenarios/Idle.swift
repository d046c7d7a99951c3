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
        let setting = stage.setting
        for loop in 0..<plan.loops {
            let numbers = plan.subscribers(onLoop: loop)
            _ = try stage.add("idlers-\(loop + 1)") { loop in
                Idlers(numbers, setting, connector: Connector(prefix: "sub", setting, loop: loop))
            }
        }
    }

    /// Runs it.
    func run() throws(LoadError) -> Report {
        let before = plan.serverProcess.flatMap(ProcessStatus.read(process:))
        let ownBefore = ProcessStatus.readOwn()
        let ramp = try stage.ramp((0..<plan.loops, plan.subscribers))

        if let start = stage.gate?() { stage.wait(until: start) { stage.isInterrupted } }
        let start = stage.moment()
        stage.wait(until: start.time + plan.duration.nanoseconds) { stage.isInterrupted }
        let end = stage.moment()
        stage.finish()

        var report = stage.report(from: start, to: end, ramp, before: before)
        // What is timed here are welcomes, which came while the connections were opened.
        report[.loopDelay] = Double(max(start.loopDelay, end.loopDelay)) / 1e6
        let connected = Double(max(1, stage.total.connected))
        if let before, let after = end.server {
            report[.serverMemoryEach] = (Double(after.residentBytes) - Double(before.residentBytes)) / connected
        }
        if let ownBefore, let after = ProcessStatus.readOwn() {
            report[.generatorMemoryEach] =
                (Double(after.residentBytes) - Double(ownBefore.residentBytes)) / connected
        }
        return report
    }
}
