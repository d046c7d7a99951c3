internal import Transport

/// Subscribers receive what publishers publish, while whatever the scenario has in mind happens to them.
struct Broadcast {
    let stage: Stage
    let plan: Plan
    let subscribers: [LoopBound<Subscribers>]
    private let publishers: LoopBound<Publishers>
    private let halfOpen: LoopBound<HalfOpen>?

    /// Sets the stage: the subscribers' loops, and one more for the publishers, whose schedule must not wait for what arrives.
    init(_ stage: Stage) throws(LoadError) {
        self.stage = stage
        let plan = stage.plan
        self.plan = plan
        let setting = stage.setting
        var groups: [LoopBound<Subscribers>] = []
        for loop in 0..<plan.loops {
            let numbers = plan.subscribers(onLoop: loop)
            groups.append(
                try stage.add("subscribers-\(loop + 1)") { loop in
                    Subscribers(numbers, setting, connector: Connector(prefix: "sub", setting, loop: loop))
                })
        }
        subscribers = groups
        publishers = try stage.add("publishers") { loop in
            Publishers(setting, connector: Connector(prefix: "pub", setting, loop: loop))
        }
        let silent = plan.faults.reduce(0) { $0 + $1.extraConnections }
        halfOpen =
            silent == 0
            ? nil
            : try stage.add("half-open") { loop in
                HalfOpen(silent, connector: Connector(prefix: "half", setting, loop: loop))
            }
    }

    /// Runs it.
    func run() throws(LoadError) -> Report {
        let before = plan.serverProcess.flatMap(ProcessStatus.read(process:))
        let ramp = try stage.ramp(
            (0..<subscribers.count, plan.subscribers), (subscribers.count..<subscribers.count + 1, plan.publishers))
        if halfOpen != nil {
            try stage.connect(subscribers.count + 1..<subscribers.count + 2, connections: 1)
        }

        var start = stage.moment()
        start.time = publish()
        let end = stage.moment()
        let outcome = drain()
        stage.finish()

        var report = stage.report(from: start, to: end, ramp, before: before)
        report.take(stage.total, outcome, from: start, to: end)
        return report
    }

    // MARK: Publishing

    /// Has the publishers send, and things happen to the subscribers, until the end.
    ///
    /// - Returns: When it began.
    private func publish() -> UInt64 {
        let nudge = publishers.nudge { $0.publish() }
        var pacer = Pacer(stage: stage, agenda: agenda())
        defer { if let process = plan.pausedProcess { ProcessPause.goOn(process) } }
        let start = pacer.run(
            begin: { start, end in publishers.run { $0.begin(at: start, until: end) } }, nudge: { nudge.post(()) })
        publishers.run { $0.stop() }
        return start
    }

    /// What the scenario and the faults do to the subscribers, and when.
    private func agenda() -> Agenda {
        var agenda = Agenda()
        let length = plan.duration
        switch plan.scenario {
        case .fanout, .react, .idle, .raw: break
        case .churn:
            agenda.add(rate: plan.churnRate, for: length, .poisson, seed: plan.seed ^ 1) { turn in
                leave(turn, turn % 2 == 0 ? .unsubscribing : .reconnecting(.orderly))
            }
        case .soak:
            agenda.add(rate: plan.churnRate, for: length, .poisson, seed: plan.seed ^ 1) { turn in
                let ways: [Subscribers.Leave] = [
                    .unsubscribing, .resuming(.abrupt), .reconnecting(.orderly), .resuming(.reset),
                ]
                leave(turn, ways[turn % ways.count])
            }
        case .storm:
            for storm in 1...plan.storms {
                agenda.add(after: length * storm / (plan.storms + 1)) {
                    for group in subscribers { group.run { $0.storm() } }
                }
            }
        case .resume:
            // Each once, and the last early enough to be back.
            let rate = Double(plan.subscribers) / (length / .seconds(1) * 0.8)
            agenda.add(rate: rate, for: length * 4 / 5, .constant, seed: 0) { turn in
                leave(turn, .resuming(turn % 2 == 0 ? .abrupt : .reset))
            }
        case .slow:
            agenda.add(after: length / 10) { for group in subscribers { group.run { $0.setSlowReading(false) } } }
        }
        for fault in plan.faults { add(fault, to: &agenda) }
        return agenda
    }

    private func add(_ fault: Fault, to agenda: inout Agenda) {
        switch fault {
        case .halfOpen, .bytewise, .throttled: break
        case .resets(let rate):
            agenda.add(rate: rate, for: plan.duration, .poisson, seed: plan.seed ^ 2) {
                leave($0, .reconnecting(.reset))
            }
        case .pause(let after, let length):
            guard let process = plan.serverProcess else { return }
            agenda.add(after: after) { ProcessPause.stop(process) }
            agenda.add(after: after + length) { ProcessPause.goOn(process) }
        }
    }

    /// Lets the subscriber of a turn leave; one after the other, from all over the channels.
    private func leave(_ turn: Int, _ way: Subscribers.Leave) {
        let number = turn % plan.subscribers
        let group = subscribers[plan.loop(ofSubscriber: number)]
        group.run { $0.leave(number, way) }
    }

