internal import Transport

/// What a scenario directs a run with: groups on their loops, what they say, and the clock.
///
/// It belongs to the calling thread, which waits here; all else happens on the loops.
final class Stage {
    /// What a group has counted, with the processor time that its loop's thread has used so far.
    struct Sample: Sendable {
        var tally: Tally
        var threadCPU: UInt64
    }

    /// What groups tell.
    enum Notice: Sendable {
        case connected
        case sample(group: Int, Sample)
        case answers(missing: UInt64, lastSeqs: [UInt64])
        case balance(Subscribers.Balance)
    }

    private struct Member {
        let loop: EventLoop
        let connect: () -> Void
        let sample: () -> Void
        let close: () -> Void
    }

    let plan: Plan
    let dial: Dial
    let inbox = Inbox<Notice>()
    /// Everything counted so far.
    private(set) var total = Tally()
    /// By group: the processor time of its loop when it was last asked.
    private(set) var loopCPU: [UInt64] = []
    private(set) var answers: (missing: UInt64, lastSeqs: [UInt64]) = (0, [])
    private(set) var balance = Subscribers.Balance()

    private var members: [Member] = []
    private let progress: ((String) -> Void)?
    private let startedAt = Clock.now()
    private var nextTick: UInt64
    private var connectedGroups = 0
    /// Groups that have answered the last question for balances.
    private var balances = 0
    /// Groups that have not answered the last question for samples.
    private var owedSamples = 0
    /// What was counted since the last row.
    private var row = Tally()
    private var rowBegan: UInt64

    init(_ plan: Plan, dial: Dial, progress: ((String) -> Void)?) {
        self.plan = plan
        self.dial = dial
        self.progress = progress
        nextTick = startedAt + 1_000_000_000
        rowBegan = startedAt
        progress?(ProgressRow.heading)
    }

    // MARK: Groups

    /// Starts a loop of its own for a group.
    ///
    /// - Parameters:
    ///   - name: The name of the loop.
    ///   - make: Makes the group for that loop.
    /// - Returns: The group, to be reached on its loop.
    /// - Throws: ``LoadError/system(_:)`` where there is no loop to be had.
    func add<Group: LoadGroup>(
        _ name: String, _ make: (EventLoop) -> sending Group
    ) throws(LoadError) -> LoopBound<Group> {
        let loop: EventLoop
        do {
            loop = try EventLoop(name: name)
        } catch {
            throw .system("\(error)")
        }
        let bound = LoopBound(make(loop), on: loop)
        let number = members.count
        let inbox = inbox
        loop.start()
        members.append(
            Member(
                loop: loop,
                connect: { bound.run { group in group.connect { inbox.post(.connected) } } },
                sample: {
                    bound.run { group in
                        let tally = group.connector.tally.take()
                        inbox.post(.sample(group: number, Sample(tally: tally, threadCPU: Clock.threadCPU())))
                    }
                },
                close: { bound.run { $0.connector.close() } }))
        loopCPU.append(0)
        return bound
    }

    /// Connects some groups and waits until each of their connections is ready or has failed.
    ///
    /// - Throws: ``LoadError/cannotConnect(_:)`` where none is ready.
    func connect(_ groups: Range<Int>, connections: Int) throws(LoadError) {
        guard connections > 0 else { return }
        connectedGroups = 0
        let openBefore = total.connected
        for group in groups { members[group].connect() }
        // Each connection has its own limit; so many waves of them can follow each other.
        let waves = connections / max(1, plan.connectingAtOnce / plan.loops) + 2
        let bound = plan.connectTimeout * waves
        let allAnswered = wait(until: Clock.now() + bound.nanoseconds) { connectedGroups == groups.count }
        collect()
        guard allAnswered, total.connected > openBefore else {
            let worst = total.errors.max { $0.value < $1.value }?.key ?? "no answer"
            throw .cannotConnect(worst.hasPrefix("connect: ") ? String(worst.dropFirst(9)) : worst)
        }
    }

    /// Closes all connections and ends the loops.
    func end() {
        for member in members { member.close() }
        for member in members { member.loop.stop() }
        members = []
    }

