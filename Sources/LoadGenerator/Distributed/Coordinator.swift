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

    /// Runs it and blocks the calling thread until all workers are done.
    ///
    /// - Parameters:
    ///   - interruption: Ends the run early at all workers.
    ///   - words: The words of the command for a worker, by its number from 0.
    ///   - show: Is given lines that say how far it is.
    /// - Returns: The merged report.
    /// - Throws: A ``LoadError`` where a worker cannot be reached, refuses, or is lost.
    public func run(
        interruption: Interruption, words: (Int) -> [String], show: (String) -> Void
    ) throws(LoadError) -> Report {
        let links = try connect()
        defer { links.loop.stop() }
        let clocks = try readClocks(links.bound)
        for (worker, clock) in clocks.enumerated() {
            show("\(workers[worker]): clock error ±\(Format.short(clock.error / 1e6)) ms")
        }
        for worker in workers.indices { links.send(worker, .object([("words", .list(words(worker).map(JSON.text)))])) }
        let inbox = inbox
        interruption.observe { inbox.post(.interrupted) }
        var ready = Set<Int>()
        var seqs: [Int: [UInt64]] = [:]
        var reports: [Int: JSON] = [:]
        let longest = plan.connectTimeout * (plan.connectionCount + 2) + plan.duration + plan.drain + .seconds(60)
        let deadline = Clock.now() + longest.nanoseconds
        while reports.count < workers.count {
            guard Clock.now() < deadline else { throw .cannotConnect("a worker has not answered in time") }
            for notice in inbox.take(until: Clock.now() + 1_000_000_000) {
                switch notice {
                case .ready(let worker):
                    ready.insert(worker)
                    if ready.count == workers.count { start(links, clocks, show) }
                case .seqs(let worker, let last):
                    seqs[worker] = last
                    if seqs.count == workers.count { share(Array(seqs.values), links) }
                case .report(let worker, let json): reports[worker] = json
                case .failed(let worker, let why):
                    if reports[worker] == nil { throw .cannotConnect("worker \(workers[worker]): \(why)") }
                case .interrupted:
                    for worker in workers.indices { links.send(worker, .object([("stop", .bool(true))])) }
                case .opened, .clock: break
                }
            }
        }
        return try merge(reports, clocks, isInterrupted: interruption.isRequested)
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
        _ reports: [Int: JSON], _ clocks: [ClockReading], isInterrupted: Bool
    ) throws(LoadError) -> Report {
        var report = Report(plan.multiplied(by: workers.count))
        report.isInterrupted = isInterrupted
        for (worker, json) in reports.sorted(by: { $0.key < $1.key }) {
            guard report.add(json, from: workers[worker]) else {
                throw .cannotConnect("worker \(workers[worker]) has sent no report of this version")
            }
        }
        let worst = clocks.map(\.error).max() ?? 0
        report.notes = ["\(workers.count) workers, clock error at most ±\(Format.short(worst / 1e6)) ms"]
        report.judge()
        return report
    }

    // MARK: Links

    private func connect() throws(LoadError) -> Links.Bound {
        do {
            let loop = try EventLoop(name: "coordinator")
            var addresses: [[SocketAddress]] = []
            for worker in workers { addresses.append(try SocketAddress.parse(worker).resolved()) }
            let bound = LoopBound(Links(), on: loop)
            loop.start()
            let inbox = inbox
            for (worker, addresses) in addresses.enumerated() {
                bound.run { Coordinator.open($0, worker, addresses, loop, inbox) }
            }
            let links = Links.Bound(bound: bound, loop: loop)
            var opened = 0
            let deadline = Clock.now() + Coordinator.patience
            while opened < workers.count {
                guard Clock.now() < deadline else { throw LoadError.cannotConnect("a worker does not answer") }
                for notice in inbox.take(until: deadline) {
                    switch notice {
                    case .opened: opened += 1
                    case .failed(let worker, let why):
                        loop.stop()
                        throw LoadError.cannotConnect("worker \(workers[worker]): \(why)")
                    default: break
                    }
                }
            }
            return links
        } catch let error as LoadError {
            throw error
        } catch {
            throw .cannotConnect("\(error)")
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

    private func readClocks(_ bound: LoopBound<Links>) throws(LoadError) -> [ClockReading] {
        var readings = [ClockReading](repeating: ClockReading(), count: workers.count)
        for round in 0..<Coordinator.clockRounds {
            for worker in workers.indices {
                let sent = Clock.now()
                let text = JSON.object([("clock", .number(Double(round)))])
                bound.run { $0.lines[worker]?.send(text) }
                var isAnswered = false
                while !isAnswered {
                    guard Clock.now() < sent + Coordinator.patience else {
                        throw .cannotConnect("worker \(workers[worker]) does not tell its clock")
                    }
                    for case .clock(worker, round, let theirs, let at) in inbox.take(until: sent + Coordinator.patience)
                    {
                        readings[worker].take(sent: sent, received: at, theirs: theirs)
                        isAnswered = true
                    }
                }
            }
        }
        return readings
    }
}

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
