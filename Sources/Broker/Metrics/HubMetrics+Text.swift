import Transport
import WebSocket
import Wire

extension HubMetrics {
    /// Writes all of it.
    func write(to text: inout MetricsText) {
        writeWork(to: &text)
        writeCompression(to: &text)
        writePresence(to: &text)
        writeTimes(to: &text)
        writeOutbound(to: &text)
    }

    private func writeWork(to text: inout MetricsText) {
        text.labelled(
            .counter, "fanfare_reactions_total", "Requests that may change a channel, by result.", label: "result",
            ReactionResult.allCases.map { ("\($0)", results[$0]) })
        text.labelled(
            .counter, "fanfare_requests_total", "Requests, by type.", label: "type",
            RequestKind.allCases.map { ("\($0)", requests[$0]) })
        text.labelled(
            .counter, "fanfare_errors_total", "Requests refused by hubs and channels, by code.", label: "code",
            ErrorCode.allCases.map { ($0.rawValue, errors[$0] ?? 0) })
        text.labelled(
            .counter, "fanfare_http_responses_total", "Answers to HTTP requests, by class of status.", label: "status",
            answers.indices.map { ("\($0 + 1)xx", answers[$0]) })
        text.single(.counter, "fanfare_events_total", "Changes of channels.", events)
        text.single(
            .counter, "fanfare_deliveries_total", "Events, summaries and bursts, counted for each recipient.",
            deliveries)
        text.single(
            .counter, "fanfare_lagged_total", "Slow readers that got fresh state in place of events.", lagged)
        text.single(
            .counter, "fanfare_bytes_sent_total", "Bytes written to sockets, before encryption.", bytesSent)
        text.single(
            .counter, "fanfare_bytes_received_total", "Bytes read from sockets, after decryption.", bytesReceived)
        text.labelled(
            .counter, "fanfare_limit_hits_total", "How often a bound was hit, by the name of its setting.",
            label: "limit",
            LimitName.bounds.map { ($0.rawValue, limits[$0]) })
        text.labelled(
            .counter, "fanfare_closed_total", "Connections that ended, by close code.", label: "code",
            HubMetrics.closeCodes.map { (String($0), closed[$0] ?? 0) } + [("other", closed[0] ?? 0)])
        text.single(
            .counter, "fanfare_commit_failures_total", "Groups that the store did not take.", commitFailures)
        text.single(
            .counter, "fanfare_shared_log_lost_batches_total",
            "Batches that this broker had acknowledged, and that the log that brokers share has lost.", lostBatches)
        text.single(
            .counter, "fanfare_read_failures_total", "Reads of channels that failed.", readFailures)
        text.labelled(
            .counter, "fanfare_tls_failures_total", "Connections on which TLS has failed, by reason.", label: "reason",
            TLSFailure.allCases.map { ("\($0)", tlsFailures[$0]) })
        text.single(
            .counter, "fanfare_expired_channels_total", "Channels let go because of their age.", expired)
    }

    private func writeCompression(to text: inout MetricsText) {
        text.labelled(
            .counter, "fanfare_compression_sent_bytes_total",
            "Bytes for connections with compression, as sent and as they would have been.", label: "form",
            [("compressed", compressionSent.compressed), ("plain", compressionSent.plain)])
        text.labelled(
            .counter, "fanfare_compression_received_bytes_total",
            "Bytes of compressed messages, as received and inflated.", label: "form",
            [("compressed", compressionReceived.compressed), ("plain", compressionReceived.plain)])
    }

    private func writePresence(to text: inout MetricsText) {
        text.single(.gauge, "fanfare_connections", "WebSocket connections and event streams.", connections)
        text.single(.gauge, "fanfare_subscriptions", "Subscriptions of these.", subscriptions)
        text.single(.gauge, "fanfare_channels", "Channels in memory.", channels)
        text.single(
            .gauge, "fanfare_waiting_requests", "Requests whose replies wait for the store.", waitingRequests)
        text.single(.gauge, "fanfare_outbound_bytes", "Bytes that wait to be written to sockets.", outboundBytes)
        text.single(
            .gauge, "fanfare_blocked_connections", "Connections whose sockets take nothing at the moment.",
            blockedConnections)
    }

    private func writeTimes(to text: inout MetricsText) {
        text.histogram(
            "fanfare_ack_seconds", "From reading a request that may change a channel to writing its ack.", acks,
            in: .seconds)
        text.histogram(
            "fanfare_delivery_seconds", "From the commit of an event to its write, counted for each recipient.",
            deliveryDelays, in: .seconds)
        text.histogram(
            "fanfare_commit_seconds", "How long a group of changes took to become durable.", commits, in: .seconds)
        text.histogram(
            "fanfare_commit_records", "Records in a group; operations, where brokers share a log.", commitRecords,
            in: .ones)
        text.histogram(
            "fanfare_loop_turn_seconds", "How long the turns of event loops took that did something.", turns,
            in: .seconds)
    }
}
