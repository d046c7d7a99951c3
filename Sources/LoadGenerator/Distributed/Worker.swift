internal import Transport

/// A process that runs its share of a load test when a coordinator asks for it.
///
/// The protocol is a JSON object a line. The coordinator sends `{"clock":N}` a few times, each answered with
/// `{"clock":N,"now":T}`, then `{"words":[…]}`. The worker says `{"ready":true}` when its connections stand, the coordinator
/// `{"start":T}` by the worker's clock; a worker that is at another coordinator's run says `{"error":"…"}`. When its load is over and answered, the worker says `{"seqs":[…]}`, the last seq of each
/// channel that was acked to it, and the coordinator, to all, the largest of them. At the end the worker says `{"report":{…}}`
/// or `{"error":"…"}`; `{"stop":true}` ends a run early.
public final class Worker: Sendable {
    /// How long the last answers may take to leave when it ends.
    private static let farewell: UInt64 = 2_000_000_000

    private let loop: EventLoop
    private let desk: LoopBound<Desk>
    private let orders = Inbox<Order>()
    /// Where it listens, with the real port.
    public let address: String

    /// Begins to listen.
    ///
    /// - Parameter address: `HOST:PORT`; port 0 takes a free one.
    /// - Throws: A ``LoadError`` where the address cannot be had.
    public init(listening address: String) throws(LoadError) {
        do {
            loop = try EventLoop(name: "worker")
            let desk = LoopBound(Desk(orders), on: loop)
            self.desk = desk
            let listener = try Listener(on: loop, address: .parse(address)) { stream in
                desk.onLoop { $0.accept(stream, desk) }
            }
            self.address = "\(listener.address)"
            loop.start()
        } catch {
            throw .system("\(error)")
        }
    }

    /// Does what coordinators ask for, one after the other, until somebody interrupts.
    ///
    /// - Parameters:
    ///   - interruption: Ends the run that is under way, and then the worker.
    ///   - read: Makes a plan of a coordinator's words; the error it throws is sent back.
    public func run(interruption: Interruption, read: ([String]) throws -> Plan) {
        while !interruption.isRequested {
            for order in orders.take(until: Clock.now() + 250_000_000) {
                interruption.observe { order.interruption.request() }
                do {
                    let report = try read(order.words).run(
                        interruption: order.interruption,
                        gate: {
                            order.answer(.object([("ready", .bool(true))]))
                            return order.awaitStart()
                        },
                        share: { seqs in
                            order.answer(.object([("seqs", .list(seqs.map { .number(Double($0)) }))]))
                            return order.awaitSeqs() ?? seqs
                        })
                    order.end(.object([("report", report.transfer)]))
                } catch {
                    order.end(.object([("error", .text("\(error)"))]))
                }
            }
        }
        let closed = Inbox<Void>()
        desk.run { $0.close { closed.post(()) } }
        let deadline = Clock.now() + Worker.farewell
        while closed.take(until: deadline).isEmpty, Clock.now() < deadline {}
        loop.stop()
    }
}

/// One run that a coordinator has asked for.
private final class Order: Sendable {
    /// How long the slowest of all workers may take to connect.
    private static let patience: UInt64 = 600_000_000_000

    let words: [String]
    let interruption = Interruption()
    let starts = Inbox<UInt64>()
    /// The last seqs of all workers; empty where there will be none.
    let seqs = Inbox<[UInt64]>()
    let answer: @Sendable (JSON) -> Void
    /// Gives the last answer.
    let end: @Sendable (JSON) -> Void

    init(
        _ words: [String], _ answer: @escaping @Sendable (JSON) -> Void, end: @escaping @Sendable (JSON) -> Void
    ) {
        self.words = words
        self.answer = answer
        self.end = end
    }

    /// Waits until all workers are ready.
    ///
    /// - Returns: When to start, by this process's clock.
    func awaitStart() -> UInt64 {
        let deadline = Clock.now() + Order.patience
        while !interruption.isRequested, Clock.now() < deadline {
            if let start = starts.take(until: Clock.now() + 100_000_000).first { return start }
        }
        interruption.request()
        return Clock.now()
    }

    /// Waits until all workers have told their last seqs.
    ///
    /// - Returns: The largest of them, by channel; `nil` where they do not come.
    func awaitSeqs() -> [UInt64]? {
        let deadline = Clock.now() + Order.patience
        while Clock.now() < deadline {
            if let last = seqs.take(until: deadline).first { return last.isEmpty ? nil : last }
        }
        return nil
    }
}

/// The connections of coordinators, on the worker's loop.
private final class Desk {
    private let orders: Inbox<Order>
    private var lines: [Int: LineStream] = [:]
    private var count = 0
    /// The line whose run is under way; `nil` where there is none, or nobody waits for it.
    private var busyLine: Int?
    private var whenClosed: (() -> Void)?

    init(_ orders: Inbox<Order>) {
        self.orders = orders
    }

    func accept(_ stream: ByteStream, _ desk: LoopBound<Desk>) {
        let line = LineStream(stream)
        let number = count
        var order: Order?
        count += 1
        lines[number] = line
        line.received = { [orders] value in
            if let mark = value["clock"] {
                line.send(.object([("clock", mark), ("now", .number(Double(Clock.now())))]))
            } else if case .list(let words) = value["words"] {
                guard desk.onLoop({ $0.begin(number) }) else {
                    line.send(.object([("error", .text("it is busy with another run"))]))
                    return
                }
                let new = Order(words.compactMap(\.text)) { answer in
                    desk.run { $0.lines[number]?.send(answer) }
                } end: { answer in
                    desk.run { $0.end(number, answer) }
                }
                order = new
                orders.post(new)
            } else if let start = value["start"]?.number.flatMap({ UInt64(exactly: $0.rounded()) }) {
                order?.starts.post(start)
            } else if case .list(let seqs) = value["seqs"] {
                order?.seqs.post(seqs.compactMap { $0.number.flatMap { UInt64(exactly: $0) } })
            } else if value["stop"] != nil {
                order?.interruption.request()
            }
        }
        line.ended = { [weak self] _ in
            // Nobody waits for what it would find.
            order?.interruption.request()
            order?.seqs.post([])
            self?.ended(number)
        }
    }

    /// Takes a run on; one at a time.
    private func begin(_ number: Int) -> Bool {
        guard busyLine == nil else { return false }
        busyLine = number
        return true
    }

    private func end(_ number: Int, _ answer: JSON) {
        if busyLine == number { busyLine = nil }
        lines[number]?.send(answer)
    }

    private func ended(_ number: Int) {
        lines[number] = nil
        // What is left of its run ends soon, and the next one waits for that.
        if busyLine == number { busyLine = nil }
        if lines.isEmpty { whenClosed?() }
    }

    /// Ends all lines, once what was said on them has left.
    func close(_ whenClosed: @escaping () -> Void) {
        if lines.isEmpty { return whenClosed() }
        self.whenClosed = whenClosed
        for line in lines.values { line.finish() }
    }
}
