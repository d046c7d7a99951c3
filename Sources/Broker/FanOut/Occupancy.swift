import Wire

/// How many are subscribed to a channel, for those who want to know.
///
/// Told at most once a second, when it changed; the first change after a quiet second at once.
struct Occupancy: Sendable {
    /// The least time between two tellings, in milliseconds.
    static let interval: Int64 = 1_000

    private var connections = 0
    /// How many subscriptions each user has.
    private var users: [String: Int] = [:]
    private var hasChanged = false
    private var allowed: Int64 = 0
    /// What goes to and fro between brokers; `nil`: this one is alone.
    private var shared: SharedOccupancy?

    /// Begins with nobody; `broker` is this one's number among several.
    init(broker: UInt64? = nil) {
        shared = broker.map(SharedOccupancy.init)
    }

    /// When there is something to tell, in milliseconds of the channel's clock; `nil`: nothing.
    var due: Int64? { hasChanged ? allowed : nil }

    /// Who is there.
    var present: Set<String> { Set(users.keys) }

    mutating func arrived(_ user: String) {
        connections += 1
        users[user, default: 0] += 1
        hasChanged = true
        shared?.change()
    }

    mutating func departed(_ user: String) {
        connections -= 1
        guard let count = users[user] else { return }
        users[user] = count > 1 ? count - 1 : nil
        hasChanged = true
        shared?.change()
    }

    /// The numbers, where they changed and the time has come.
    mutating func take(at moment: Moment) -> (connections: Int, users: Int)? {
        guard hasChanged, moment.clock >= allowed else { return nil }
        hasChanged = false
        allowed = moment.clock + Occupancy.interval
        guard let shared, !shared.isAlone else { return (connections, users.count) }
        return shared.sum(connections: connections, users: Occupancy.hashes(of: users.keys))
    }

    // MARK: Several brokers

    /// When another broker is to be told or forgotten; `asks`: someone here wants to know how many there are.
    func sharedDue(asks: Bool) -> Int64? { shared?.due(asks: asks) }

    /// Takes what another broker says.
    mutating func hear(_ notice: SharedOccupancy.Notice, at clock: Int64) {
        if shared?.hear(notice, at: clock) ?? false { hasChanged = true }
    }

    /// What is to be said to the other brokers now.
    mutating func takeNotice(asks: Bool, at clock: Int64) -> SharedOccupancy.Notice? {
        guard shared != nil else { return nil }
        if shared?.forget(at: clock) ?? false { hasChanged = true }
        return shared?.take(
            asks: asks, connections: connections, users: { [users] in Occupancy.hashes(of: users.keys) }, at: clock)
    }

    /// Those here, as other brokers know them.
    private static func hashes(of users: some Collection<String>) -> [UInt64] {
        users.map { name in
            var hash = StableHash()
            hash.combine(name)
            return hash.value
        }
    }
}
