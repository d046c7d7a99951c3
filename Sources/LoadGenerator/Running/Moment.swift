internal import Transport

/// The clocks and counts at one moment of a run.
struct Moment {
    var time: UInt64
    var processCPU: UInt64
    var loopCPU: [UInt64]
    /// The longest that a loop was held up or took to answer since the moment before, in nanoseconds.
    var loopDelay: UInt64
    var server: ProcessStatus?
    var opened: UInt64
    var delivered: UInt64
}

/// How many connections were opened before the load began, and in what time; those that come back later are not among them.
struct Ramp: Sendable {
    var opened: UInt64
    var nanoseconds: UInt64

    /// How many that were a second.
    var perSecond: Double { Double(opened) / max(Double(nanoseconds) / 1e9, 1e-3) }
}

extension Stage {
    /// Connects some groups, one after the other, and takes the time.
    ///
    /// - Parameter groups: Which of the groups, and how many connections they have together.
    /// - Returns: How many were opened, and in what time.
    /// - Throws: ``LoadError/cannotConnect(_:)`` where none of a group is ready.
    func ramp(_ groups: (Range<Int>, connections: Int)...) throws(LoadError) -> Ramp {
        let began = Clock.now()
        for (range, connections) in groups { try connect(range, connections: connections) }
        return Ramp(opened: total.opened, nanoseconds: Clock.now() - began)
    }

    /// Asks all groups, and reads the clocks.
    func moment() -> Moment {
        collect()
        return Moment(
            time: Clock.now(), processCPU: Clock.processCPU(), loopCPU: loopCPU,
            loopDelay: takeLoopDelay(), server: plan.serverProcess.flatMap(ProcessStatus.read(process:)),
            opened: total.opened, delivered: total.delivered)
    }

    /// Begins a report with what every scenario has.
    ///
    /// - Parameters:
    ///   - start: When the load began.
    ///   - end: When it ended.
    ///   - ramp: How the connections of the plan were opened.
    ///   - before: The server's process before the first connection.
    /// - Returns: The report, to which the scenario adds its own.
    func report(from start: Moment, to end: Moment, _ ramp: Ramp, before: ProcessStatus?) -> Report {
        var report = Report(plan)
        report.isInterrupted = isInterrupted
        report.rows = rows
        report[.opened] = Double(total.opened)
        report[.failed] = Double(total.failed)
        report[.dropped] = Double(total.dropped)
        report[.openedPerSecond] = ramp.perSecond
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
        if unreadMetrics.count > 0 {
            report.notes.append(
                "the metrics could not be read \(counted(unreadMetrics.count, "time")): \(unreadMetrics.reason)")
        }
        report[.serverQueue] = rows.compactMap(\.queueBytes).max().map(Double.init)
        return report
    }
}
