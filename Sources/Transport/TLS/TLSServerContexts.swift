internal import COpenSSL
internal import Glibc

// @safe: the contexts hold this object's address for their callbacks; sessions hold this object, so it outlives them.
/// The contexts of a server, one for each certificate, as they are until the files are read again.
@safe
final class TLSServerContexts: Sendable {
    /// The one that every session begins with; it has the default certificate.
    let first: TLSContext
    private let others: [TLSContext]
    /// Places among the others.
    private let names: ServerNames
    private let ticketKeys: TicketKeyring

    /// Makes the contexts for these certificates, the first one being the default.
    init(
        _ identities: [TLSIdentity], authorities: ClientAuthorities?, settings: TLSServerSettings,
        ticketKeys: TicketKeyring
    ) throws(TransportError) {
        var contexts: [TLSContext] = []
        var names = ServerNames()
        for (index, identity) in identities.enumerated() {
            let context = try Self.make(settings)
            try identity.install(in: context)
            try authorities?.install(in: context, isRequired: settings.clientCertificates == .required)
            names.add(identity.certificate.dnsNames, for: index)
            contexts.append(context)
        }
        guard let first = contexts.first else { throw .tls("no certificate") }
        self.first = first
        others = Array(contexts.dropFirst())
        self.names = names
        self.ticketKeys = ticketKeys
        let place = unsafe Unmanaged.passUnretained(self).toOpaque()
        for context in contexts { unsafe SSL_CTX_set_ex_data(context.pointer, 0, place) }
        unsafe copenssl_set_server_name_callback(first.pointer, Self.selectContext)
    }

    /// A context without a certificate.
    private static func make(_ settings: TLSServerSettings) throws(TransportError) -> TLSContext {
        let context = try unsafe TLSContext(TLS_server_method())
        let pointer = unsafe context.pointer
        if settings.minimumVersion == .tls1_3 { unsafe copenssl_set_min_version(pointer, TLS1_3_VERSION) }
        var options = copenssl_CIPHER_SERVER_PREFERENCE | copenssl_PRIORITIZE_CHACHA
        if settings.usesKernel { options |= copenssl_ENABLE_KTLS }
        // Sessions are resumed by tickets; a cache would grow with every client.
        unsafe copenssl_set_session_cache_mode(pointer, Int(SSL_SESS_CACHE_OFF))
        if settings.clientCertificates == .none {
            unsafe SSL_CTX_set_tlsext_ticket_key_evp_cb(pointer, prepareTicket)
            unsafe SSL_CTX_set_timeout(pointer, CLong(TicketKeys.period.components.seconds))
            // A client of this broker has one connection to resume, not two.
            unsafe SSL_CTX_set_num_tickets(pointer, 1)
        } else {
            // A resumed session is not verified again: each connection shows its certificate itself.
            options |= copenssl_NO_TICKET
            unsafe SSL_CTX_set_num_tickets(pointer, 0)
        }
        unsafe SSL_CTX_set_options(pointer, options)
        unsafe SSL_CTX_set_max_early_data(pointer, 0)
        unsafe SSL_CTX_set_alpn_select_cb(pointer, selectProtocol, nil)
        return context
    }

    /// The contexts that a session was made with.
    private static func of(_ session: OpaquePointer) -> TLSServerContexts? {
        guard let context = unsafe SSL_get_SSL_CTX(session), let place = unsafe SSL_CTX_get_ex_data(context, 0) else {
            return nil
        }
        return unsafe Unmanaged<TLSServerContexts>.fromOpaque(place).takeUnretainedValue()
    }

    // MARK: Callbacks of the handshake

    /// Goes on with the certificate for the name that the client asks for; without one, with the default.
    private static let selectContext:
        @convention(c) (OpaquePointer?, UnsafeMutablePointer<CInt>?, UnsafeMutableRawPointer?) -> CInt = {
            session, _, _ in
            guard let session = unsafe session, let contexts = unsafe of(session),
                let name = unsafe SSL_get_servername(session, TLSEXT_NAMETYPE_host_name),
                let index = unsafe contexts.names.index(for: String(cString: name))
            else { return SSL_TLSEXT_ERR_NOACK }
            if index > 0 { unsafe SSL_set_SSL_CTX(session, contexts.others[index - 1].pointer) }
            return SSL_TLSEXT_ERR_OK
        }

    /// Finds the key of a ticket, or one for a new ticket (`SSL_CTX_set_tlsext_ticket_key_evp_cb`).
    private static let prepareTicket:
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt8>?, OpaquePointer?, OpaquePointer?,
            CInt
        ) -> CInt = { session, name, iv, cipher, mac, seals in
            guard let session = unsafe session, let name = unsafe name, let iv = unsafe iv,
                let contexts = unsafe of(session)
            else { return -1 }
            let length = TicketKey.nameLength
            let key: TicketKey
            var isOld = false
            if seals == 1 {
                guard let current = contexts.ticketKeys.sealingKey(),
                    unsafe RAND_bytes(iv, EVP_CIPHER_get_iv_length(EVP_aes_256_cbc())) == 1
                else { return 0 }
                key = current
                unsafe name.update(from: current.name.baseAddress ?? UnsafePointer(name), count: length)
            } else {
                let sealed = unsafe UnsafeBufferPointer(start: UnsafePointer(name), count: length)
                guard let known = unsafe contexts.ticketKeys.openingKey(named: sealed) else { return 0 }
                (key, isOld) = known
            }
            let result = withExtendedLifetime(key) {
                unsafe copenssl_prepare_ticket(
                    cipher, mac, key.cipherKey, key.authenticationKey, TicketKey.partLength, iv, seals)
            }
            return result == 1 ? (isOld ? 2 : 1) : -1
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
