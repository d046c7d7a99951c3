import Reactions
import Wire

/// What one channel has counted since its hub last asked.
struct ChannelCounts: Sendable {
    /// What became of requests that may change the channel.
    var results = Counts<ReactionResult>()
    /// What was refused.
    var errors: [ErrorCode] = []
    /// The changes that were let out.
    var events: UInt64 = 0

    /// Counts what a reply tells.
    mutating func count(_ reply: Reply) {
        if let result = reply.result { results.count(result) }
        if case .error(_, let code, _, _) = reply.message { errors.append(code) }
        events += UInt64(reply.changes.count)
    }
}

/// What a hub has counted since it began; of several hubs the sum.
///
/// No counter has a label that grows with users, channels or what they send.
struct HubMetrics: Sendable {
    // What only goes up.
    var results = Counts<ReactionResult>()
    var requests = Counts<RequestKind>()
    var errors: [ErrorCode: UInt64] = [:]
    var events: UInt64 = 0
    /// Events, summaries and bursts, each as often as it was handed to a recipient.
    var deliveries: UInt64 = 0
    var lagged: UInt64 = 0
    var bytesSent: UInt64 = 0
    /// The codes of connections that ended; `0` stands for all that the contract does not name.
    var closed: [UInt16: UInt64] = [:]
    var commitSeconds = Histogram(bounds: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5])
    var commitRecords = Histogram(bounds: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000])

    /// By the name of the queue.
    var webhooks: [String: WebhookMetrics] = [:]
    var hooks = HookMetrics()

    // What is there at this moment.
    var connections: UInt64 = 0
    var subscriptions: UInt64 = 0
    var channels: UInt64 = 0

    /// The close codes that are told apart.
    static let closeCodes: [UInt16] = [
        1000, 1001, 1002, 1003, 1005, 1006, 1007, 1009, 1012, 1013, 4000, 4001, 4003, 4008,
    ]

    mutating func count(_ counts: ChannelCounts) {
        results += counts.results
        for code in counts.errors { count(code) }
        events += counts.events
    }

    mutating func count(_ code: ErrorCode) {
        errors[code, default: 0] += 1
    }

    mutating func count(ended recipient: Recipient) {
        bytesSent += recipient.bytesSent
        if let code = recipient.closeCode { closed[HubMetrics.closeCodes.contains(code) ? code : 0, default: 0] += 1 }
    }

    static func += (sum: inout HubMetrics, more: HubMetrics) {
        sum.results += more.results
        sum.requests += more.requests
        sum.errors.merge(more.errors) { $0 + $1 }
        sum.events += more.events
        sum.deliveries += more.deliveries
        sum.lagged += more.lagged
        sum.bytesSent += more.bytesSent
        sum.closed.merge(more.closed) { $0 + $1 }
        sum.commitSeconds += more.commitSeconds
        sum.commitRecords += more.commitRecords
        for (queue, webhook) in more.webhooks { sum.webhooks[queue, default: WebhookMetrics()] += webhook }
        sum.hooks += more.hooks
        sum.connections += more.connections
        sum.subscriptions += more.subscriptions
        sum.channels += more.channels
    }
}
