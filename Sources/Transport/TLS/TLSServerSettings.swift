/// How a server encrypts, with which certificates, and whom it lets in.
public struct TLSServerSettings: Sendable, Hashable {
    /// The files of a certificate and its private key, both PEM.
    public struct CertificateFiles: Sendable, Hashable {
        /// The chain's file, the server's own certificate first.
        public var certificate: String
        /// The private key's file; the key is not encrypted.
        public var key: String

        /// Makes a pair.
        public init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// Whether clients show a certificate.
    public enum ClientCertificates: String, Sendable, Hashable, CaseIterable {
        /// They are not asked.
        case none
        /// They are asked; one that is shown must be valid.
        case optional
        /// Nobody comes in without a valid one.
        case required
    }

    /// The oldest protocol version that is spoken.
    public enum Version: String, Sendable, Hashable, CaseIterable {
        /// TLS 1.2 (RFC 5246).
        case tls1_2 = "1.2"
        /// TLS 1.3 (RFC 8446).
        case tls1_3 = "1.3"
    }

    /// The certificate for clients that name no server, or one that no certificate is for.
    public var certificate: CertificateFiles
    /// Further certificates, for clients that ask for one of their names (RFC 6066 section 3).
    public var certificates: [CertificateFiles]
    /// Whether clients show a certificate.
    public var clientCertificates: ClientCertificates
    /// The file of the authorities (PEM) that vouch for clients; needed unless clients are not asked.
    public var clientAuthorities: String?
    /// The oldest protocol version that is spoken.
    public var minimumVersion: Version
    /// Whether the kernel encrypts, where it can.
    public var usesKernel: Bool

    /// Makes settings.
    public init(
        certificate: CertificateFiles, certificates: [CertificateFiles] = [],
        clientCertificates: ClientCertificates = .none, clientAuthorities: String? = nil,
        minimumVersion: Version = .tls1_2, usesKernel: Bool = false
    ) {
        self.certificate = certificate
        self.certificates = certificates
        self.clientCertificates = clientCertificates
        self.clientAuthorities = clientAuthorities
        self.minimumVersion = minimumVersion
        self.usesKernel = usesKernel
    }
}
