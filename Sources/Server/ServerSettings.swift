public import Broker
public import Storage
public import Transport

/// Where a server listens, what it keeps and what its broker does.
public struct ServerSettings: Sendable {
    /// One place to listen.
    public struct Listen: Sendable, Equatable {
        /// The address.
        public var address: SocketAddress
        /// How it encrypts; `nil`: without TLS.
        public var tls: TLSServerSettings?
        /// Whether messages may be compressed.
        public var compression: CompressionSettings
        /// Whether each connection begins with a header of the PROXY protocol, which trusted proxies alone may send.
        public var takesProxyProtocol: Bool

        /// Makes a place.
        public init(
            address: SocketAddress, tls: TLSServerSettings? = nil, compression: CompressionSettings = .init(),
            takesProxyProtocol: Bool = false
        ) {
            self.address = address
            self.tls = tls
            self.compression = compression
            self.takesProxyProtocol = takesProxyProtocol
        }
    }

    /// Where reactions are kept.
    public enum StoreKind: String, Sendable, CaseIterable {
        /// In the file `fanfare.db` of the data folder.
        case sqlite
        /// In memory, until the process ends.
        case memory
    }

    /// The places to listen.
    public var listen: [Listen]
    /// The data folder.
    public var data: String
    /// The store.
    public var store: StoreKind
    /// The log that the channels are in, where several brokers share them; the store then keeps this one's audit and
    /// what is to be posted elsewhere.
    public var nats: NATSSettings?
    /// The origins from which browsers may connect, as `https://example.org`; `nil`: any.
    ///
    /// A page of the broker's own host may always.
    public var origins: [String]?
    /// The proxies that may say whose requests and connections they pass on.
    public var trustedProxies: AddressSet
    /// Who may read what is counted.
    public var metricsAccess: MetricsAccess
    /// What the broker does.
    public var broker: BrokerSettings
    /// All of it as people read it, without secrets.
    public var report: [SettingRow] = []

    /// Makes settings.
    public init(
        listen: [Listen], data: String = "./data", store: StoreKind = .sqlite, nats: NATSSettings? = nil,
        origins: [String]? = [],
        trustedProxies: AddressSet = AddressSet(), metricsAccess: MetricsAccess = .anyone, broker: BrokerSettings
    ) {
        self.listen = listen
        self.data = data
        self.store = store
        self.nats = nats
        self.origins = origins
        self.trustedProxies = trustedProxies
        self.metricsAccess = metricsAccess
        self.broker = broker
    }
}

/// A setting in force, as people read it.
public struct SettingRow: Sendable, Equatable, Codable {
    /// Its path in the settings file, `listen[0].address`; `--NAME` for what only an option can set.
    public var name: String
    /// Its value; what stands for a secret is no secret.
    public var value: String
    /// What set it: an option, a variable, a line of the file, or a default.
    public var source: String

    /// Makes a row.
    public init(name: String, value: String, source: String) {
        self.name = name
        self.value = value
        self.source = source
    }

    /// Whether it is as it was at the start until the next one.
    var isFixed: Bool {
        ["listen", "data", "store", "nats", "--loops", "--log"].contains {
            name == $0 || name.hasPrefix($0 + ".") || name.hasPrefix($0 + "[")
        }
    }
}

/// Why a server could not start or go on.
public struct ServerError: Error, Sendable, CustomStringConvertible {
    /// One line for a person.
    public let description: String

    /// Makes an error from its line.
    public init(_ description: String) {
        self.description = description
    }
}
