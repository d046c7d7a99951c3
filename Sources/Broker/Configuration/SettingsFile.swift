public import Storage
public import Transport

/// What a settings file says; what it leaves out is `nil`.
///
/// Reading it judges every name and value, so that nothing in it is silently ignored.
public struct SettingsFile: Sendable {
    /// One place to listen.
    public struct Listen: Sendable, Equatable {
        /// The address.
        public var address: SocketAddress
        /// How it encrypts; `nil`: without TLS.
        public var tls: TLSServerSettings?
        /// Whether messages may be compressed.
        public var compression = CompressionSettings()
        /// Whether each connection begins with a header of the PROXY protocol.
        public var takesProxyProtocol = false
    }

    /// Where reactions are kept.
    public enum Store: String, Sendable, CaseIterable {
        /// In a file of the data folder.
        case sqlite
        /// In memory, until the process ends.
        case memory
    }

    /// Where to listen (`listen`).
    public internal(set) var listen: [Listen]?
    /// The data folder (`data`).
    public internal(set) var data: String?
    /// The store (`store.kind`).
    public internal(set) var store: Store?
    /// The log that several brokers share (`nats`); without servers where the file names none, which is left to the command line.
    public internal(set) var nats: NATSSettings?
    /// The secret of tokens (`tokens.hs256_secret`).
    public internal(set) var tokenSecret: String?
    /// The file of the keys of tokens (`tokens.jwks_file`).
    public internal(set) var keyFile: String?
    /// Whose tokens are taken (`tokens.issuer`).
    public internal(set) var issuer: String?
    /// For whom tokens must be made (`tokens.audience`).
    public internal(set) var audience: String?
    /// How many seconds clocks may differ (`tokens.leeway_s`).
    public internal(set) var leewaySeconds: Int?
    /// The keys of servers that may act for anyone (`server_keys`).
    public internal(set) var serverKeys: [String]?
    /// The origins from which pages may connect (`origins`); `*` stands for any.
    public internal(set) var origins: [String]?
    /// The proxies that may say whose requests they pass on (`trusted_proxies`), as they were written.
    public internal(set) var trustedProxies: [String]?
    /// Who may read what is counted (`metrics`).
    public internal(set) var metrics: MetricsAccess?
    /// The bounds that are set (`limits`).
    public internal(set) var limits: [LimitName: Int] = [:]
    /// Who is asked whether someone may connect (`hooks.connect`).
    public internal(set) var connectHook: Hook?
    /// How it stops (`drain`).
    public internal(set) var drain: DrainSettings?
    /// The namespaces (`namespaces`), what they leave out filled in.
    public internal(set) var namespaces: [String: Namespace]?

    /// The environment variables that hold secrets (`secret_env`).
    public internal(set) var secretVariables: Set<String> = []

    var lines: [String: Int] = [:]

    /// The line on which a setting stands, by its path, `limits.connections`; `nil` where the file does not have it.
    public func line(of path: String) -> Int? { lines[path] }

    /// Reads a settings file.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - defaults: what a namespace has where the file says nothing.
    /// - Throws: the first ``SettingsError``: no JSON, an unknown name, a value of the wrong kind or out of range, or
    ///   something that this version does not have.
    public init(_ bytes: [UInt8], defaults: Namespace) throws(SettingsError) {
        let top = try SettingsObject(SettingsJSON.read(bytes), "", known: SettingsFile.names, lines: &lines)
        try read(top, defaults: defaults)
    }

    static let names = [
        "listen", "data", "store", "nats", "tokens", "server_keys", "origins", "trusted_proxies", "metrics", "limits",
        "drain", "hooks", "namespaces",
    ]
}
