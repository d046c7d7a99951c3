internal import Reactions
internal import Transport
internal import Wire

/// Connections that each subscribe to one channel and check what they are sent.
final class Subscribers: LoadGroup {
    let connector: Connector
    private let numbers: Range<Int>
    private let plan: Plan
    private let run: RunID
    private let sends: SendLog
    /// By channel.
    private var logs: [EventLog]
    /// By connection, from the first number; `nil` before its `subscribed`.
    private var checkers: [SequenceChecker?]
    private var hasEnded = false

    /// What all that ever subscribed should have received, in events.
    struct Balance: Sendable {
        var expected: UInt64 = 0
        var missing: UInt64 = 0
        /// Of the missing, those that later events have overtaken.
        var overtaken: UInt64 = 0
    }

    /// Makes a group that is not connected yet.
    ///
    /// - Parameters:
    ///   - numbers: Which of the plan's subscribers these are.
    ///   - plan: What is done.
    ///   - run: Which data is this run's.
    ///   - sends: When each request was sent.
    ///   - connector: What opens the connections.
    init(_ numbers: Range<Int>, plan: Plan, run: RunID, sends: SendLog, connector: Connector) {
        self.numbers = numbers
        self.plan = plan
        self.run = run
        self.sends = sends
        self.connector = connector
        let capacity = SendLog.capacity(rate: plan.rate / Double(plan.channels))
        logs = (0..<plan.channels).map { _ in EventLog(capacity: capacity) }
        checkers = [SequenceChecker?](repeating: nil, count: numbers.count)
        connector.owner = self
    }

    func connect(whenDone: @escaping () -> Void) {
        connector.open(numbers, atOnce: max(1, plan.connectingAtOnce / plan.loops), whenDone: whenDone)
    }

    /// Compares what has come with what was published.
    ///
    /// - Parameter last: The last seq of each channel, 0 where nothing was published.
    /// - Returns: The balance so far.
    func balance(through last: [UInt64]) -> Balance {
        var balance = Balance()
        for (index, checker) in checkers.enumerated() {
            guard let checker else { continue }
            let last = last[channel(of: numbers.lowerBound + index)]
            balance.expected += last >= checker.first ? last - checker.first + 1 : 0
            balance.missing += checker.missing(through: last)
            balance.overtaken += checker.overtaken(through: last)
        }
        return balance
    }

    /// Counts nothing that comes from now on, so that the last balance and the counts agree.
    func end() {
        hasEnded = true
    }

    // MARK: ConnectionOwner

    func connectionDidOpen(_ connection: LoadConnection) {
        let name = plan.channelName(channel(of: connection.number))
        var text: [UInt8] = []
        Request(id: .number(1), .subscribe(.init(channel: name))).append(to: &text)
        connection.send(text)
    }

    func connection(_ connection: LoadConnection, didReceive text: Span<UInt8>, at time: UInt64) {
        guard !hasEnded else { return }
        if let seq = EventScanner.seq(of: text) {
            received(seq, nil, text, by: connection, at: time)
            return
        }
        let message: BrokerMessage
        do {
            message = try BrokerMessage.decode(text)
        } catch {
            connector.tally.count("undecodable message")
            return
        }
        switch message {
        case .event(_, let change): received(change.seq, change, text, by: connection, at: time)
        case .subscribed(let subscribed): received(subscribed, by: connection)
        case .lagged(_, _, let last):
            connector.tally.lagged += checkers[index(of: connection)]?.skip(through: last) ?? 0
        case .error(_, let code, _, _):
            connector.tally.count(code.rawValue)
            connector.fail(connection, "subscribe refused: \(code.rawValue)")
        case .unsubscribed(_, _, let reason): connector.tally.count("unsubscribed: \(reason ?? "no reason")")
        default: break
        }
    }

    // MARK: What is received

    private func received(_ subscribed: Subscribed, by connection: LoadConnection) {
        let index = index(of: connection)
        if checkers[index] == nil {
            checkers[index] = SequenceChecker(subscribed: subscribed.seq)
            connector.settle(connection)
        } else {
            connector.tally.lagged += checkers[index]?.skip(through: subscribed.seq) ?? 0
        }
    }

    private func received(
        _ seq: UInt64, _ change: Change?, _ text: Span<UInt8>, by connection: LoadConnection, at time: UInt64
    ) {
        switch checkers[index(of: connection)]?.see(seq) {
        case .next, .gap: break
        case .late: connector.tally.reordered += 1
        case .duplicate:
            connector.tally.duplicates += 1
            return
        case nil:
            connector.tally.count("event before subscribed")
            return
        }
        connector.tally.delivered += 1
        let channel = channel(of: connection.number)
        let stamp: Stamp?
        switch logs[channel][seq] {
        case .stamped(let known): stamp = known
        case .unstamped: stamp = nil
        case .unseen:
            stamp = self.stamp(of: change, text, channel: channel)
            logs[channel].enter(stamp, at: seq)
        }
        guard let stamp else {
            connector.tally.untimed += 1
            return
        }
        connector.tally.latency.record((time - min(time, stamp.intended)) / 1000)
        connector.tally.latencyFromSend.record((time - min(time, stamp.sent)) / 1000)
    }

    /// When the request behind an event was due and sent, from the event as it was first seen on this loop.
    ///
    /// An addition carries its request's number; the same publisher's next event takes it away, and was one round later.
    private func stamp(of change: Change?, _ text: Span<UInt8>, channel: Int) -> Stamp? {
        var change = change
        if change == nil {
            guard case .event(_, let decoded) = try? BrokerMessage.decode(text) else {
                connector.tally.count("undecodable message")
                return nil
            }
            change = decoded
        }
        guard let change, let publisher = run.publisher(of: change.message) else { return nil }
        switch change.kind {
        case .added(_, _, let data?), .updated(_, let data):
            guard let number = run.number(in: data.text) else { return nil }
            logs[channel].expectRemoval(number: number + UInt64(plan.publishers), by: publisher)
            return sends.stamp(of: number)
        case .removed: return logs[channel].takeRemoval(by: publisher).flatMap(sends.stamp(of:))
        default: return nil
        }
    }

    private func index(of connection: LoadConnection) -> Int { connection.number - numbers.lowerBound }

    private func channel(of number: Int) -> Int { number % plan.channels }
}