    // MARK: Afterwards

    /// What was found when the load was over.
    struct Outcome {
        var balance = Subscribers.Balance()
        var unanswered: UInt64 = 0
        var counts = CountCheck()
        /// The longest that a loop was held up while the last events came, in nanoseconds.
        var loopDelay: UInt64 = 0
    }

    /// Waits for those who are away, then for the last acks and events, as long as the plan allows; then compares the counts.
    private func drain() -> Outcome {
        var outcome = Outcome()
        for group in subscribers { group.run { $0.setSlowReading(true) } }
        awaitReturns()
        let deadline = Clock.now() + plan.drain.nanoseconds
        let answers = awaitAnswers(until: deadline)
        outcome.unanswered = answers.missing
        if !answers.lastSeqs.isEmpty {
            var last = answers.lastSeqs
            var end = deadline
            if let share = stage.share {
                // What others have published there is delivered here, too.
                let all = share(last)
                last = last.indices.map { $0 < all.count ? max(last[$0], all[$0]) : last[$0] }
                end = max(end, Clock.now() + plan.drain.nanoseconds)
            }
            outcome.balance = settleBalance(through: last, until: end)
        }
        stage.collect()
        outcome.loopDelay = stage.takeLoopDelay()
        outcome.counts = awaitCounts(until: max(deadline, Clock.now() + 1_000_000_000))
        if plan.mode == .summary { compareSummaries(&outcome.counts) }
        return outcome
    }

    /// Waits until those who are away are back; where somebody interrupts, those that still are take no part in what follows.
    private func awaitReturns() {
        let back = Clock.now() + (plan.away + plan.connectTimeout).nanoseconds
        repeat {
            let away = stage.ask(subscribers, until: Clock.now() + 1_000_000_000) { $0.unsettled }
            if away.count == subscribers.count, away.allSatisfy({ $0 == 0 }) { return }
            if stage.isInterrupted {
                for group in subscribers { group.run { $0.excuseAbsent() } }
                return
            }
            stage.wait(until: Clock.now() + 20_000_000) { stage.isInterrupted }
        } while Clock.now() < back
    }

    /// Asks the publishers which requests have no answer yet, until all have one or the deadline comes.
    private func awaitAnswers(until deadline: UInt64) -> (missing: UInt64, lastSeqs: [UInt64]) {
        while true {
            let answers = stage.ask([publishers], until: max(deadline, Clock.now() + 1_000_000_000)) { $0.answers }
            let (missing, lastSeqs) = answers.first ?? (0, [])
            if missing == 0 || Clock.now() >= deadline { return (missing, lastSeqs) }
            stage.wait(until: min(deadline, Clock.now() + 20_000_000))
        }
    }

    /// Asks the subscribers for their balance, again and again, until nothing is missing or the deadline comes; then they stop
    /// counting.
    private func settleBalance(through last: [UInt64], until deadline: UInt64) -> Subscribers.Balance {
        func ask(isLast: Bool) -> Subscribers.Balance {
            // A loop that is busy answers late, but does answer.
            stage.ask(subscribers, until: Clock.now() + 5_000_000_000) { group in
                if isLast { group.end() }
                return group.balance(through: last)
            }.reduce(Subscribers.Balance(), +)
        }
        while ask(isLast: false).missing > 0, Clock.now() < deadline {
            stage.wait(until: min(deadline, Clock.now() + 20_000_000))
        }
        return ask(isLast: true)
    }

    /// Compares what each subscriber has been told with what the acks add up to.
    private func compareSummaries(_ counts: inout CountCheck) {
        guard let models = stage.ask([publishers], until: Clock.now() + 5_000_000_000, { $0.models }).first else {
            return
        }
        for check in stage.ask(subscribers, until: Clock.now() + 10_000_000_000, { $0.compare(with: models) }) {
            counts.compared += check.compared
            counts.wrong += check.wrong
        }
    }

    private func awaitCounts(until deadline: UInt64) -> CountCheck {
        publishers.run { group in
            group.doubtUnanswered()
            group.askForCounts()
        }
        while true {
            let check = stage.ask([publishers], until: deadline) { $0.check }.first ?? CountCheck()
            if check.awaited == 0 || Clock.now() >= deadline { return check }
            stage.wait(until: min(deadline, Clock.now() + 10_000_000))
        }
    }
}

extension Plan {
    /// The subscribers that live on a loop.
    func subscribers(onLoop loop: Int) -> Range<Int> {
        subscribers * loop / loops..<subscribers * (loop + 1) / loops
    }

    /// The loop on which a subscriber lives.
    func loop(ofSubscriber number: Int) -> Int {
        (0..<loops).first { subscribers(onLoop: $0).contains(number) } ?? 0
    }

    /// The process that a fault stops.
    var pausedProcess: Int? {
        let pauses = faults.contains { if case .pause = $0 { true } else { false } }
        return pauses ? serverProcess : nil
    }
}