    // MARK: Waiting

    /// Waits for something that the groups tell, while the rows of progress go on.
    ///
    /// - Returns: Whether it came before the deadline.
    @discardableResult
    func wait(until deadline: UInt64, for condition: () -> Bool = { false }) -> Bool {
        while !condition() {
            let now = Clock.now()
            if now >= deadline { return false }
            tick(now)
            // Where samples are still owed, no row can be shown, and their arrival ends the waiting.
            let wake = owedSamples == 0 ? min(deadline, nextTick) : deadline
            for notice in inbox.take(until: wake) { handle(notice) }
        }
        return true
    }

    /// Asks all groups for what they have counted, and waits for it at most 5 s.
    func collect() {
        let deadline = Clock.now() + 5_000_000_000
        wait(until: deadline) { owedSamples == 0 }
        askForSamples()
        wait(until: deadline) { owedSamples == 0 }
    }

    /// Asks the subscribers of some groups for their balance, again and again, until nothing is missing or the deadline comes;
    /// then they stop counting.
    func settleBalance(_ groups: [LoopBound<Subscribers>], through lastSeqs: [UInt64], until deadline: UInt64) {
        askForBalance(groups, through: lastSeqs, isLast: false)
        while balance.missing > 0, Clock.now() < deadline {
            wait(until: min(deadline, Clock.now() + 20_000_000))
            askForBalance(groups, through: lastSeqs, isLast: false)
        }
        askForBalance(groups, through: lastSeqs, isLast: true)
    }

    private func askForBalance(_ groups: [LoopBound<Subscribers>], through lastSeqs: [UInt64], isLast: Bool) {
        balance = Subscribers.Balance()
        balances = 0
        let inbox = inbox
        for group in groups {
            group.run { subscribers in
                if isLast { subscribers.end() }
                inbox.post(.balance(subscribers.balance(through: lastSeqs)))
            }
        }
        // A loop that is busy answers late, but does answer.
        wait(until: Clock.now() + 5_000_000_000) { balances == groups.count }
    }

    /// Asks the publishers which requests have no answer yet, until all have one or the deadline comes.
    func askForAnswers(_ publishers: LoopBound<Publishers>, until deadline: UInt64) {
        repeat {
            answers = (.max, [])
            let inbox = inbox
            publishers.run { publishers in
                let (missing, lastSeqs) = publishers.answers
                inbox.post(.answers(missing: missing, lastSeqs: lastSeqs))
            }
            wait(until: max(deadline, Clock.now() + 1_000_000_000)) { !answers.lastSeqs.isEmpty }
            if answers.missing == 0 { return }
            wait(until: min(deadline, Clock.now() + 20_000_000))
        } while Clock.now() < deadline
    }

    // MARK: What groups tell

    private func handle(_ notice: Notice) {
        switch notice {
        case .connected: connectedGroups += 1
        case .answers(let missing, let lastSeqs): answers = (missing, lastSeqs)
        case .balance(let part):
            balance.expected += part.expected
            balance.missing += part.missing
            balance.overtaken += part.overtaken
            balances += 1
        case .sample(let group, let sample):
            total.merge(sample.tally)
            row.merge(sample.tally)
            loopCPU[group] = sample.threadCPU
            owedSamples -= 1
        }
    }

    private func askForSamples() {
        owedSamples = members.count
        for member in members { member.sample() }
    }

    /// Shows the row of the second that has ended, and asks for the next one's.
    private func tick(_ now: UInt64) {
        guard now >= nextTick, owedSamples == 0 else { return }
        nextTick = max(nextTick + 1_000_000_000, now + 500_000_000)
        if let progress {
            let row = ProgressRow(
                elapsed: .nanoseconds(Int64(now - startedAt)), connected: total.connected, published: row.requests,
                delivered: row.delivered, latency: row.latency, errors: row.errorCount,
                length: .nanoseconds(Int64(now - rowBegan)))
            progress(row.text)
        }
        row = Tally()
        rowBegan = now
        askForSamples()
    }
}
