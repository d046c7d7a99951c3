import Wire

/// What a connection is asked to become: a WebSocket of a broker.
struct Upgrade: Sendable {
    var url: BrokerURL
    /// The request's target, with the name of a user where there is one.
    var target: String
    /// The token to show; `nil`: none.
    var token: String?
    var options: ClientOptions
}

/// What a connection tells.
enum ConnectionEvent: Sendable {
    /// The broker's messages of one read, in order; none: something else was heard of it.
    case messages([BrokerMessage])
    /// It is over, or did not come about.
    case lost(Loss)
}
