internal import Transport

/// Has several workers run the same load together, and merges what they find.
public struct Coordinator {
    /// How often each worker's clock is asked for; the quickest answer tells most.
    private static let clockRounds = 12
    private static let patience: UInt64 = 10_000_000_000

    private enum Notice: Sendable {
        case opened(Int)
        case clock(Int, round: Int, theirs: Double, at: UInt64)
        case ready(Int)
        case seqs(Int, [UInt64])
        case report(Int, JSON)
        case failed(Int, String)
        case interrupted
    }

    /// What is known of a worker's clock: how far it is ahead, and how wrong that may be, in nanoseconds.
    struct ClockReading: Sendable, Equatable {
        var ahead = 0.0
        var error = Double.infinity

        /// Takes in one more answer: the question was sent and the answer came at these times of our clock.
        mutating func take(sent: UInt64, received: UInt64, theirs: Double) {
            let error = Double(received - min(sent, received)) / 2
            guard error < self.error else { return }
            self.error = error
            ahead = theirs - (Double(sent) + error)
        }
    }

    private let plan: Plan
    private let workers: [String]
    private let inbox = Inbox<Notice>()

    /// Prepares a run.
    ///
    /// - Parameters:
    ///   - plan: What each worker does.
    ///   - workers: `HOST:PORT` of each.
    public init(_ plan: Plan, workers: [String]) {
        self.plan = plan
        self.workers = workers
    }

    /// Runs it and blocks the calling thread until all workers are done, or gone.
    ///
    /// - Parameters:
    ///   - interruption: Ends the run early at all workers.
    ///   - words: The words of the command for a worker, by its number from 0.
    ///   - show: Is given lines that say how far it is.
    /// - Returns: The merged report; without those workers that were lost after the start, which it names.
    /// - Throws: A ``LoadError`` where a worker cannot be reached or refuses, or all are lost.
    public func run(
        interruption: Interruption, words: (Int) -> [String], show: (String) -> Void
    ) throws(LoadError) -> Report {
        let inbox = inbox
        interruption.observe { inbox.post(.interrupted) }
        let links = try connect(interruption)
        defer { links.loop.stop() }
        let clocks = try readClocks(links.bound, interruption)
        for (worker, clock) in clocks.enumerated() {
            show("\(workers[worker]): clock error ±\(Format.short(clock.error / 1e6)) ms")
        }
        for worker in workers.indices { links.send(worker, .object([("words", .list(words(worker).map(JSON.text)))])) }
        if interruption.isRequested { throw .interrupted }
        let longest = plan.connectTimeout * (plan.connectionCount + 2) + plan.duration + plan.drain + .seconds(60)
        var progress = Progress(deadline: Clock.now() + longest.nanoseconds)
        while progress.reports.count + progress.lost.count < workers.count {
            if Clock.now() >= progress.deadline { giveUp(&progress) }
            for notice in inbox.take(until: min(progress.deadline, Clock.now() + 1_000_000_000)) {
                try take(notice, &progress, links, clocks, show)
            }
        }
        return try merge(progress, clocks, isInterrupted: interruption.isRequested)
    }

    /// How far the workers are.
    private struct Progress {
        var ready = Set<Int>()
        var seqs: [Int: [UInt64]] = [:]
        var hasShared = false
        var reports: [Int: JSON] = [:]
        /// By worker: why there will be no report of it.
        var lost: [Int: String] = [:]
        /// When no more reports are waited for.
        var deadline: UInt64
    }

    private func take(
        _ notice: Notice, _ progress: inout Progress, _ links: Links.Bound, _ clocks: [ClockReading],
        _ show: (String) -> Void
    ) throws(LoadError) {
        switch notice {
        case .ready(let worker):
            progress.ready.insert(worker)
            if progress.ready.count == workers.count { start(links, clocks, show) }
        case .seqs(let worker, let last): progress.seqs[worker] = last
        case .report(let worker, let json): progress.reports[worker] = json
        case .failed(let worker, let why):
            guard progress.reports[worker] == nil, progress.lost[worker] == nil else { break }
            // What was not begun can be refused; of what was, the others' part is kept.
            guard progress.ready.count == workers.count else {
                throw .cannotConnect("worker \(workers[worker]): \(why)")
            }
            progress.lost[worker] = why
            show("worker \(workers[worker]) is lost: \(why)")
        case .interrupted:
            for worker in workers.indices { links.send(worker, .object([("stop", .bool(true))])) }
            let rest = plan.connectTimeout + plan.drain + .seconds(10)
            progress.deadline = min(progress.deadline, Clock.now() + rest.nanoseconds)
        case .opened, .clock: break
        }
        // Those that are lost say nothing any more, and the others wait for each other.
        let told = progress.seqs.count + progress.lost.keys.count { progress.seqs[$0] == nil }
        if !progress.hasShared, !progress.seqs.isEmpty, told == workers.count {
            progress.hasShared = true
            share(Array(progress.seqs.values), links)
        }
    }

    /// Takes all that have not answered in time for lost.
    private func giveUp(_ progress: inout Progress) {
        for worker in workers.indices where progress.reports[worker] == nil && progress.lost[worker] == nil {
            progress.lost[worker] = "it has not answered in time"
        }
    }

    private func start(_ links: Links.Bound, _ clocks: [ClockReading], _ show: (String) -> Void) {
        let start = Double(Clock.now()) + 200e6
        for (worker, clock) in clocks.enumerated() {
            links.send(worker, .object([("start", .number((start + clock.ahead).rounded()))]))
        }
        show("all workers are connected, and start together")
    }

