internal import COpenSSL
internal import Glibc

// @safe: the pointers are valid as long as the object.
/// One end of a TLS connection: OpenSSL reading and writing the socket itself.
///
/// The socket is given to OpenSSL rather than a pair of memory buffers: an idle session then holds no buffer at all, a
/// record is copied once less, and bytes that the kernel refuses stay where OpenSSL has them anyway. It writes with
/// `write(2)`, hence `ignoreBrokenPipes()`.
///
/// Records that carry no data (RFC 8446 section 4.6.3, say) are answered inside a call, which goes on to the next one:
/// a call takes only so much from the socket, and who sends too many of them is ended.
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
        /// The peer speaks HTTP without TLS.
        case plainHTTP
        case failed(TransportError)
    }

    /// How often one call may read from the socket; each brings a record, or as much of small ones.
    private static let readsPerCall: CInt = 2

    private let session: OpaquePointer
    private let watch: UnsafeMutablePointer<copenssl_watch>
    /// The second in which the records were counted, and how many there were.
    private var controlRecords: (second: UInt64, count: Int) = (0, 0)
    /// A server's callbacks look there; nil for a client.
    private let contexts: TLSServerContexts?

    /// The server's end of a connection.
    init(server: TLSServerContext, descriptor: CInt) throws(TransportError) {
        let contexts = server.current
        unsafe (session, watch) = try Self.make(contexts.first, descriptor)
        self.contexts = contexts
        unsafe SSL_set_accept_state(session)
    }

    /// The client's end of a connection.
    init(client settings: TLSClientSettings, descriptor: CInt) throws(TransportError) {
        contexts = nil
        unsafe (session, watch) = try Self.make(TLSClientContexts.context(for: settings), descriptor)
        unsafe SSL_set_connect_state(session)
        guard let name = settings.serverName, !name.isEmpty else {
            guard !settings.verifies else { throw .tls("no server name to verify") }
            return
        }
        try expect(name, verifying: settings.verifies)
    }

    deinit {
        unsafe SSL_free(session)
        unsafe watch.deallocate()
    }

    private static func make(
        _ context: TLSContext, _ descriptor: CInt
    ) throws(TransportError) -> (OpaquePointer, UnsafeMutablePointer<copenssl_watch>) {
        ERR_clear_error()
        guard let session = unsafe SSL_new(context.pointer) else { throw .lastTLS("no session") }
        guard unsafe SSL_set_fd(session, descriptor) == 1 else {
            unsafe SSL_free(session)
            throw .lastTLS("no session")
        }
        let watch = UnsafeMutablePointer<copenssl_watch>.allocate(capacity: 1)
        unsafe watch.initialize(to: copenssl_watch())
        unsafe copenssl_watch_reading(session, watch)
        return unsafe (session, watch)
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
        prepare()
        let result = unsafe SSL_do_handshake(session)
        guard result == 1 else { return outcome(of: result) }
        // Those of the handshake are bounded by what it is, and by its time.
        _ = takeControlRecords()
        return .bytes(0)
    }

    /// Whether more records came in a second than may that carry no data; asked after each read.
    func isFlooded(moreThan most: Int, at now: MonotonicTime) -> Bool {
        let new = takeControlRecords()
        guard new > 0 else { return false }
        let second = now.nanoseconds / 1_000_000_000
        if second != controlRecords.second { controlRecords = (second, 0) }
        controlRecords.count += new
        return controlRecords.count > most
    }

    /// How many records came since it was asked last that carry no data.
    func takeControlRecords() -> Int {
        defer { unsafe watch.pointee.control_records = 0 }
        return unsafe Int(watch.pointee.control_records)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        prepare()
        let result = unsafe SSL_read(session, buffer.baseAddress, CInt(clamping: buffer.count))
        return result > 0 ? .bytes(Int(result)) : outcome(of: result)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        prepare()
        let result = unsafe SSL_write(session, bytes.baseAddress, CInt(clamping: bytes.count))
        return result > 0 ? .bytes(Int(result)) : outcome(of: result)
    }

    /// Sends `close_notify`; does not wait for the peer's.
    func shutDown() -> Outcome {
        prepare()
        let result = unsafe SSL_shutdown(session)
        return result >= 0 ? .bytes(0) : outcome(of: result)
    }

    /// Empties the thread's error queue and `errno`: what another connection left there is no failure of this one.
    private func prepare() {
        unsafe watch.pointee.reads_left = Self.readsPerCall
        ERR_clear_error()
        errno = 0
    }

    private func outcome(of result: CInt) -> Outcome {
        let number = errno
        let error = unsafe SSL_get_error(session, result)
        switch error {
        case SSL_ERROR_WANT_READ: return .wantsRead
        case SSL_ERROR_WANT_WRITE: return .wantsWrite
        case SSL_ERROR_ZERO_RETURN: return .ended
        default: break
        }
        defer { ERR_clear_error() }
        guard error != SSL_ERROR_SYSCALL else {
            return .failed(number == 0 ? .truncated : .system(call: "TLS", errno: number))
        }
        return failure(ERR_peek_error())
    }

    /// Whether the peer's bytes begin with a method (RFC 9110 section 9): OpenSSL itself knows but a few of them.
    private var beginsLikeHTTP: Bool {
        let first = unsafe watch.pointee.first_bytes
        let bytes = [first.0, first.1, first.2, first.3, first.4, first.5, first.6, first.7]
        let letters = bytes.prefix(unsafe Int(watch.pointee.first_count)).prefix { (0x41...0x5A).contains($0) }
        return letters.count >= 3 && (letters.count == bytes.count || bytes[letters.count] == 0x20)
    }

    /// Why OpenSSL failed, in words for a log.
    private func failure(_ code: CUnsignedLong) -> Outcome {
        let reason = copenssl_reason(code)
        switch reason {
        case SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST: return .plainHTTP
        case SSL_R_UNEXPECTED_EOF_WHILE_READING: return .failed(.truncated)
        case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
            return .failed(.untrusted("there is none, and this listener requires one"))
        case SSL_R_CERTIFICATE_VERIFY_FAILED:
            let result = unsafe SSL_get_verify_result(session)
            return unsafe .failed(.untrusted(String(cString: X509_verify_cert_error_string(result))))
        case SSL_R_WRONG_VERSION_NUMBER where beginsLikeHTTP: return .plainHTTP
        case SSL_R_WRONG_VERSION_NUMBER: return .failed(.tls("the peer speaks no TLS, or no version that is taken"))
        default: break
        }
        guard code != 0, let text = unsafe ERR_reason_error_string(code) else { return .failed(.tls("it failed")) }
        let words = unsafe String(cString: text)
        // What the peer says in an alert counts from here on.
        return .failed(.tls(reason >= SSL_AD_REASON_OFFSET ? TransportError.endedByPeer + words : words))
    }
}
