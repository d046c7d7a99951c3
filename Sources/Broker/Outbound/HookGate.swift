import HTTP

/// The requests of one recipient that wait: for a hook's answer, or behind one of the same channel that does.
///
/// It outlives the recipient, because what was sent before the end takes effect.
final class HookGate {
    /// How many may wait before no more are taken from the recipient; each may be as large as a message.
    static let capacity = 64

    /// What a hook is told of the connection.
    let connection: String
    let address: String?
    /// The trace of the request that the connection came with.
    let trace: TraceContext?
    private let identity: Identity?
    private(set) weak var recipient: Recipient?
    private var channels: [String: [ChannelRequest]] = [:]
    private var count = 0

    init(_ recipient: Recipient) {
        self.recipient = recipient
        connection = recipient.session.key.description
        address = recipient.address
        trace = recipient.trace
        identity = recipient.session.identity
    }

    /// Whether who asks has been revoked since the first of them came.
    func isRevoked(by revocations: Revocations?) -> Bool {
        guard let identity else { return false }
        return revocations?.cover(identity.user, issued: identity.issued) == true
    }

    var isEmpty: Bool { channels.isEmpty }

    var isFull: Bool { count >= HookGate.capacity }

    /// Whether requests of a channel wait.
    func holds(_ channel: String) -> Bool { channels[channel] != nil }

    /// Puts a request behind those of its channel.
    func hold(_ request: ChannelRequest) {
        channels[request.channel, default: []].append(request)
        count += 1
    }

    /// The first of a channel's requests, which stays.
    func first(of channel: String) -> ChannelRequest? { channels[channel]?.first }

    /// Lets the first of a channel's requests go.
    func removeFirst(of channel: String) {
        guard channels[channel]?.isEmpty == false else { return }
        channels[channel]?.removeFirst()
        count -= 1
        if channels[channel]?.isEmpty == true { channels[channel] = nil }
    }
}
