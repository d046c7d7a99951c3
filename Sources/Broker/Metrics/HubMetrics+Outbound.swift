import Transport

// What is told of webhooks and hooks, where there are any.
extension HubMetrics {
    /// Writes it, by namespace as the settings name it.
    func writeOutbound(to text: inout MetricsText) {
        let webhooks = webhooks.sorted { $0.key < $1.key }
        if !webhooks.isEmpty { write(webhooks.map { ("namespace=\"\(escaped($0.key))\"", $0.value) }, to: &text) }
        let hooks = HookKind.allCases.flatMap { kind in
            HookMetrics.Result.allCases.map { ("hook=\"\(kind)\",result=\"\($0)\"", self.hooks[kind, $0]) }
        }
        guard hooks.contains(where: { $0.1 > 0 }) else { return }
        text.family(.counter, "fanfare_hook_results_total", "Questions for hooks, by what became of them.", hooks)
        text.histogram(
            "fanfare_hook_seconds", "How long the servers of hooks took to answer.", self.hooks.seconds, in: .seconds)
    }

    private func write(_ webhooks: [(String, WebhookMetrics)], to text: inout MetricsText) {
        func family(_ kind: MetricsText.Kind, _ name: String, _ help: String, _ value: (WebhookMetrics) -> UInt64) {
            text.family(kind, name, help, webhooks.map { ($0.0, value($0.1)) })
        }
        family(.counter, "fanfare_webhook_delivered_total", "Events that the receiver has taken.") { $0.delivered }
        family(.counter, "fanfare_webhook_failed_total", "Requests that the receiver has not taken.") { $0.failed }
        family(.counter, "fanfare_webhook_dropped_total", "Events dropped because too many waited.") { $0.dropped }
        family(.gauge, "fanfare_webhook_pending", "Events that wait to be posted.") { $0.pending }
        family(.gauge, "fanfare_webhook_oldest_seconds", "How long the oldest of these has waited.") {
            UInt64(clamping: $0.oldestMilliseconds / 1000)
        }
        var seconds = WebhookMetrics().seconds
        for (_, webhook) in webhooks { seconds += webhook.seconds }
        text.histogram("fanfare_webhook_seconds", "How long the receivers took to answer.", seconds, in: .seconds)
    }

    /// A label's value as the format wants it; it has no line break.
    private func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
}
