/// Who may read what the broker has counted.
public enum MetricsAccess: String, Sendable, CaseIterable {
    /// Everyone who reaches a listener.
    case anyone
    /// Programs on this machine.
    case loopback
    /// Those who send a server key.
    case serverKey = "server_key"
}
