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
        if missing == 0 { finish(with: .success(Array(sum.text.utf8))) }
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
        metrics.channels = UInt64(channelCount)
        metrics.webhooks = senders.mapValues(\.metrics)
        for audience in audiences.values {
            metrics.subscriptions += UInt64(audience.events.count + audience.summaries.count)
        }
        for recipient in recipients.elements where recipient.isConnection {
            metrics.connections += 1
            metrics.bytesSent += recipient.bytesSent
        }
        hubs[key.hub].post(.metrics(metrics, for: key))
    }
}
