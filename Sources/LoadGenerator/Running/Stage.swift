internal import Transport

/// What a scenario directs a run with: groups on their loops, what they say, and the clock.
///
/// It belongs to the calling thread, which waits here; all else happens on the loops.
final class Stage {
    /// What a group has counted, with the processor time that its loop's thread has used so far, and how long it was held up.
    struct Sample: Sendable {
        var tally: Tally
        var threadCPU: UInt64
        var delay: UInt64
    }

    /// What wakes the directing thread.
    enum Notice: Sendable {
        case connected
        case sample(group: Int, Sample)
        case metrics(Scraper.Answer)
        /// There is something to look at elsewhere.
        case news
    }

    private struct Member {
        let loop: EventLoop
        let connect: () -> Void
        let sample: () -> Void
        let close: () -> Void
    }

    let plan: Plan
    let setting: Setting
    let inbox = Inbox<Notice>()
    /// Everything counted so far.
    private(set) var total = Tally()
    /// By group: the processor time of its loop when it was last asked.
    private(set) var loopCPU: [UInt64] = []
    /// A second each; the last one is shorter, and together they have all that ``total`` has.
    private(set) var rows: [Row] = []
    let interruption: Interruption?
    /// Says when to start, once all is ready.
    let gate: (() -> UInt64)?
    /// Gives the last seqs of all processes for those of this one.
    let share: (([UInt64]) -> [UInt64])?

    private var members: [Member] = []
    private let display: ((Row) -> Void)?
    private let startedAt = Clock.now()
    private var nextTick: UInt64
    private var connectedGroups = 0
    /// Groups that have not answered the last question for samples.
    private var owedSamples = 0
    /// When that was asked.
    private var askedAt: UInt64 = 0
    /// The longest that a loop took to answer since this was last taken, in nanoseconds.
    private var loopDelay: UInt64 = 0
    private var scraper: Scraper?
    private var queueBytes: UInt64?
    /// How often the metrics could not be read, and why the last time.
    private(set) var unreadMetrics: (count: Int, reason: String) = (0, "")
    private var server: ServerWatch
    /// What was counted since the last row.
    private var row = Tally()
    private var rowBegan: UInt64
    /// Whether the samples that are owed end a row.
    private var endsRow = false

    init(
        _ setting: Setting, interruption: Interruption?, gate: (() -> UInt64)?, share: (([UInt64]) -> [UInt64])? = nil,
        display: ((Row) -> Void)?
    ) {
        plan = setting.plan
        self.setting = setting
        self.display = display
        self.interruption = interruption
        self.gate = gate
        self.share = share
        nextTick = startedAt + 1_000_000_000
        rowBegan = startedAt
        server = ServerWatch(plan.serverProcess)
        let inbox = inbox
        interruption?.observe { inbox.post(.news) }
        if let metrics = plan.metrics { scraper = try? Scraper(metrics) { inbox.post(.metrics($0)) } }
    }

