internal import Transport

/// Keeps time for a run that publishes: wakes the publishers when something is due, and does what else is to happen.
struct Pacer {
    /// Between two calls of the publishers: what falls due in between is sent together.
    private static let finest: UInt64 = 200_000

    let stage: Stage
    var agenda: Agenda

    /// Goes on until the plan's duration is over or somebody interrupts.
    ///
    /// - Parameters:
    ///   - begin: Is told when the schedule begins and ends, on the monotonic clock.
    ///   - nudge: Has the publishers send what is due.
    /// - Returns: When it began.
    mutating func run(begin: (_ start: UInt64, _ end: UInt64) -> Void, nudge: () -> Void) -> UInt64 {
        let plan = stage.plan
        // The loops get a moment to learn of it.
        let start = max(stage.gate?() ?? 0, Clock.now() + 10_000_000)
        let end = start + plan.duration.nanoseconds
        begin(start, end)
        var schedule = Schedule(plan)
        var next = start
        while !stage.isInterrupted {
            let publish = plan.closed == nil ? schedule.nextDue.map { start + $0 } : nil
            let wake = min(max(publish ?? end, next), max(start, start + (agenda.nextDue ?? .max / 4)), end)
            stage.wait(until: wake) { stage.isInterrupted }
            let now = Clock.now()
            guard now < end else { break }
            agenda.act(now - min(now, start))
            guard let publish, publish <= now else { continue }
            nudge()
            while let due = schedule.nextDue, start + due <= now { schedule.advance() }
            next = now + Pacer.finest
        }
        // Somebody may have interrupted before it began.
        let now = min(Clock.now(), end)
        agenda.act(now - min(start, now))
        // What fell due between the last call and the end.
        nudge()
        return start
    }
}
