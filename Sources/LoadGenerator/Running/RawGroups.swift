internal import Transport

/// Connections to any WebSocket server that check which markers they are sent.
final class RawSubscribers: LoadGroup {
    let connector: Connector
    private let numbers: Range<Int>
    private let plan: Plan
    private let sends: SendLog
    private let marker: Marker
    private var checkers: [SequenceChecker]
    private var hasEnded = false

    init(_ numbers: Range<Int>, _ setting: Setting, connector: Connector) {
        self.numbers = numbers
        plan = setting.plan
        sends = setting.sends
        marker = setting.marker
        self.connector = connector
        checkers = [SequenceChecker](repeating: SequenceChecker(subscribed: 0), count: numbers.count)
        connector.owner = self
    }

    func connect(whenDone: @escaping () -> Void) {
        connector.open(numbers, atOnce: max(1, plan.connectingAtOnce / plan.loops), whenDone: whenDone)
    }

    /// Compares what has come with how many were published.
    func balance(of published: UInt64) -> Subscribers.Balance {
        checkers.reduce(into: Subscribers.Balance()) { balance, checker in
            balance.expected += published
            balance.missing += checker.missing(through: published)
            balance.overtaken += checker.overtaken(through: published)
        }
    }

    /// Counts nothing that comes from now on.
    func end() { hasEnded = true }

    func connectionDidOpen(_ connection: LoadConnection) {
        let values = [
            "channel": plan.channel, "user": connector.name(connection.number), "n": "\(connection.number + 1)",
        ]
        for text in (plan.raw?.open ?? []) + (plan.raw?.subscribe ?? []) {
            connection.send(RawMessages.fill(text, values))
        }
        connector.settle(connection)
    }

    func connection(_ connection: LoadConnection, didReceive text: Span<UInt8>, at time: UInt64) {
        guard !hasEnded else { return }
        let index = connection.number - numbers.lowerBound
        marker.find(in: text) { number in
            switch checkers[index].see(number + 1) {
            case .next, .gap: break
            // Several publishers' messages have no order among each other.
            case .late: connector.tally.reordered += plan.publishers == 1 ? 1 : 0
            case .duplicate: return connector.tally.duplicates += 1
            }
            connector.tally.delivered += 1
            guard let stamp = sends.stamp(of: number, cell: 0) else { return connector.tally.untimed += 1 }
            connector.tally.latency.record((time - min(time, stamp.intended)) / 1000)
            connector.tally.latencyFromSend.record((time - min(time, stamp.sent)) / 1000)
        }
    }
}

/// Connections to any WebSocket server that publish by a fixed schedule.
final class RawPublishers: LoadGroup {
    let connector: Connector
    private let plan: Plan
    private let sends: SendLog
    private let marker: Marker
    private var schedule: Schedule
    private var start = UInt64.max
    private var end = UInt64.max
    private var turn = 0
    /// How many were sent.
    private(set) var count: UInt64 = 0

    init(_ setting: Setting, connector: Connector) {
        plan = setting.plan
        sends = setting.sends
        marker = setting.marker
        schedule = Schedule(plan)
        self.connector = connector
        connector.owner = self
    }

    func connect(whenDone: @escaping () -> Void) {
        connector.open(0..<plan.publishers, atOnce: plan.connectingAtOnce, whenDone: whenDone)
    }

    func begin(at start: UInt64, until end: UInt64) {
        self.start = start
        self.end = end
    }

    func stop() { end = min(end, Clock.now()) }

    /// Sends all that is due.
    func publish() {
        while let due = schedule.nextDue {
            let now = Clock.now()
            guard start <= now, due <= now - start, start + due <= end else { return }
            send(Stamp(intended: start + due, sent: now))
            turn = (turn + 1) % plan.publishers
            schedule.advance()
        }
    }

    func connectionDidOpen(_ connection: LoadConnection) {
        let values = [
            "channel": plan.channel, "user": connector.name(connection.number), "n": "\(connection.number + 1)",
        ]
        for text in plan.raw?.open ?? [] { connection.send(RawMessages.fill(text, values)) }
        connector.settle(connection)
    }

    func connection(_ connection: LoadConnection, didReceive text: Span<UInt8>, at time: UInt64) {}

    private func send(_ stamp: Stamp) {
        guard let connection = connector.connections[turn] else {
            return connector.tally.count("publisher not connected")
        }
        sends.note(count, cell: 0, stamp)
        let values = [
            "marker": marker.text(count), "n": "\(count)", "channel": plan.channel, "user": connector.name(turn),
        ]
        connection.send(RawMessages.fill(plan.raw?.publish ?? "", values))
        count += 1
        connector.tally.requests += 1
        connector.tally.lag.record((stamp.sent - stamp.intended) / 1000)
    }
}
