internal import COpenSSL
internal import Glibc

/// A server's certificate and key, from which TLS sessions are made.
public final class TLSServerContext: Sendable {
    private let certificateFile: String
    private let keyFile: String
    private let context: Locked<TLSContext>

    /// Reads the certificate, with the chain that follows it, and its key, both PEM.
    ///
    /// - Throws: `TransportError.tls` when a file cannot be read or they do not belong together.
    public init(certificateFile: String, keyFile: String) throws(TransportError) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        context = Locked(try Self.load(certificateFile, keyFile))
    }

    /// Reads both files again, for the connections that come from now on.
    ///
    /// - Throws: `TransportError.tls`; then the old ones stay in use.
    public func reload() throws(TransportError) {
        let loaded = try Self.load(certificateFile, keyFile)
        context.withLock { $0 = loaded }
    }

    /// The context that new sessions use.
    var current: TLSContext { context.withLock { $0 } }

    private static func load(_ certificateFile: String, _ keyFile: String) throws(TransportError) -> TLSContext {
        let context = try unsafe TLSContext(TLS_server_method())
        let pointer = unsafe context.pointer
        unsafe SSL_CTX_set_options(pointer, copenssl_CIPHER_SERVER_PREFERENCE)
        // Sessions are resumed by tickets; a cache would grow with every client.
        unsafe copenssl_set_session_cache_mode(pointer, Int(SSL_SESS_CACHE_OFF))
        guard unsafe SSL_CTX_use_certificate_chain_file(pointer, certificateFile) == 1 else {
            throw .lastTLS("certificate \(certificateFile)")
        }
        guard unsafe SSL_CTX_use_PrivateKey_file(pointer, keyFile, SSL_FILETYPE_PEM) == 1 else {
            throw .lastTLS("key \(keyFile)")
        }
        guard unsafe SSL_CTX_check_private_key(pointer) == 1 else {
            throw .lastTLS("\(keyFile) is not the key of \(certificateFile)")
        }
        unsafe SSL_CTX_set_alpn_select_cb(pointer, selectProtocol, nil)
        return context
    }

    /// Chooses `http/1.1` where the client offers it (RFC 7301); a client that offers only others goes on without.
    private static let selectProtocol:
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
            UnsafePointer<UInt8>?, CUnsignedInt, UnsafeMutableRawPointer?
        ) -> CInt = { _, chosen, chosenLength, offered, offeredLength, _ in
            // The offer is a list of names, each after a byte with its length; the answer points into it.
            let wanted: StaticString = "http/1.1"
            let list = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredLength))
            var at = 0
            while at < list.count {
                let length = unsafe Int(list[at])
                guard at + 1 + length <= list.count else { break }
                let name = unsafe list[(at + 1)..<(at + 1 + length)]
                if unsafe name.elementsEqual(
                    UnsafeBufferPointer(start: wanted.utf8Start, count: wanted.utf8CodeUnitCount))
                {
                    unsafe chosen?.pointee = offered?.advanced(by: at + 1)
                    unsafe chosenLength?.pointee = UInt8(length)
                    return SSL_TLSEXT_ERR_OK
                }
                at += 1 + length
            }
            return SSL_TLSEXT_ERR_NOACK
        }
}
