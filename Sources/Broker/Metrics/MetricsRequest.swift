import Transport

/// Who asks for what all hubs have counted.
final class MetricsRequest: SingleRequest {
    private var sum = HubMetrics()
    /// How many hubs have not answered yet.
    private var missing: Int

    init(session: Session, hub: Hub, hubs: Int, reply: @escaping ([UInt8]) -> Void) {
        missing = hubs
        super.init(session: session, hub: hub) { result in
            if case .success(let text) = result { reply(text) }
        }
    }

    /// Takes what one hub has counted; with the last one's the answer is whole.
    func take(_ metrics: HubMetrics) {
        sum += metrics
        missing -= 1
        guard missing == 0 else { return }
        var text = MetricsText()
        sum.write(to: &text)
        text.single(
            .gauge, "fanfare_store_waiting_records", "Records that wait for the store, the ones under way not counted.",
            UInt64(hub.waitingRecords) + sum.heldRecords)
        ProcessMetrics().write(to: &text)
        finish(with: .success(Array(text.lines.utf8)))
    }
}

extension Hub {
    /// Asks all hubs what they have counted.
    func askMetrics(for key: ConnectionKey) {
        for hub in hubs { hub.post(.metricsAsked(key)) }
    }

    /// Tells who asked, on whichever hub it is.
    func tellMetrics(to key: ConnectionKey) {
        var metrics = metrics
        unsafe metrics.compressionSent = compressor.sent
        unsafe metrics.compressionReceived = compressor.received
        metrics.channels = UInt64(channelCount)
        metrics.webhooks = senders.mapValues(\.metrics)
        metrics.limits.count(.close, loop.expired.linger)
        metrics.limits.count(.drain, loop.expired.drain)
        for audience in audiences.values {
            metrics.subscriptions += UInt64(audience.events.count + audience.summaries.count)
        }
        for resident in residents.values {
            metrics.waitingRequests += UInt64(resident.channel.assumeIsolated { $0.waitingCount })
        }
        metrics.heldRecords = UInt64(heldRecords)
        for recipient in recipients.elements where recipient.isConnection { metrics.count(present: recipient) }
        metrics.turns = loop.turnDurations
        hubs[key.hub].post(.metrics(metrics, for: key))
    }
}
