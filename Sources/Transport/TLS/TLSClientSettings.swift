/// How a client encrypts, and whom it trusts.
public struct TLSClientSettings: Sendable, Hashable {
    /// Whether the server's certificate must be valid, trusted and for the server's name; without it anybody may be at
    /// the other end.
    public var verifies: Bool
    /// The name that is asked for and that the certificate must be for; nil for the host that is connected to.
    public var serverName: String?
    /// A file of certificates (PEM) to trust instead of the system's.
    public var caFile: String?

    /// Settings that verify against the system's certificates unless told otherwise.
    public init(verifies: Bool = true, serverName: String? = nil, caFile: String? = nil) {
        self.verifies = verifies
        self.serverName = serverName
        self.caFile = caFile
    }
    /// Reads the certificates to trust, so that no loop has to, and anew where they have been read before.
    ///
    /// - Throws: `TransportError.unusableFile`, with the file's name and what is wrong with it.
    public func readAuthorities() throws(TransportError) {
        try TLSClientContexts.renew(for: self)
    }
}
