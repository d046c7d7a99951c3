internal import Reactions
internal import Transport
internal import Wire

/// Connections that publish by a fixed schedule, whatever the broker does.
///
/// Request `k` is publisher `k mod P`'s. Each publisher adds a reaction to a message of its own and then removes it, so
/// every request is one change and yields one event.
final class Publishers: LoadGroup {
    let connector: Connector
    private let plan: Plan
    private let run: RunID
    private let sends: SendLog
    private var schedule: Schedule
    private var start = UInt64.max
    private var count: UInt64 = 0
    private var answered: UInt64 = 0
    private var lastSeqs: [UInt64]
    private var text: [UInt8] = []

    /// Makes a group that is not connected yet.
    ///
    /// - Parameters:
    ///   - plan: What is done.
    ///   - run: What marks this run's data.
    ///   - sends: Where it is noted when each request was sent.
    ///   - connector: What opens the connections.
    init(plan: Plan, run: RunID, sends: SendLog, connector: Connector) {
        self.plan = plan
        self.run = run
        self.sends = sends
        self.connector = connector
        schedule = Schedule(plan)
        lastSeqs = [UInt64](repeating: 0, count: plan.channels)
        connector.owner = self
    }

    func connect(whenDone: @escaping () -> Void) {
        connector.open(0..<plan.publishers, atOnce: plan.connectingAtOnce, whenDone: whenDone)
    }

    /// Sets the moment from which the schedule counts.
    func begin(at start: UInt64) {
        self.start = start
    }

    /// Sends all that is due.
    func publish() {
        while let due = schedule.nextDue {
            let now = Clock.now()
            guard start <= now, due <= now - start else { return }
            send(Stamp(intended: start + due, sent: now))
            schedule.advance()
        }
    }

    /// Where the answers are: how many requests have none yet, and the highest seq that was acked, by channel.
    var answers: (missing: UInt64, lastSeqs: [UInt64]) { (count - answered, lastSeqs) }

    // MARK: ConnectionOwner

    func connectionDidOpen(_ connection: LoadConnection) {
        connector.settle(connection)
    }

    func connection(_ connection: LoadConnection, didReceive text: Span<UInt8>, at time: UInt64) {
        let message: BrokerMessage
        do {
            message = try BrokerMessage.decode(text)
        } catch {
            connector.tally.count("undecodable message")
            return
        }
        switch message {
        case .ack(.number(let number), _, let answer, _, _):
            answered += 1
            received(answer, to: number, channel: connection.number % plan.channels, at: time)
        case .error(let id, let code, _, _):
            if id != nil { answered += 1 }
            connector.tally.count(code.rawValue)
        default: break
        }
    }

    private func received(_ answer: Answer, to number: UInt64, channel: Int, at time: UInt64) {
        switch answer.result {
        case .added, .removed, .updated:
            connector.tally.acked += 1
            lastSeqs[channel] = max(lastSeqs[channel], answer.seq)
        default: connector.tally.count("unexpected result \(answer.result.rawValue)")
        }
        if let stamp = sends.stamp(of: number) {
            connector.tally.ack.record((time - min(time, stamp.intended)) / 1000)
        }
    }

    private func send(_ stamp: Stamp) {
        let number = count
        let publisher = Int(number % UInt64(plan.publishers))
        count += 1
        // The numbers of the log must go on without a hole, also where the connection is gone.
        sends.append(stamp)
        guard let connection = connector.connections[publisher] else {
            answered += 1
            connector.tally.count("publisher not connected")
            return
        }
        text.removeAll(keepingCapacity: true)
        request(number, by: publisher).append(to: &text)
        connection.send(text)
        connector.tally.requests += 1
        connector.tally.lag.record((stamp.sent - stamp.intended) / 1000)
    }

    private func request(_ number: UInt64, by publisher: Int) -> Request {
        let isAddition = number / UInt64(plan.publishers) % 2 == 0
        let data = run.data(number: number)
        return Request(
            id: .number(number),
            .operation(
                channel: plan.channelName(publisher % plan.channels), message: run.message(of: publisher),
                action: isAddition
                    ? .add(reaction: plan.reaction, count: nil, data: ReactionData(text: data, canonical: data))
                    : .remove(reaction: plan.reaction, count: nil),
                key: nil))
    }
}
