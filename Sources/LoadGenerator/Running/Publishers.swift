internal import Reactions
internal import Transport
internal import Wire

/// Connections that publish by a fixed schedule, whatever the broker does; or, in a closed loop, as soon as it answers.
///
/// Requests that change something are numbered; publisher `p` of `P` has the numbers `p`, `p + P`, `p + 2P`, …
final class Publishers: LoadGroup {
    /// A request that has no answer yet.
    struct Owed {
        var id: UInt64
        var stamp: Stamp
        var move: Script.Move
    }

    private struct Publisher {
        /// The id of its next request.
        var id: UInt64 = 0
        /// How many of its requests change something.
        var changes: UInt64 = 0
        var own: Set<UInt64> = []
        var owed = Queue<Owed>()
        /// After an error it is not known what it has.
        var isCertain = true
    }

    let connector: Connector
    let plan: Plan
    let run: RunID
    let cast: Cast
    var models: [CountModel]
    /// How the broker writes each reaction, once it has.
    var names: [String?]
    var check = CountCheck()
    private let sends: SendLog
    private var script: Script
    private var schedule: Schedule
    private var start = UInt64.max
    private var end = UInt64.max
    private var turn = 0
    private var publishers: [Publisher]
    private var lastSeqs: [UInt64]
    private var text: [UInt8] = []

    /// Makes a group that is not connected yet.
    ///
    /// - Parameters:
    ///   - setting: What all groups of the run share.
    ///   - connector: What opens the connections.
    init(_ setting: Setting, connector: Connector) {
        plan = setting.plan
        run = setting.run
        cast = setting.cast
        sends = setting.sends
        self.connector = connector
        script = Script(plan)
        schedule = Schedule(plan)
        publishers = (0..<plan.publishers).map { _ in Publisher() }
        models = [CountModel](repeating: CountModel(), count: plan.channels)
        names = [String?](repeating: nil, count: plan.reactions.count)
        lastSeqs = [UInt64](repeating: 0, count: plan.channels)
        connector.owner = self
    }

    func connect(whenDone: @escaping () -> Void) {
        connector.open(0..<plan.publishers, atOnce: plan.connectingAtOnce, whenDone: whenDone)
    }

    /// Sets the moment from which the schedule counts; a closed loop begins at once.
    func begin(at start: UInt64, until end: UInt64) {
        self.start = start
        self.end = end
        guard let closed = plan.closed else { return }
        for number in 0..<closed { sendAtOnce(by: number % plan.publishers) }
    }

    /// Sends all that is due; in a closed loop nothing is.
    func publish() {
        guard plan.closed == nil else { return }
        while let due = schedule.nextDue {
            let now = Clock.now()
            guard start <= now, due <= now - start, start + due <= end else { return }
            send(Stamp(intended: start + due, sent: now), by: turn)
            turn = (turn + 1) % plan.publishers
            schedule.advance()
        }
    }

    /// Ends the load before its time.
    func stop() {
        end = min(end, Clock.now())
    }

    /// Where the answers are: how many requests have none yet, and the highest seq that was acked, by channel.
    var answers: (missing: UInt64, lastSeqs: [UInt64]) {
        (publishers.reduce(0) { $0 + UInt64($1.owed.count) }, lastSeqs)
    }

    /// Gives up waiting: what was not answered may have taken effect or not.
    func doubtUnanswered() {
        for (number, publisher) in publishers.enumerated() {
            for owed in publisher.owed.all { models[cast.channel(ofPublisher: number)].doubt(owed.move.cell) }
        }
    }

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
        case .ack(.number(let id), _, let answer, _, _):
            guard let owed = take(id, of: connection.number) else { return }
            received(answer, to: owed, of: connection.number, at: time)
            continueLoop(by: connection.number)
        case .error(.number(let id), let code, _, _):
            connector.tally.count(code.rawValue)
            publishers[connection.number].isCertain = false
            _ = take(id, of: connection.number)
            continueLoop(by: connection.number)
        case .error(_, let code, _, _): connector.tally.count(code.rawValue)
        case .list(_, _, _, _, let messages, _, _): compare(messages, from: connection.number)
        default: break
        }
    }

    /// Takes the request off the list that an answer is for; answers of a channel come in order.
    private func take(_ id: UInt64, of publisher: Int) -> Owed? {
        guard let first = publishers[publisher].owed.first, id >= first.id else {
            connector.tally.count("answer to nothing")
            return nil
        }
        while let owed = publishers[publisher].owed.popFirst() {
            if owed.id == id { return owed }
            connector.tally.count("answer missing or out of order")
            publishers[publisher].isCertain = false
            models[cast.channel(ofPublisher: publisher)].doubt(owed.move.cell)
        }
        return nil
    }

    private func received(_ answer: Answer, to owed: Owed, of publisher: Int, at time: UInt64) {
        let channel = cast.channel(ofPublisher: publisher)
        let cell = owed.move.cell
        if answer.result != owed.move.expected, publishers[publisher].isCertain {
            connector.tally.count("ack \(answer.result.rawValue) instead of \(owed.move.expected.rawValue)")
        }
        switch answer.result {
        case .added: models[channel].change(cell, by: 1)
        case .removed: models[channel].change(cell, by: -1)
        default: models[channel].change(cell, by: 0)
        }
        if let reaction = answer.reaction { names[CountModel.reaction(of: cell)] = reaction.text }
        lastSeqs[channel] = max(lastSeqs[channel], answer.seq)
        connector.tally.acked += 1
        connector.tally.ack.record((time - min(time, owed.stamp.intended)) / 1000)
    }

    // MARK: Sending

    private func continueLoop(by publisher: Int) {
        if plan.closed != nil { sendAtOnce(by: publisher) }
    }

    private func sendAtOnce(by publisher: Int) {
        let now = Clock.now()
        guard now < end else { return }
        send(Stamp(intended: now, sent: now), by: publisher)
    }

    private func send(_ stamp: Stamp, by number: Int) {
        guard let connection = connector.connections[number] else {
            connector.tally.count("publisher not connected")
            return
        }
        let move = script.next(of: number, own: &publishers[number].own)
        let change = publishers[number].changes * UInt64(plan.publishers) + UInt64(number)
        if move.expected != .unchanged {
            publishers[number].changes += 1
            sends.note(change, cell: move.cell, stamp)
        }
        let id = publishers[number].id
        publishers[number].id += 1
        publishers[number].owed.append(Owed(id: id, stamp: stamp, move: move))
        text.removeAll(keepingCapacity: true)
        request(move, id: id, number: change, by: number).append(to: &text)
        connection.send(text)
        connector.tally.requests += 1
        connector.tally.lag.record((stamp.sent - stamp.intended) / 1000)
    }

    private func request(_ move: Script.Move, id: UInt64, number: UInt64, by publisher: Int) -> Request {
        let text = run.data(number: number)
        let data = ReactionData(text: text, canonical: text)
        let reaction = plan.reactions[CountModel.reaction(of: move.cell)]
        let action: Operation.Action =
            switch move.kind {
            case .add: .add(reaction: reaction, count: nil, data: data)
            case .remove: .remove(reaction: reaction, count: nil)
            case .toggle: .toggle(reaction: reaction, count: nil, data: data)
            }
        return Request(
            id: .number(id),
            .operation(
                channel: plan.channelName(cast.channel(ofPublisher: publisher)),
                message: run.message(CountModel.message(of: move.cell)), action: action, key: nil))
    }
}
