/// The clocks and counts at one moment of a run.
struct Moment {
    var time: UInt64
    var processCPU: UInt64
    var loopCPU: [UInt64]
    /// The longest that a loop took to answer since the moment before, in nanoseconds.
    var loopDelay: UInt64
    var server: ProcessStatus?
    var delivered: UInt64
}

extension Stage {
    /// Asks all groups, and reads the clocks.
    func moment() -> Moment {
        collect()
        return Moment(
            time: Clock.now(), processCPU: Clock.processCPU(), loopCPU: loopCPU,
            loopDelay: takeLoopDelay(), server: plan.serverProcess.flatMap(ProcessStatus.read(process:)),
            delivered: total.delivered)
    }

    /// Begins a report with what every scenario has.
    ///
    /// - Parameters:
    ///   - start: When the load began.
    ///   - end: When it ended.
    ///   - connecting: How long the connections took to be ready.
    ///   - before: The server's process before the first connection.
    /// - Returns: The report, to which the scenario adds its own.
    func report(from start: Moment, to end: Moment, connecting: Duration, before: ProcessStatus?) -> Report {
        var report = Report(plan)
        report.isInterrupted = isInterrupted
        report.rows = rows
        report[.opened] = Double(total.opened)
        report[.failed] = Double(total.failed)
        report[.dropped] = Double(total.dropped)
        report[.openedPerSecond] = Double(total.opened) / max(connecting / .seconds(1), 1e-3)
        report.errorCodes = total.errors
        report.closeCodes = total.closeCodes
        report.set(Metric.welcome, total.welcome)

        let length = Double(max(1, end.time - min(end.time, start.time)))
        func share(_ before: UInt64, _ after: UInt64) -> Double { Double(after - min(before, after)) / length * 100 }
        report[.generatorCPU] = share(start.processCPU, end.processCPU)
        report[.loopCPU] = zip(start.loopCPU, end.loopCPU).map(share).max()
        report[.loopDelay] = Double(end.loopDelay) / 1e6
        report[.generatorMemory] = ProcessStatus.readOwn().map { Double($0.residentBytes) }
        if let from = start.server, let to = end.server {
            report[.serverCPU] = share(from.cpuNanoseconds, to.cpuNanoseconds)
            report[.serverMemory] = Double(to.residentBytes)
            report[.serverMemoryBefore] = before.map { Double($0.residentBytes) }
            report[.serverGrowth] =
                (Double(to.residentBytes) / Double(max(1, from.residentBytes)) - 1) * 100
            let used = Double(to.cpuNanoseconds - min(from.cpuNanoseconds, to.cpuNanoseconds)) / 1e9
            if used > 0 { report[.deliveriesPerCPUSecond] = Double(end.delivered - start.delivered) / used }
        }
        report[.serverQueue] = rows.compactMap(\.queueBytes).max().map(Double.init)
        return report
    }
}
