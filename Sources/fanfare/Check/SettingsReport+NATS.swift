import Storage

extension SettingsReport {
    /// Adds the rows of the log that several brokers share.
    mutating func addNATS(_ nats: NATSSettings?) {
        guard let nats else { return add("nats", "off") }
        for (index, server) in nats.servers.enumerated() {
            add("nats.servers[\(index)]", withoutPassword(server), options: ["nats"], path: "nats.servers")
        }
        add("nats.name", nats.name)
        add("nats.replicas", String(nats.replicaCount))
        add("nats.partitions", String(nats.partitions))
        add("nats.user", nats.user ?? "none")
        add("nats.password", nats.password == nil ? "none" : "•••")
        add("nats.credentials_file", nats.credentials ?? "none")
        add("nats.ca_file", nats.authorities ?? "the system's")
        add("nats.cert", nats.certificate ?? "none")
        add("nats.key", nats.key ?? "none")
    }

    private func withoutPassword(_ server: String) -> String {
        guard let at = server.lastIndex(of: "@"), let scheme = server.firstRange(of: "://") else { return server }
        return server[..<scheme.upperBound] + "•••" + server[at...]
    }
}
