/// The names of all fields of the contract, so that a name in a text becomes a small number at once.
enum Field: Int, Vocabulary {
    static let words = WordTable<Field>()

    // Requests, and what is common.
    case type, id, channel, message, reaction, key, data, count, user, reactions
    case token, mode, messages, since, occupancy, epoch, seq, frozen, limit, after
    // What a broker says.
    case connection, time, heartbeatMilliseconds, limits, maxMessageBytes, maxSubscriptions
    case result, previous, previousCount, previousUsers, own, ownCounts, removed, duplicate, expires
    case policy, intervalMilliseconds, allowed, kinds, perUser, recovered, more, reason
    case users, total, at, byCount, by, groups, first, last, latest, deleted
    case connections, windowMilliseconds, from, to, reactors, code, retryAfterMilliseconds

    /// The name as it stands in a message.
    var name: String {
        switch self {
        case .heartbeatMilliseconds: "heartbeat_ms"
        case .maxMessageBytes: "max_message_bytes"
        case .maxSubscriptions: "max_subscriptions"
        case .previousCount: "previous_count"
        case .previousUsers: "previous_users"
        case .ownCounts: "own_counts"
        case .intervalMilliseconds: "interval_ms"
        case .perUser: "per_user"
        case .byCount: "by_count"
        case .windowMilliseconds: "window_ms"
        case .retryAfterMilliseconds: "retry_after_ms"
        default: "\(self)"
        }
    }
}
