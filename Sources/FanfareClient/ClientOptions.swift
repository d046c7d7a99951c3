/// What a ``ReactionClient`` may be told besides where and who.
public struct ClientOptions: Sendable {
    /// How long an attempt to connect may take, from its start to the broker's welcome.
    public var connectTimeout: Duration
    /// How long a request may wait for its answer, reconnects included; a subscription, on each connection.
    public var requestTimeout: Duration
    /// Whether the broker's certificate must be valid for its name (`wss`); on Apple's platforms it always must.
    public var verifiesCertificates: Bool
    /// A file of certificates (PEM) that are trusted instead of the system's; not on Apple's platforms.
    public var trustedCertificates: String?
    /// Whether to offer the broker to compress messages (permessage-deflate, RFC 7692); it may decline.
    ///
    /// Not on Apple's platforms, whose WebSockets have no such thing.
    public var compression: Bool
    /// Called on the client's loop with each of the broker's messages, as it was received.
    public var tap: (@Sendable ([UInt8]) -> Void)?
    /// Called on the client's loop with each new state of the connection; see ``ReactionClient/state``.
    public var stateChanged: (@Sendable (ConnectionState) -> Void)?

    /// Makes options.
    ///
    /// - Parameters:
    ///   - connectTimeout: How long an attempt to connect may take.
    ///   - requestTimeout: How long a request may wait for its answer.
    ///   - verifiesCertificates: Whether the broker's certificate must be valid.
    ///   - trustedCertificates: A file of certificates that are trusted instead of the system's.
    ///   - compression: Whether to offer the broker to compress messages.
    ///   - tap: Called on the client's loop with each of the broker's messages.
    ///   - stateChanged: Called on the client's loop with each new state of the connection.
    public init(
        connectTimeout: Duration = .seconds(10), requestTimeout: Duration = .seconds(10),
        verifiesCertificates: Bool = true, trustedCertificates: String? = nil,
        compression: Bool = false, tap: (@Sendable ([UInt8]) -> Void)? = nil,
        stateChanged: (@Sendable (ConnectionState) -> Void)? = nil
    ) {
        self.connectTimeout = connectTimeout
        self.requestTimeout = requestTimeout
        self.verifiesCertificates = verifiesCertificates
        self.trustedCertificates = trustedCertificates
        self.compression = compression
        self.tap = tap
        self.stateChanged = stateChanged
    }
}
