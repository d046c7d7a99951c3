import Broker

// What other servers are told and asked.
extension SettingsReport {
    mutating func addOutbound(_ outbound: OutboundSettings?, _ place: String, otherwise: String) {
        addWebhook(outbound?.webhook, place + "webhook", otherwise: otherwise)
        addHook(outbound?.subscribeHook, place + "hooks.subscribe", otherwise: otherwise)
        addHook(outbound?.reactHook, place + "hooks.react", otherwise: otherwise)
    }

    private mutating func addWebhook(_ webhook: Webhook?, _ name: String, otherwise: String) {
        guard let webhook else { return add(name, "none", otherwise: otherwise) }
        addEndpoint(webhook.endpoint, name)
        add(name + ".batch", String(webhook.batch))
        add(name + ".interval_ms", String(webhook.intervalMilliseconds))
        add(name + ".max_retry_ms", String(webhook.maxRetryMilliseconds))
        add(name + ".max_pending", webhook.maxPending.map(String.init) ?? "none")
    }

    mutating func addHook(_ hook: Hook?, _ name: String, otherwise: String) {
        guard let hook else { return add(name, "none", otherwise: otherwise) }
        addEndpoint(hook.endpoint, name)
        add(name + ".when_down", hook.isAllowedWhenDown ? "allow" : "deny")
        add(name + ".cache_ms_max", String(hook.maxCacheMilliseconds))
    }

    /// The secret is not told, only where it is set.
    private mutating func addEndpoint(_ endpoint: Endpoint, _ name: String) {
        add(name + ".url", endpoint.url.description)
        let places = ["secret", "secret_file", "secret_env"].map { name + "." + $0 }
        add(name + ".secret", "•••", path: places.first { isSet($0) })
        add(name + ".timeout_ms", String(endpoint.timeoutMilliseconds))
        add(name + ".ca_file", endpoint.caFile ?? "the system's")
    }
}