    /// Tells all workers how far each channel has come.
    private func share(_ seqs: [[UInt64]], _ links: Links.Bound) {
        let largest = (seqs.first ?? []).indices.map { channel in
            seqs.reduce(0) { max($0, channel < $1.count ? $1[channel] : 0) }
        }
        let text = JSON.object([("seqs", .list(largest.map { .number(Double($0)) }))])
        for worker in workers.indices { links.send(worker, text) }
    }

    private func merge(
        _ progress: Progress, _ clocks: [ClockReading], isInterrupted: Bool
    ) throws(LoadError) -> Report {
        var lost = progress.lost
        var report = Report(plan)
        for (worker, json) in progress.reports.sorted(by: { $0.key < $1.key }) {
            if !report.add(json, from: workers[worker]) { lost[worker] = "it has sent no report of this version" }
        }
        let missing = lost.sorted { $0.key < $1.key }.map { "worker \(workers[$0.key]) (\($0.value))" }
        guard lost.count < workers.count else {
            throw isInterrupted ? .interrupted : .cannotConnect(missing.joined(separator: ", "))
        }
        report.plan = plan.multiplied(by: workers.count - lost.count)
        report.isInterrupted = report.isInterrupted || isInterrupted
        report.missingParts = missing
        let worst = clocks.map(\.error).max() ?? 0
        report.notes.insert(
            "\(counted(workers.count, "worker")), clock error at most ±\(Format.short(worst / 1e6)) ms", at: 0)
        report.judge()
        return report
    }

    // MARK: Links

    private func connect(_ interruption: Interruption) throws(LoadError) -> Links.Bound {
        let addresses = try resolved()
        let loop: EventLoop
        do {
            loop = try EventLoop(name: "coordinator")
        } catch {
            throw .system("\(error)")
        }
        let links = Links.Bound(bound: LoopBound(Links(), on: loop), loop: loop)
        loop.start()
        let inbox = inbox
        for (worker, addresses) in addresses.enumerated() {
            links.bound.run { Coordinator.open($0, worker, addresses, loop, inbox) }
        }
        var opened = 0
        do {
            while opened < workers.count {
                for notice in try answers(within: Coordinator.patience, interruption, "a worker does not answer") {
                    if case .opened = notice { opened += 1 }
                }
            }
        } catch {
            loop.stop()
            throw error
        }
        return links
    }

    /// Where the workers are, each once.
    private func resolved() throws(LoadError) -> [[SocketAddress]] {
        var all: [[SocketAddress]] = []
        for (number, worker) in workers.enumerated() {
            let addresses: [SocketAddress]
            do {
                addresses = try SocketAddress.parse(worker).resolved()
            } catch {
                throw .cannotConnect("\(error)")
            }
            if let other = all.firstIndex(where: { !Set($0).isDisjoint(with: addresses) }) {
                throw .contradiction("--worker \(workers[other]) and --worker \(workers[number]) are one and the same")
            }
            all.append(addresses)
        }
        return all
    }

    /// Waits for what the workers say before the run.
    private func answers(
        within nanoseconds: UInt64, _ interruption: Interruption, _ otherwise: String
    ) throws(LoadError) -> [Notice] {
        let deadline = Clock.now() + nanoseconds
        while true {
            let notices = inbox.take(until: deadline)
            if interruption.isRequested { throw .interrupted }
            for case .failed(let worker, let why) in notices {
                throw .cannotConnect("worker \(workers[worker]): \(why)")
            }
            if !notices.isEmpty { return notices }
            guard Clock.now() < deadline else { throw .cannotConnect(otherwise) }
        }
    }

    private static func open(
        _ links: Links, _ worker: Int, _ addresses: [SocketAddress], _ loop: EventLoop, _ inbox: Inbox<Notice>
    ) {
        do {
            let line = try LineStream(to: addresses, on: loop)
            links.lines[worker] = line
            line.opened = { inbox.post(.opened(worker)) }
            line.ended = { inbox.post(.failed(worker, $0)) }
            line.received = { value in
                if let mark = value["clock"]?.number.flatMap({ Int(exactly: $0) }), let now = value["now"]?.number {
                    inbox.post(.clock(worker, round: mark, theirs: now, at: Clock.now()))
                } else if value["ready"] != nil {
                    inbox.post(.ready(worker))
                } else if case .list(let seqs) = value["seqs"] {
                    inbox.post(.seqs(worker, seqs.compactMap { $0.number.flatMap { UInt64(exactly: $0) } }))
                } else if let report = value["report"] {
                    inbox.post(.report(worker, report))
                } else if let error = value["error"]?.text {
                    inbox.post(.failed(worker, error))
                }
            }
        } catch {
            inbox.post(.failed(worker, "\(error)"))
        }
    }

    private func readClocks(
        _ bound: LoopBound<Links>, _ interruption: Interruption
    ) throws(LoadError) -> [ClockReading] {
        var readings = [ClockReading](repeating: ClockReading(), count: workers.count)
        for round in 0..<Coordinator.clockRounds {
            for worker in workers.indices {
                let sent = Clock.now()
                let text = JSON.object([("clock", .number(Double(round)))])
                bound.run { $0.lines[worker]?.send(text) }
                var isAnswered = false
                while !isAnswered {
                    let notices = try answers(
                        within: Coordinator.patience, interruption, "worker \(workers[worker]) does not tell its clock")
                    for case .clock(worker, round, let theirs, let at) in notices {
                        readings[worker].take(sent: sent, received: at, theirs: theirs)
                        isAnswered = true
                    }
                }
            }
        }
        return readings
    }
}
