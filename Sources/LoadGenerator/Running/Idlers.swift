internal import Wire

/// Connections that do nothing, or nothing but subscribe.
final class Idlers: LoadGroup {
    let connector: Connector
    private let numbers: Range<Int>
    private let plan: Plan

    /// Makes a group that is not connected yet.
    ///
    /// - Parameters:
    ///   - numbers: Which of the plan's connections these are.
    ///   - setting: What all groups of the run share.
    ///   - connector: What opens the connections.
    init(_ numbers: Range<Int>, _ setting: Setting, connector: Connector) {
        self.numbers = numbers
        plan = setting.plan
        self.connector = connector
        connector.owner = self
    }

    func connect(whenDone: @escaping () -> Void) {
        connector.open(numbers, atOnce: max(1, plan.connectingAtOnce / plan.loops), whenDone: whenDone)
    }

    func connectionDidOpen(_ connection: LoadConnection) {
        guard plan.subscribes else { return connector.settle(connection) }
        var text: [UInt8] = []
        let channel = plan.channelName(connection.number % plan.channels)
        Request(id: .number(1), .subscribe(.init(channel: channel))).append(to: &text)
        connection.send(text)
    }

    func connection(_ connection: LoadConnection, didReceive text: Span<UInt8>, at time: UInt64) {
        switch try? BrokerMessage.decode(text) {
        case .subscribed: connector.settle(connection)
        case .error(_, let code, _, _): connector.fail(connection, "subscribe refused: \(code.rawValue)")
        case nil: connector.tally.count("undecodable message")
        default: break
        }
    }
}