    /// Whether somebody wants the run to end early.
    var isInterrupted: Bool { interruption?.isRequested ?? false }

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
                        let sample = Sample(
                            tally: group.connector.tally.take(), threadCPU: Clock.threadCPU(),
                            delay: group.connector.watch.take())
                        inbox.post(.sample(group: number, sample))
                    }
                },
                close: { bound.run { $0.connector.close() } }))
        bound.run { $0.connector.watch.begin() }
        loopCPU.append(0)
        return bound
    }

    /// Connects some groups and waits until each of their connections is ready or has failed.
    ///
    /// - Throws: ``LoadError/cannotConnect(_:)`` where none is ready.
    func connect(_ groups: Range<Int>, connections: Int) throws(LoadError) {
        guard connections > 0, !isInterrupted else { return }
        connectedGroups = 0
        let openBefore = total.connected
        for group in groups { members[group].connect() }
        // Each connection has its own limit; so many waves of them can follow each other.
        let waves = connections / max(1, plan.connectingAtOnce / plan.loops) + 2
        let bound = plan.connectTimeout * waves
        let allAnswered = wait(until: Clock.now() + bound.nanoseconds) {
            connectedGroups == groups.count || isInterrupted
        }
        collect()
        guard (allAnswered && total.connected > openBefore) || isInterrupted else {
            let worst = total.errors.max { $0.value < $1.value }?.key ?? "no answer"
            let reason = worst.hasPrefix("connect: ") ? String(worst.dropFirst(9)) : worst
            throw .cannotConnect(reason + plan.hint(behind: reason))
        }
    }

    /// Closes all connections and ends the loops.
    func end() {
        scraper?.stop()
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

    /// Asks groups something, each on its loop, and waits for their answers.
    ///
    /// - Returns: Those that came before the deadline, in no order.
    func ask<Group, Answer: Sendable>(
        _ groups: [LoopBound<Group>], until deadline: UInt64, _ question: @escaping @Sendable (Group) -> Answer
    ) -> [Answer] {
        let answers = Answers<Answer>()
        let inbox = inbox
        for group in groups {
            group.run { group in
                answers.add(question(group))
                inbox.post(.news)
            }
        }
        wait(until: deadline) { answers.count == groups.count }
        return answers.all
    }

    /// Asks all groups for what they have counted, and waits for it at most 5 s.
    func collect() {
        let deadline = Clock.now() + 5_000_000_000
        wait(until: deadline) { owedSamples == 0 }
        askForSamples()
        wait(until: deadline) { owedSamples == 0 }
    }

    /// Asks all groups once more, and ends the last row with what they say.
    func finish() {
        collect()
        if row.isEmpty, askedAt - min(rowBegan, askedAt) < 100_000_000 { return }
        endRow()
    }

    /// Takes the longest that a loop was held up or took to answer since the last call, in nanoseconds; one that has not answered yet counts, too.
    func takeLoopDelay() -> UInt64 {
        defer { loopDelay = 0 }
        return owedSamples > 0 ? max(loopDelay, Clock.now() - askedAt) : loopDelay
    }

    private func handle(_ notice: Notice) {
        switch notice {
        case .connected: connectedGroups += 1
        case .metrics(.waiting(let bytes)): queueBytes = bytes
        case .metrics(.silent): unreadMetrics = (unreadMetrics.count + 1, "nothing tells what waits")
        case .metrics(.unreadable(let why)): unreadMetrics = (unreadMetrics.count + 1, why)
        case .news: break
        case .sample(let group, let sample):
            total.merge(sample.tally)
            row.merge(sample.tally)
            loopCPU[group] = sample.threadCPU
            owedSamples -= 1
            loopDelay = max(loopDelay, Clock.now() - askedAt, sample.delay)
            if owedSamples == 0, endsRow { endRow() }
        }
    }

    private func askForSamples() {
        owedSamples = members.count
        askedAt = Clock.now()
        for member in members { member.sample() }
    }

    /// Asks for what belongs to the second that has ended; its row is noted when all have said it.
    private func tick(_ now: UInt64) {
        guard now >= nextTick, owedSamples == 0 else { return }
        nextTick = max(nextTick + 1_000_000_000, now + 500_000_000)
        scraper?.ask()
        endsRow = true
        askForSamples()
    }

    /// Notes the row that ends when the groups were last asked.
    private func endRow() {
        endsRow = false
        var row = Row(
            self.row, plan.scenario, connected: total.connected, elapsed: askedAt - startedAt,
            length: max(1, askedAt - min(rowBegan, askedAt)))
        (row.serverCPU, row.serverMemory) = server.look(Clock.now())
        row.queueBytes = queueBytes
        display?(row)
        // A day of seconds, and an hour for what comes before and after.
        if rows.count < 90_000 { rows.append(row) }
        self.row = Tally()
        rowBegan = askedAt
    }
}

/// Gathers answers from several threads.
private final class Answers<Answer: Sendable>: Sendable {
    private let list = Locked<[Answer]>([])

    func add(_ answer: Answer) { list.withLock { $0.append(answer) } }

    var count: Int { list.withLock { $0.count } }
    var all: [Answer] { list.withLock { $0 } }
}
