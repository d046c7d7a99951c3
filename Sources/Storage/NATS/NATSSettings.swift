/// Where the log stands that several brokers share, and how it is reached.
public struct NATSSettings: Sendable, Equatable {
    /// The servers' URLs, `nats://HOST:PORT` or `tls://HOST:PORT`, with a name and a password in them where these are needed.
    public var servers: [String]
    /// What streams and subjects begin with: brokers of one name share one log.
    public var name = "fanfare"
    /// On how many servers the log stands, 1 to 5; `nil`: on three where that many are named, else on one.
    public var replicas: Int?
    /// Into how many streams the channels are divided, 1 to 64; it never changes in the life of a log.
    public var partitions = 1
    /// A name and a password.
    public var user: String?
    /// The password of `user`.
    public var password: String?
    /// A file with credentials, as `nsc` makes it.
    public var credentials: String?
    /// A file with the authorities that vouch for the servers, PEM; `nil`: the system's.
    public var authorities: String?
    /// This broker's certificate and key, PEM, where servers ask for one.
    public var certificate: String?
    /// The key of `certificate`.
    public var key: String?

    /// Makes settings.
    public init(servers: [String]) {
        self.servers = servers
    }

    /// Whether nothing is sent before the connection is encrypted.
    public var demandsTLS: Bool {
        authorities != nil || certificate != nil || servers.contains { $0.hasPrefix("tls://") }
    }

    /// Why its files, names or passwords cannot be used, for a person; `nil`: they can, as far as that is known without a
    /// server.
    public func flaw() -> String? {
        do throws(StoreError) { _ = try NATSOptions.make(self) } catch { return error.reason }
        return nil
    }

    /// Where the servers are, without who the broker is there: for a person.
    public var places: String {
        servers.map { server in
            let place = server.firstRange(of: "://").map { server[$0.upperBound...] } ?? server[...]
            return String(place.lastIndex(of: "@").map { place[place.index(after: $0)...] } ?? place)
        }.joined(separator: ", ")
    }

    /// On how many servers the log stands.
    public var replicaCount: Int { replicas ?? (servers.count >= 3 ? 3 : 1) }
}
