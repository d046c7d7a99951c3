internal import COpenSSL
internal import Glibc

/// The contexts that clients share: reading the system's certificates takes some 10 ms, once is enough.
enum TLSClientContexts {
    private struct Key: Hashable {
        var verifies: Bool
        var caFile: String?
    }

    private static let contexts = Locked([Key: TLSContext]())

    /// The context for such settings, made at the first call.
    static func context(for settings: TLSClientSettings) throws(TransportError) -> TLSContext {
        let key = Key(verifies: settings.verifies, caFile: settings.caFile)
        if let known = contexts.withLock({ $0[key] }) { return known }
        let made = try make(key)
        contexts.withLock { $0[key] = made }
        return made
    }

    /// Makes the context anew, for the connections that come from now on.
    static func renew(for settings: TLSClientSettings) throws(TransportError) {
        let key = Key(verifies: settings.verifies, caFile: settings.caFile)
        let made = try make(key)
        contexts.withLock { $0[key] = made }
    }

    private static func make(_ key: Key) throws(TransportError) -> TLSContext {
        let context = try unsafe TLSContext(TLS_client_method())
        let pointer = unsafe context.pointer
        unsafe SSL_CTX_set_verify(pointer, key.verifies ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nil)
        guard key.verifies else { return context }
        guard let file = key.caFile else {
            guard unsafe SSL_CTX_set_default_verify_paths(pointer) == 1 else { throw .lastTLS("the system's CA files") }
            return context
        }
        let authorities = try PEMFile(file, "CA file").certificates("CA file")
        guard let store = unsafe SSL_CTX_get_cert_store(pointer),
            authorities.allSatisfy({ unsafe X509_STORE_add_cert(store, $0.pointer) == 1 })
        else { throw .lastTLS("CA file '\(file)'") }
        return context
    }
}
