internal import COpenSSL
internal import Glibc

// @safe: the pointer is valid as long as the object.
// @unchecked: OpenSSL counts references atomically and lets several threads make sessions of a context that no longer
// changes.
/// The owner of an OpenSSL context: the settings and certificates that sessions begin with.
@safe
final class TLSContext: @unchecked Sendable {
    /// Suites of TLS 1.2 with forward secrecy and authenticated encryption; those of TLS 1.3 all have both.
    private static let suites = "ECDHE+AESGCM:ECDHE+CHACHA20"
    /// X25519 first: it is quick, and its keys leave 3 KB less with each connection than those of P-256.
    private static let groups = "X25519:P-256:P-384"

    let pointer: OpaquePointer

    /// A context with the rules that hold for both sides: TLS 1.2 or later, forward secrecy, no renegotiation, no
    /// compression.
    init(_ method: OpaquePointer?) throws(TransportError) {
        ERR_clear_error()
        guard let context = unsafe SSL_CTX_new(method) else { throw .lastTLS("no context") }
        unsafe pointer = context
        guard unsafe copenssl_set_min_version(context, TLS1_2_VERSION) == 1,
            unsafe SSL_CTX_set_cipher_list(context, Self.suites) == 1,
            unsafe copenssl_set_groups(context, Self.groups) == 1
        else { throw .lastTLS("no cipher suites") }
        unsafe SSL_CTX_set_options(context, copenssl_NO_RENEGOTIATION | copenssl_NO_COMPRESSION)
        unsafe copenssl_set_mode(
            context,
            Int(SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS))
        // One read takes a record's head and body, and whatever follows.
        unsafe copenssl_set_read_ahead(context, 1)
    }

    deinit {
        unsafe SSL_CTX_free(pointer)
    }
}

extension TransportError {
    /// What OpenSSL reported last, taken out of the thread's queue; nil where it has nothing.
    static func takeTLSReason() -> String? {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        guard code != 0, let text = unsafe ERR_reason_error_string(code) else { return nil }
        return unsafe String(cString: text)
    }

    /// The error that OpenSSL reported last, or the given reason when it has none.
    static func lastTLS(_ reason: String) -> TransportError {
        .tls(takeTLSReason().map { "\(reason): \($0)" } ?? reason)
    }
}
