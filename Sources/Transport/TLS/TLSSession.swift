internal import COpenSSL
internal import Glibc

// @safe: the pointer is valid as long as the object.
/// One end of a TLS connection: OpenSSL reading and writing the socket itself.
///
/// The socket is given to OpenSSL rather than a pair of memory buffers: an idle session then holds no buffer at all, a
/// record is copied once less, and bytes that the kernel refuses stay where OpenSSL has them anyway. It writes with
/// `write(2)`, hence `ignoreBrokenPipes()`.
@safe
final class TLSSession {
    /// How a call went that does not wait.
    enum Outcome {
        /// So many bytes were read or written; 0 for a handshake or a shutdown that is complete.
        case bytes(Int)
        case wantsRead
        case wantsWrite
        /// The peer has announced its end.
        case ended
        case failed(TransportError)
    }

    private let session: OpaquePointer

    /// The server's end of a connection.
    init(server: TLSServerContext, descriptor: CInt) throws(TransportError) {
        unsafe session = try Self.make(server.current, descriptor)
        unsafe SSL_set_accept_state(session)
    }

    /// The client's end of a connection.
    init(client settings: TLSClientSettings, descriptor: CInt) throws(TransportError) {
        unsafe session = try Self.make(TLSClientContexts.context(for: settings), descriptor)
        unsafe SSL_set_connect_state(session)
        guard let name = settings.serverName, !name.isEmpty else {
            guard !settings.verifies else { throw .tls("no server name to verify") }
            return
        }
        try expect(name, verifying: settings.verifies)
    }

    deinit {
        unsafe SSL_free(session)
    }

    private static func make(_ context: TLSContext, _ descriptor: CInt) throws(TransportError) -> OpaquePointer {
        ERR_clear_error()
        guard let session = unsafe SSL_new(context.pointer) else { throw .lastTLS("no session") }
        guard unsafe SSL_set_fd(session, descriptor) == 1 else {
            unsafe SSL_free(session)
            throw .lastTLS("no session")
        }
        return unsafe session
    }

    /// Asks for the named server (RFC 6066) and, if it is verified, for a certificate of that name or address.
    private func expect(_ name: String, verifying: Bool) throws(TransportError) {
        let isAddress = SocketAddress.numeric(host: name, port: 0) != nil
        // A server name is a DNS name, never an address (RFC 6066, section 3).
        if !isAddress { unsafe copenssl_set_server_name(session, name) }
        guard verifying else { return }
        let parameters = unsafe SSL_get0_param(session)
        let result =
            unsafe isAddress
            ? X509_VERIFY_PARAM_set1_ip_asc(parameters, name) : X509_VERIFY_PARAM_set1_host(parameters, name, 0)
        guard result == 1 else { throw .lastTLS("server name \(name)") }
    }

    /// Whether bytes that have left the socket are still in here.
    var hasPending: Bool { unsafe SSL_has_pending(session) == 1 }

    func handshake() -> Outcome {
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(session)
        return result == 1 ? .bytes(0) : outcome(of: result)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        ERR_clear_error()
        let result = unsafe SSL_read(session, buffer.baseAddress, CInt(clamping: buffer.count))
        return result > 0 ? .bytes(Int(result)) : outcome(of: result)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        ERR_clear_error()
        let result = unsafe SSL_write(session, bytes.baseAddress, CInt(clamping: bytes.count))
        return result > 0 ? .bytes(Int(result)) : outcome(of: result)
    }

    /// Sends `close_notify`; does not wait for the peer's.
    func shutDown() -> Outcome {
        ERR_clear_error()
        let result = unsafe SSL_shutdown(session)
        return result >= 0 ? .bytes(0) : outcome(of: result)
    }

    private func outcome(of result: CInt) -> Outcome {
        let number = errno
        switch unsafe SSL_get_error(session, result) {
        case SSL_ERROR_WANT_READ: return .wantsRead
        case SSL_ERROR_WANT_WRITE: return .wantsWrite
        case SSL_ERROR_ZERO_RETURN: return .ended
        case SSL_ERROR_SYSCALL where number != 0:
            ERR_clear_error()
            return .failed(.system(call: "TLS", errno: number))
        case SSL_ERROR_SYSCALL: return .failed(.closed)
        default: return .failed(reason)
        }
    }

    /// Why OpenSSL failed, in words for a log.
    private var reason: TransportError {
        let code = ERR_peek_error()
        switch copenssl_reason(code) {
        case SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST:
            ERR_clear_error()
            return .tls("the peer speaks plain HTTP")
        case SSL_R_UNEXPECTED_EOF_WHILE_READING:
            ERR_clear_error()
            return .tls("the peer ended without close_notify")
        case SSL_R_CERTIFICATE_VERIFY_FAILED:
            ERR_clear_error()
            let result = unsafe SSL_get_verify_result(session)
            return unsafe .tls(
                "the certificate is not accepted: \(String(cString: X509_verify_cert_error_string(result)))")
        default: return .lastTLS("failed")
        }
    }
}
