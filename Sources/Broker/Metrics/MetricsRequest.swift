public import Transport

/// Who asks for what all hubs have counted.
final class MetricsRequest: SingleRequest {
    /// Makes the answer of what all hubs told.
    typealias Composer = @Sendable (isolated Hub, HubMetrics, HubActivity) -> [UInt8]

    private var sum = HubMetrics()
    private var activity = HubActivity()
    /// How many hubs have not answered yet.
    private var missing: Int
    private let compose: Composer

    init(
        session: Session, hub: Hub, hubs: Int, compose: @escaping Composer, reply: @escaping ([UInt8]) -> Void
    ) {
        missing = hubs
        self.compose = compose
        super.init(session: session, hub: hub) { result in
            if case .success(let text) = result { reply(text) }
        }
    }

    /// Takes what one hub has counted; with the last one's the answer is whole.
    func take(_ metrics: HubMetrics, _ activity: HubActivity?) {
        sum += metrics
        if let activity { self.activity += activity }
        missing -= 1
        guard missing == 0 else { return }
        let (compose, sum, all) = (compose, sum, self.activity)
        finish(with: .success(hub.onLoop { compose($0, sum, all) }))
    }
}

extension Hub {
    /// Asks all hubs what they have counted; `reply` gets it as Prometheus' text, on this hub's loop.
    ///
    /// Called there too.
    ///
    /// - Parameters:
    ///   - memory: How much memory is used of how much may be.
    ///   - certificateExpiry: When the first certificate of the listeners ends, in seconds since 1970; `nil`: there is none.
    ///   - reply: Gets the text.
    /// - Returns: What can be cancelled.
    public nonisolated func askMetrics(
        _ memory: MemoryUse, certificateExpiry: Int64?, reply: @escaping ([UInt8]) -> Void
    ) -> PendingReply {
        askMetrics(withActivity: false, reply: reply) { hub, metrics, _ in
            var text = MetricsText()
            metrics.write(to: &text)
            text.single(
                .gauge, "fanfare_store_waiting_records",
                "Records that wait for the store, the ones under way not counted.",
                UInt64(hub.waitingRecords) + metrics.heldRecords)
            let (isThere, losses) = hub.health.log
            text.single(
                .gauge, "fanfare_shared_log_up", "Whether the log that brokers share answers; 1 where there is none.",
                isThere ? 1 : 0)
            text.single(
                .counter, "fanfare_shared_log_losses_total", "How often the log that brokers share was lost.", losses)
            text.single(
                .gauge, "fanfare_tls_certificate_expiry_timestamp_seconds",
                "When the first certificate of the listeners ends, since 1970; +Inf where there is none.",
                certificateExpiry.map { "\($0)" } ?? "+Inf")
            ProcessMetrics().write(to: &text)
            text.single(
                .gauge, "fanfare_memory_limit_bytes",
                "Memory that the process may use, as limits.memory_bytes, its control group or the machine has it.",
                memory.limit)
            text.single(
                .gauge, "fanfare_memory_used_ratio", "Which part of that is used: 1 is all of it.", memory.share)
            return Array(text.lines.utf8)
        }
    }

    /// Asks all hubs what they have counted, and where most happens; `reply` gets what is composed of it.
    nonisolated func askMetrics(
        withActivity: Bool, reply: @escaping ([UInt8]) -> Void, compose: @escaping MetricsRequest.Composer
    ) -> PendingReply {
        let pending = PendingReply()
        enter(with: (pending, reply)) { hub, asking in
            let key = hub.recipients.reserve(on: hub.index)
            let recipient = MetricsRequest(
                session: Session(key: key, identity: nil), hub: hub, hubs: hub.hubs.count, compose: compose,
                reply: asking.1)
            asking.0.recipient = recipient
            hub.recipients[key] = recipient
            for hub in hub.hubs { hub.post(.metricsAsked(key, withActivity: withActivity)) }
        }
        return pending
    }

    /// Tells who asked, on whichever hub it is.
    func tellMetrics(to key: ConnectionKey, withActivity: Bool) {
        var metrics = metrics
        unsafe metrics.compressionSent = compressor.sent
        unsafe metrics.compressionReceived = compressor.received
        metrics.channels = UInt64(channelCount)
        metrics.webhooks = senders.mapValues(\.metrics)
        metrics.limits.count(.close, loop.expired.linger)
        metrics.limits.count(.drain, loop.expired.drain)
        metrics.limits.count(.controlFrames, loop.expired.controlRecords)
        for audience in audiences.values {
            metrics.subscriptions += UInt64(audience.events.count + audience.summaries.count)
        }
        for resident in residents.values {
            metrics.waitingRequests += UInt64(resident.channel.onLoop { $0.waitingCount })
        }
        metrics.heldRecords = UInt64(heldRecords)
        for recipient in recipients.elements where recipient.isConnection { metrics.count(present: recipient) }
        metrics.turns = loop.turnDurations
        hubs[key.hub].post(.metrics(metrics, withActivity ? activity() : nil, for: key))
    }
}
