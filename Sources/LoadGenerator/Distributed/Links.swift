internal import Transport

/// The connections to the workers, on the coordinator's loop.
final class Links {
    var lines: [Int: LineStream] = [:]

    /// They, as others reach them.
    struct Bound {
        let bound: LoopBound<Links>
        let loop: EventLoop

        func send(_ worker: Int, _ value: JSON) { bound.run { $0.lines[worker]?.send(value) } }
    }
}

extension Plan {
    /// What so many workers do together.
    func multiplied(by count: Int) -> Plan {
        var plan = self
        plan.subscribers *= count
        plan.publishers *= count
        plan.closed = closed.map { $0 * count }
        plan.profile = profile.scaled(by: Double(count))
        return plan
    }
}
