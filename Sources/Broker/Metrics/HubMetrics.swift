import Reactions
import Transport
import WebSocket
import Wire

/// What one channel has counted since its hub last asked.
struct ChannelCounts: Sendable {
    /// What became of requests that may change the channel.
    var results = Counts<ReactionResult>()
    /// How many such requests there were.
    private var judged: UInt64 = 0
    /// What was refused.
    var errors: [ErrorCode] = []
    /// The changes that were let out.
    var events: UInt64 = 0
    /// The bounds by which requests were refused, as too much waited.
    var overflows: [LimitName] = []

    /// Whether nothing was counted.
    var isEmpty: Bool { judged == 0 && events == 0 && errors.isEmpty && overflows.isEmpty }

    /// Counts what a reply tells.
    mutating func count(_ reply: Reply) {
        if let result = reply.result { count(result) }
        if case .error(_, let code, _, _) = reply.message { errors.append(code) }
        events += UInt64(reply.changes.count)
    }

    /// Counts what an operation has led to.
    mutating func count(_ told: Told) {
        count(told.result)
        events += UInt64(told.events)
    }

    private mutating func count(_ result: ReactionResult) {
        results.count(result)
        judged += 1
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
    var bytesReceived: UInt64 = 0
    /// What connections with compression were sent, as it would have been and as it was.
    var compressionSent = CompressedBytes()
    /// What they sent compressed.
    var compressionReceived = CompressedBytes()
    var limits = LimitHits()
    /// The codes of connections that ended; `0` stands for all that the contract does not name.
    var closed: [UInt16: UInt64] = [:]
    var commitFailures: UInt64 = 0
    /// Batches that this broker had acknowledged, and that the shared log has lost.
    var lostBatches: UInt64 = 0
    /// Channels that could not be read, each time.
    var readFailures: UInt64 = 0
    /// Channels that were let go because of their age.
    var expired: UInt64 = 0
    /// Connections on which TLS has failed.
    var tlsFailures = Counts<TLSFailure>()
    /// Answers to HTTP requests, by the first digit of their status less one.
    var answers = InlineArray<5, UInt64>(repeating: 0)

    // How long it took, in nanoseconds, from 32 µs on (turns from 2 µs), and how much it was.
    var acks = LogHistogram(upTo: 15)
    var deliveryDelays = LogHistogram(upTo: 15)
    var commits = LogHistogram(upTo: 15)
    var commitRecords = LogHistogram(upTo: 0)
    var turns = LogHistogram(upTo: 11)

    /// By the name of the queue.
    var webhooks: [String: WebhookMetrics] = [:]
    var hooks = HookMetrics()

    // What is there at this moment.
    var connections: UInt64 = 0
    var subscriptions: UInt64 = 0
    var channels: UInt64 = 0
    var waitingRequests: UInt64 = 0
    /// Records that the store has not been given yet, or gave back.
    var heldRecords: UInt64 = 0
    var outboundBytes: UInt64 = 0
    var blockedConnections: UInt64 = 0

    /// The close codes that are told apart.
    static let closeCodes: [UInt16] = [
        1000, 1001, 1002, 1003, 1005, 1006, 1007, 1008, 1009, 1012, 1013, 4000, 4001, 4003, 4008,
    ]

    mutating func count(_ counts: ChannelCounts) {
        results += counts.results
        for code in counts.errors { count(code) }
        events += counts.events
        for limit in counts.overflows { limits.count(limit) }
    }

    mutating func count(_ code: ErrorCode) {
        errors[code, default: 0] += 1
    }

    mutating func count(answerWith status: Int) {
        answers[min(max(status / 100, 1), 5) - 1] += 1
    }

    mutating func count(ended recipient: Recipient) {
        bytesSent += recipient.bytesSent
        bytesReceived += recipient.bytesReceived
        if let code = recipient.closeCode { closed[HubMetrics.closeCodes.contains(code) ? code : 0, default: 0] += 1 }
    }

    /// Counts one that is there at the moment of asking.
    mutating func count(present recipient: Recipient) {
        connections += 1
        bytesSent += recipient.bytesSent
        bytesReceived += recipient.bytesReceived
        outboundBytes += UInt64(recipient.queuedBytes)
        if recipient.isBlocked { blockedConnections += 1 }
    }

    static func += (sum: inout HubMetrics, more: HubMetrics) {
        sum.results += more.results
        sum.requests += more.requests
        sum.errors.merge(more.errors) { $0 + $1 }
        sum.events += more.events
        sum.deliveries += more.deliveries
        sum.lagged += more.lagged
        sum.bytesSent += more.bytesSent
        sum.bytesReceived += more.bytesReceived
        sum.compressionSent += more.compressionSent
        sum.compressionReceived += more.compressionReceived
        sum.limits += more.limits
        sum.closed.merge(more.closed) { $0 + $1 }
        sum.commitFailures += more.commitFailures
        sum.lostBatches += more.lostBatches
        sum.readFailures += more.readFailures
        sum.expired += more.expired
        sum.tlsFailures += more.tlsFailures
        for index in sum.answers.indices { sum.answers[index] += more.answers[index] }
        sum.acks += more.acks
        sum.deliveryDelays += more.deliveryDelays
        sum.commits += more.commits
        sum.commitRecords += more.commitRecords
        for (queue, webhook) in more.webhooks { sum.webhooks[queue, default: WebhookMetrics()] += webhook }
        sum.hooks += more.hooks
        sum.turns += more.turns
        sum.connections += more.connections
        sum.subscriptions += more.subscriptions
        sum.channels += more.channels
        sum.waitingRequests += more.waitingRequests
        sum.heldRecords += more.heldRecords
        sum.outboundBytes += more.outboundBytes
        sum.blockedConnections += more.blockedConnections
    }
}
