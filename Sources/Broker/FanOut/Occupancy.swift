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

    /// When there is something to tell, in milliseconds of the channel's clock; `nil`: nothing.
    var due: Int64? { hasChanged ? allowed : nil }

    /// Who is there.
    var present: Set<String> { Set(users.keys) }

    mutating func arrived(_ user: String) {
        connections += 1
        users[user, default: 0] += 1
        hasChanged = true
    }

    mutating func departed(_ user: String) {
        connections -= 1
        guard let count = users[user] else { return }
        users[user] = count > 1 ? count - 1 : nil
        hasChanged = true
    }

    /// The numbers, where they changed and the time has come.
    mutating func take(at moment: Moment) -> (connections: Int, users: Int)? {
        guard hasChanged, moment.clock >= allowed else { return nil }
        hasChanged = false
        allowed = moment.clock + Occupancy.interval
        return (connections, users.count)
    }
}
