internal import COpenSSL

/// The authorities that vouch for clients, read from their file.
final class ClientAuthorities: Sendable {
    private let path: String
    private let certificates: [X509Certificate]

    /// Reads the file.
    ///
    /// - Throws: `TransportError.unusableFile`, with the file's name and what is wrong with it.
    init(_ path: String) throws(TransportError) {
        self.path = path
        certificates = try PEMFile(path, "client_ca").certificates("client_ca")
    }

    /// Which of them will not do what they are there for.
    var warnings: [String] {
        var warnings: [String] = []
        for certificate in certificates {
            if let complaint = certificate.dateComplaint {
                warnings.append("an authority in client_ca '\(path)' \(complaint): no client comes in by it")
            }
            if !certificate.isAuthority {
                warnings.append(
                    "a certificate in client_ca '\(path)' is no authority (basicConstraints): it vouches for no other")
            }
        }
        return warnings
    }

    /// Has a context ask clients for certificates of these authorities; `isRequired`: it takes none without.
    func install(in context: TLSContext, isRequired: Bool) throws(TransportError) {
        let pointer = unsafe context.pointer
        guard let store = unsafe SSL_CTX_get_cert_store(pointer) else { throw .lastTLS("no store of certificates") }
        for certificate in certificates {
            guard unsafe X509_STORE_add_cert(store, certificate.pointer) == 1,
                unsafe SSL_CTX_add_client_CA(pointer, certificate.pointer) == 1
            else { throw .lastTLS("client_ca") }
        }
        let mode = isRequired ? SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT : SSL_VERIFY_PEER
        unsafe SSL_CTX_set_verify(pointer, mode, nil)
    }
}
