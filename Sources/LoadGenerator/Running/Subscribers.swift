internal import Reactions
internal import Transport
internal import Wire

/// Connections that each subscribe to one channel and check what they are sent.
final class Subscribers: LoadGroup {
    let connector: Connector
    let numbers: Range<Int>
    let plan: Plan
    let cast: Cast
    let run: RunID
    let sends: SendLog
    /// By channel.
    var logs: [EventLog]
    /// By channel: the epochs that its counter has had, as far as was seen.
    var epochs: [[String]]
    /// By channel: what the numbers in its events must be.
    var eventCounts: [EventCounts]
    /// By channel: its newest events.
    var frames: [EventFrames]
    /// By channel: its newest summaries.
    var summaries: [SummaryLog]
    /// By connection, from the first number.
    var readers: [Reader]
    /// What became of subscriptions that have ended.
    var past = Balance()
    private var hasEnded = false
    let userPrefix: String?

    /// What all that ever subscribed should have received, in events.
    struct Balance: Sendable {
        var expected: UInt64 = 0
        var missing: UInt64 = 0
        /// Of the missing, those that later events have overtaken.
        var overtaken: UInt64 = 0
        /// What throttled readers have not come to yet; it is neither expected nor missing.
        var behind: UInt64 = 0

        static func + (one: Balance, other: Balance) -> Balance {
            Balance(
                expected: one.expected + other.expected, missing: one.missing + other.missing,
                overtaken: one.overtaken + other.overtaken, behind: one.behind + other.behind)
        }
    }

    /// Makes a group that is not connected yet.
    ///
    /// - Parameters:
    ///   - numbers: Which of the plan's subscribers these are.
    ///   - setting: What all groups of the run share.
    ///   - connector: What opens the connections.
    init(_ numbers: Range<Int>, _ setting: Setting, connector: Connector) {
        self.numbers = numbers
        plan = setting.plan
        run = setting.run
        cast = setting.cast
        sends = setting.sends
        self.connector = connector
        let capacity = EventLog.capacity(plan)
        logs = (0..<plan.channels).map { _ in EventLog(capacity: capacity) }
        epochs = [[String]](repeating: [], count: plan.channels)
        frames = [EventFrames](repeating: EventFrames(channels: plan.channels), count: plan.channels)
        eventCounts = [EventCounts](repeating: EventCounts(), count: plan.channels)
        summaries = [SummaryLog](repeating: SummaryLog(), count: plan.channels)
        readers = [Reader](repeating: Reader(), count: numbers.count)
        userPrefix = if case .users(let prefix) = plan.identity { prefix + "-pub-" } else { nil }
        connector.owner = self
        takeRoles()
    }

    func connect(whenDone: @escaping () -> Void) {
        connector.open(numbers, atOnce: max(1, plan.connectingAtOnce / plan.loops), whenDone: whenDone)
    }

    /// Compares what has come with what was published.
    ///
    /// - Parameter last: The last seq of each channel, 0 where nothing was published.
    /// - Returns: The balance so far.
    func balance(through last: [UInt64]) -> Balance {
        if plan.mode == .summary { return summaryBalance(through: last) }
        var balance = past
        for (index, reader) in readers.enumerated() {
            guard let checker = reader.checker else { continue }
            var last = last[cast.channel(ofSubscriber: numbers.lowerBound + index)]
            if reader.isThrottled, last >= checker.next {
                balance.behind += last - checker.next + 1
                last = checker.next - 1
            }
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

    func connectionDidOpen(_ connection: LoadConnection) { subscribe(connection) }

    func connection(_ connection: LoadConnection, didReceive text: Span<UInt8>, at time: UInt64) {
        guard !hasEnded else { return }
        if plan.mode == .summary, receivedSummary(text, by: connection) { return }
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
        case .subscribed(let subscribed): received(subscribed, by: connection, at: time)
        case .lagged(_, let first, let last): lagged(from: first, through: last, connection)
        case .error(_, let code, _, _):
            connector.tally.count(code.rawValue)
            connector.fail(connection, "subscribe refused: \(code.rawValue)")
        case .unsubscribed(_, _, let reason): unsubscribed(reason, connection)
        default: break
        }
    }

    func connectionDidEnd(_ connection: LoadConnection) -> Bool {
        let index = index(of: connection)
        retire(index)
        readers[index].phase = .away
        guard readers[index].isSlow else { return false }
        connector.tally.slowClosed += 1
        return true
    }

    // MARK: Events

    private func received(
        _ seq: UInt64, _ change: Change?, _ text: Span<UInt8>, by connection: LoadConnection, at time: UInt64
    ) {
        let index = index(of: connection)
        switch readers[index].phase {
        case .subscribed, .unsubscribing: break
        case .unsubscribed: return connector.tally.afterUnsubscribe += 1
        case .away, .subscribing: return connector.tally.count("event before subscribed")
        }
        switch readers[index].checker?.see(seq) {
        case .next, .gap: break
        case .late: connector.tally.reordered += 1
        case .duplicate:
            connector.tally.duplicates += 1
            return
        case nil: return
        }
        connector.tally.delivered += 1
        let channel = cast.channel(ofSubscriber: connection.number)
        let stamp: Stamp?
        switch logs[channel][seq] {
        case .stamped(let known):
            stamp = known
            compare(text, at: seq, channel: channel, reader: connection.number)
        case .unstamped:
            stamp = nil
            compare(text, at: seq, channel: channel, reader: connection.number)
        case .unseen:
            stamp = self.stamp(at: seq, of: change, text, channel: channel)
            logs[channel].enter(stamp, at: seq)
        }
        if seq <= readers[index].replayedThrough { return connector.tally.replayed += 1 }
        guard let stamp, !readers[index].isSlow else { return connector.tally.untimed += 1 }
        connector.tally.latency.record((time - min(time, stamp.intended)) / 1000)
        connector.tally.latencyFromSend.record((time - min(time, stamp.sent)) / 1000)
    }

    func index(of connection: LoadConnection) -> Int { connection.number - numbers.lowerBound }
}
