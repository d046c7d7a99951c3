internal import Transport
internal import Wire

/// What happens to subscribers during a run, on purpose.
extension Subscribers {
    /// How a subscriber leaves before it comes back.
    enum Leave: Sendable {
        /// It unsubscribes and subscribes again.
        case unsubscribing
        /// Its connection ends; it begins anew.
        case reconnecting(LoadConnection.Manner)
        /// Its connection ends; it asks for what it has missed.
        case resuming(LoadConnection.Manner)
    }

    /// Gives each reader the part that the plan has for it.
    func takeRoles() {
        var traits: [(percent: Double, Connector.Traits)] = []
        for fault in plan.faults {
            switch fault {
            case .bytewise(let percent): traits.append((percent, .bytewise))
            case .throttled(let percent, let rate):
                traits.append((percent, .throttled))
                connector.bytesPerSecond = rate
            case .resets, .halfOpen, .pause: break
            }
        }
        if plan.scenario == .slow { traits.append((plan.slowPercent, .smallBuffer)) }
        guard !traits.isEmpty else { return }
        connector.traits = { number in
            traits.reduce(into: Connector.Traits()) { all, trait in
                if Subscribers.isChosen(number, percent: trait.percent) { all.formUnion(trait.1) }
            }
        }
        for number in numbers {
            let traits = connector.traits(number)
            readers[number - numbers.lowerBound].isSlow = !traits.isDisjoint(with: [.smallBuffer, .throttled])
            readers[number - numbers.lowerBound].isThrottled = traits.contains(.throttled)
        }
    }

    /// Whether a connection is among so many of 100, which are spread over all numbers; the first always is.
    static func isChosen(_ number: Int, percent: Double) -> Bool {
        Double(number % 100 * 37 % 100) < percent
    }

    /// Lets one subscriber leave, if it is subscribed, and come back after the plan's time.
    func leave(_ number: Int, _ leave: Leave) {
        let index = number - numbers.lowerBound
        guard let connection = connector.connections[number], readers[index].phase == .subscribed else { return }
        switch leave {
        case .unsubscribing:
            readers[index].phase = .unsubscribing
            readers[index].resumes = false
            var text: [UInt8] = []
            let channel = plan.channelName(cast.channel(ofSubscriber: number))
            Request(id: .number(2), .unsubscribe(channel: channel)).append(to: &text)
            connection.send(text)
        case .reconnecting(let manner):
            part(connection, manner, resumes: false)
            Comeback(of: number, to: self).begin(after: plan.away)
        case .resuming(let manner):
            part(connection, manner, resumes: true)
            Comeback(of: number, to: self).begin(after: plan.away)
        }
    }

    /// All lose their connections and are back at the door at once.
    func storm() {
        let all = connector.connections.values.sorted { $0.number < $1.number }
        for connection in all { part(connection, .abrupt, resumes: false) }
        connector.reopen(all.map(\.number), isStorm: true)
    }

    /// Lets the slow ones stop to read, or read on.
    func setSlowReading(_ isOn: Bool) {
        for (number, connection) in connector.connections
        where connector.traits(number).contains(.smallBuffer) { connection.setReading(isOn) }
    }

    /// How many are away at the moment, or not subscribed again yet.
    var unsettled: Int {
        readers.count { $0.leftAt > 0 || $0.phase == .unsubscribing || $0.phase == .unsubscribed }
    }

    /// Expects nothing more for those who are away or not subscribed again: nobody waits until they are.
    func excuseAbsent() {
        for index in readers.indices where readers[index].phase != .subscribed { retire(index) }
    }

    /// It comes back from having left.
    fileprivate func comeBack(_ number: Int) {
        if let connection = connector.connections[number] { return subscribe(connection) }
        connector.reopen([number])
    }

    private func part(_ connection: LoadConnection, _ manner: LoadConnection.Manner, resumes: Bool) {
        let index = index(of: connection)
        readers[index].leftAt = Clock.now()
        readers[index].phase = .away
        readers[index].resumes = resumes
        if !resumes { retire(index) }
        connector.leave(connection, manner)
    }
}

/// Brings a subscriber back.
final class Comeback: TimerHandler {
    private let number: Int
    private let group: Subscribers

    init(of number: Int, to group: Subscribers) {
        self.number = number
        self.group = group
    }

    /// Waits.
    func begin(after delay: Duration) {
        group.connector.loop.schedule(self, after: delay)
    }

    func timerFired(_ now: MonotonicTime) { group.comeBack(number) }
}
