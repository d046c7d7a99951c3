internal import COpenSSL
internal import Glibc

// @safe: the pointer is valid as long as the object.
// @unchecked: OpenSSL counts references atomically, and nothing changes a key that is read.
/// A certificate with its chain and private key, read from their files.
@safe
final class TLSIdentity: @unchecked Sendable {
    let files: TLSServerSettings.CertificateFiles
    let certificate: X509Certificate
    /// What stands behind the certificate in its file.
    let chain: ArraySlice<X509Certificate>
    let key: OpaquePointer

    /// Reads both files.
    ///
    /// - Throws: `TransportError.unusableFile`, with the file's name and what is wrong with it.
    init(_ files: TLSServerSettings.CertificateFiles) throws(TransportError) {
        let all = try PEMFile(files.certificate, "certificate").certificates("certificate")
        guard let first = all.first else { throw .unusableFile("the certificate '\(files.certificate)' is empty") }
        let key = try unsafe Self.readKey(files.key)
        guard unsafe X509_check_private_key(first.pointer, key) == 1 else {
            ERR_clear_error()
            unsafe EVP_PKEY_free(key)
            throw .unusableFile("'\(files.key)' is not the key of the certificate '\(files.certificate)'")
        }
        self.files = files
        certificate = first
        chain = all.dropFirst()
        unsafe self.key = key
    }

    deinit {
        unsafe EVP_PKEY_free(key)
    }

    private static func readKey(_ path: String) throws(TransportError) -> OpaquePointer {
        let file = try PEMFile(path, "key")
        var isEncrypted = false
        let key = unsafe try file.withReader { reader throws(TransportError) in
            // Nobody is there to be asked: note it, and have the reading fail.
            unsafe PEM_read_bio_PrivateKey(
                reader, nil,
                { _, _, _, noted in
                    unsafe noted?.assumingMemoryBound(to: Bool.self).pointee = true
                    return -1
                }, &isEncrypted)
        }
        ERR_clear_error()
        if let key = unsafe key { return unsafe key }
        if isEncrypted {
            throw .unusableFile(
                "the key '\(path)' is encrypted, and nobody can be asked for its passphrase; openssl pkey -in '\(path)' -out FILE decrypts it"
            )
        }
        if file.has("PRIVATE KEY") { throw .unusableFile("the key '\(path)' is damaged") }
        let hint = file.has("CERTIFICATE") ? " but a certificate: are the two exchanged?" : "; meant is PEM"
        throw .unusableFile("the key '\(path)' holds no private key\(hint)")
    }

    /// Gives certificate, chain and key to a context.
    ///
    /// - Throws: `TransportError.unusableFile` where OpenSSL finds them too weak, or of a kind that it does not know.
    func install(in context: TLSContext) throws(TransportError) {
        ERR_clear_error()
        let pointer = unsafe context.pointer
        guard unsafe SSL_CTX_use_certificate(pointer, certificate.pointer) == 1,
            unsafe SSL_CTX_use_PrivateKey(pointer, key) == 1,
            chain.allSatisfy({ unsafe copenssl_add_chain_certificate(pointer, $0.pointer) == 1 })
        else {
            throw .unusableFile("the certificate '\(files.certificate)' cannot be used: \(takeRefusal())")
        }
    }

    /// Why OpenSSL did not take them, in words for those who know its rules no better.
    private func takeRefusal() -> String {
        let code = copenssl_reason(ERR_peek_last_error())
        let reason = TransportError.takeTLSReason() ?? "refused"
        switch code {
        case SSL_R_EE_KEY_TOO_SMALL:
            let bits = unsafe EVP_PKEY_get_bits(key)
            return "its key of \(bits) bits is too short to be safe; take RSA of 2048 bits, or P-256"
        case SSL_R_CA_KEY_TOO_SMALL: return "the key of an authority behind it in the file is too short to be safe"
        case SSL_R_CA_MD_TOO_WEAK: return "it, or an authority behind it, is signed over a hash that is not safe"
        default: return reason
        }
    }
}
