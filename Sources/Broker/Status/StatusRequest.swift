import Foundation
public import Transport
import Wire

/// What a status tells that hubs do not know.
public struct StatusFacts: Sendable {
    /// What keeps the channels: the store, as the settings call it, or `nats` where brokers share a log there.
    public var storeKind: String
    /// Whether there is a connection to the servers of the shared log; `nil`: there is no such log.
    public var isLogConnected: Bool?

    /// Makes them.
    public init(storeKind: String, isLogConnected: Bool? = nil) {
        self.storeKind = storeKind
        self.isLogConnected = isLogConnected
    }
}

extension Hub {
    /// Asks all hubs what is about; `reply` gets a ``BrokerStatus`` as JSON, on this hub's loop.
    ///
    /// Called there too. What is computed for it is computed at most about once a second, however many ask.
    public nonisolated func askStatus(
        _ facts: StatusFacts, _ memory: MemoryUse, isServing: Bool, reply: @escaping ([UInt8]) -> Void
    ) -> PendingReply {
        askMetrics(withActivity: true, reply: reply) { hub, metrics, activity in
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.outputFormatting = .withoutEscapingSlashes
            // All of it are numbers, texts and lists, so it can be encoded.
            return (try? encoder.encode(hub.status(metrics, activity, facts, memory, isServing))).map(Array.init) ?? []
        }
    }

    private func status(
        _ metrics: HubMetrics, _ activity: HubActivity, _ facts: StatusFacts, _ memory: MemoryUse,
        _ isServing: Bool
    ) -> BrokerStatus {
        let process = ProcessMetrics()
        let fault = health.fault(at: .now)
        var status = BrokerStatus(
            time: now, version: ReleaseVersion.current, startedAt: Int64(process.startTime * 1000),
            serving: isServing, loops: hubs.count,
            store: BrokerStatus.Store(
                kind: facts.storeKind, healthy: fault == nil, fault: fault,
                waitingRecords: UInt64(waitingRecords) + metrics.heldRecords))
        status.counters = BrokerStatus.Counters(metrics, process)
        status.present = BrokerStatus.Present(metrics, process, limits)
        status.present.memoryLimitBytes = memory.limit
        status.present.memoryLimitBy =
            switch memory.bound {
            case .machine: "machine"
            case .controlGroup: "control_group"
            case .own: LimitName.memoryBytes.rawValue
            }
        status.present.memoryUsedRatio = memory.share
        status.latency = BrokerStatus.Latency(metrics)
        status.nats = facts.isLogConnected.map { BrokerStatus.NATS(connected: $0) }
        status.busiest.windowMs = activity.windowMilliseconds
        status.busiest.channels = activity.channels
        status.busiest.messages = activity.messages
        status.slowReaders = activity.slowReaders
        status.problems = log.recent.all
        for limit in LimitName.allCases where metrics.limits[limit] > 0 {
            status.limitHits[limit.rawValue] = metrics.limits[limit]
        }
        return status
    }
}

extension BrokerStatus.Counters {
    fileprivate init(_ metrics: HubMetrics, _ process: ProcessMetrics) {
        self.init()
        changes = metrics.events
        deliveries = metrics.deliveries
        requests = RequestKind.allCases.reduce(0) { $0 + metrics.requests[$1] }
        refusals = metrics.errors.values.reduce(0, +)
        serverErrors = metrics.answers[4]
        lagged = metrics.lagged
        ended = metrics.closed.values.reduce(0, +)
        bytesSent = metrics.bytesSent
        bytesReceived = metrics.bytesReceived
        commitFailures = metrics.commitFailures
        processorMs = UInt64(max(0, process.cpuSeconds * 1000))
        busyUs = metrics.turns.sum / 1000
    }
}

extension BrokerStatus.Present {
    fileprivate init(_ metrics: HubMetrics, _ process: ProcessMetrics, _ limits: BrokerSettings.Limits) {
        self.init()
        connections = metrics.connections
        connectionsLimit = UInt64(limits.connections)
        subscriptions = metrics.subscriptions
        channels = metrics.channels
        waitingRequests = metrics.waitingRequests
        outboundBytes = metrics.outboundBytes
        blockedConnections = metrics.blockedConnections
        memoryBytes = process.residentBytes
        descriptors = process.openDescriptors
        descriptorsLimit = process.maxDescriptors
    }
}

extension BrokerStatus.Latency {
    fileprivate init(_ metrics: HubMetrics) {
        self.init()
        let ranges = 0..<LogHistogram.count
        boundsUs = ranges.compactMap { metrics.acks.upperBound(of: $0).map { Double($0) / 1000 } }
        acks = ranges.map { metrics.acks[$0] }
        deliveries = ranges.map { metrics.deliveryDelays[$0] }
        commits = ranges.map { metrics.commits[$0] }
    }
}
