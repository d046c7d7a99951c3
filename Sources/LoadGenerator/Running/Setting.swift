/// What all groups of one run share.
struct Setting: Sendable {
    let plan: Plan
    let dial: Dial
    let run: RunID
    let marker: Marker
    let cast: Cast
    let sends: SendLog

    init(_ plan: Plan, dial: Dial) {
        self.plan = plan
        self.dial = dial
        var generator = SeededGenerator(seed: plan.seed)
        // Two runs with one seed do the same, but are two runs: the channel remembers the first one's messages.
        let number = UInt32(truncatingIfNeeded: generator.next() ^ Clock.now())
        run = RunID(number)
        marker = Marker(number)
        cast = Cast(plan)
        sends = SendLog(capacity: SendLog.capacity(rate: max(plan.profile.peak, plan.closed == nil ? 0 : 2000)))
    }
}
