import CNATS
import Glibc
import Synchronization

/// How a connection is made.
@safe
struct NATSOptions: ~Copyable {
    private let handle: OpaquePointer

    private init(owning handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    /// The options that the settings come to.
    static func make(_ settings: NATSSettings) throws(StoreError) -> NATSOptions {
        var made: OpaquePointer?
        guard unsafe natsOptions_Create(&made) == NATS_OK, let made = unsafe made else {
            throw .unavailable("there is no memory for a connection")
        }
        let options = unsafe NATSOptions(owning: made)
        try options.setIdentity(settings)
        try options.setServers(settings)
        try options.setTLS(settings)
        try options.setBehaviour()
        return options
    }

    private func setBehaviour() throws(StoreError) {
        try check(unsafe natsOptions_SetName(handle, "fanfare"), "its name")
        try check(unsafe natsOptions_SetTimeout(handle, 2_000), "its timeout")
        try check(unsafe natsOptions_SetMaxReconnect(handle, -1), "coming back")
        try check(unsafe natsOptions_SetReconnectWait(handle, 250), "coming back")
        // A server that is cut off is noticed within some seconds.
        try check(unsafe natsOptions_SetPingInterval(handle, 2_000), "pings")
        try check(unsafe natsOptions_SetMaxPingsOut(handle, 2), "pings")
        try check(unsafe natsOptions_SetWriteDeadline(handle, 5_000), "writing")
        // A few threads for all subscriptions, not one for each.
        try check(unsafe natsOptions_UseGlobalMessageDelivery(handle, true), "its threads")
        try check(unsafe natsOptions_SetMaxPendingMsgs(handle, 65_536), "what waits")
    }

    deinit {
        unsafe natsOptions_Destroy(handle)
    }

    /// Has the library tell an observer, and let go of it when it tells nothing any more.
    func observe(with observer: UnsafeMutableRawPointer) throws(StoreError) {
        try unsafe check(
            natsOptions_SetReconnectedCB(
                handle,
                { _, closure in
                    guard let closure = unsafe closure else { return }
                    let observer = unsafe NATSOptions.observer(closure)
                    observer.isConnected.store(true, ordering: .relaxed)
                    observer.tell(.mayHaveMissed)
                }, observer), "coming back")
        try unsafe check(
            natsOptions_SetDisconnectedCB(
                handle,
                { _, closure in
                    guard let closure = unsafe closure else { return }
                    let observer = unsafe NATSOptions.observer(closure)
                    observer.isConnected.store(false, ordering: .relaxed)
                    observer.tell(.disconnected)
                }, observer), "coming back")
        try unsafe check(
            natsOptions_SetErrorHandler(
                handle,
                { connection, _, status, closure in
                    guard let closure = unsafe closure else { return }
                    let observer = unsafe NATSOptions.observer(closure)
                    if status == NATS_NOT_PERMITTED {
                        observer.tell(.forbidden(unsafe NATSOptions.lastError(of: connection)))
                    } else {
                        observer.tell(.mayHaveMissed)
                    }
                }, observer), "errors")
        try unsafe check(
            natsOptions_SetClosedCB(
                handle,
                { _, closure in
                    guard let closure = unsafe closure else { return }
                    let retained = unsafe Unmanaged<NATSConnection.Observer>.fromOpaque(closure)
                    let observer = unsafe retained.takeUnretainedValue()
                    observer.isConnected.store(false, ordering: .relaxed)
                    observer.isClosed.store(true, ordering: .relaxed)
                    unsafe retained.release()
                }, observer), "its end")
    }

    private static func observer(_ closure: UnsafeMutableRawPointer) -> NATSConnection.Observer {
        unsafe Unmanaged<NATSConnection.Observer>.fromOpaque(closure).takeUnretainedValue()
    }

    private static func lastError(of connection: OpaquePointer?) -> String {
        var text: UnsafePointer<CChar>?
        _ = unsafe natsConnection_GetLastError(connection, &text)
        return unsafe text.map { unsafe String(cString: $0) } ?? "it is not permitted"
    }

    /// Connects; the settings are those that these options were made of.
    func connect(_ settings: NATSSettings) throws(StoreError) -> OpaquePointer {
        var connection: OpaquePointer?
        let status = unsafe natsConnection_Connect(&connection, handle)
        if status == NATS_OK, let connection = unsafe connection { return unsafe connection }
        switch status {
        // That does not mend itself.
        case NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED:
            throw .unusable(
                "the NATS servers refuse the broker: see nats.user and nats.password, or nats.credentials_file")
        case NATS_SECURE_CONNECTION_WANTED: throw .unusable("the NATS server has no TLS, and tls:// demands it")
        case NATS_SECURE_CONNECTION_REQUIRED: throw .unusable("the NATS server demands TLS: name it by tls://")
        case NATS_SSL_ERROR:
            throw .unusable(
                "TLS with the NATS server failed: \(NATSOptions.lastWords(status)); nats.ca_file names who has signed its certificate"
            )
        // In TLS 1.3 a server refuses a client's certificate when that takes the handshake to be over; then it hangs up.
        case NATS_PROTOCOL_ERROR where settings.demandsTLS, NATS_IO_ERROR where settings.demandsTLS:
            throw .unavailable(NATSOptions.hangUp(settings))
        default: throw .unavailable("no NATS server can be reached: \(NATSOptions.words(status))")
        }
    }

    /// What is said where a server ends the connection behind TLS.
    static func hangUp(_ settings: NATSSettings) -> String {
        let begin = "a NATS server ends the connection as soon as it is encrypted, as one does that "
        guard let file = settings.certificate else {
            return begin + "asks for a client certificate: see nats.cert and nats.key"
        }
        return begin + "does not take the client certificate in '\(file)' (nats.cert)"
    }

    private func setServers(_ settings: NATSSettings) throws(StoreError) {
        let servers = settings.servers.map(NATSServer.init)
        var urls: [String] = []
        if let identity = NATSOptions.commonIdentity(of: servers) {
            urls = servers.map { $0.scheme + $0.place }
            try setIdentity(identity)
        } else {
            for server in servers {
                guard let url = server.urlForLibrary else {
                    throw .unusable(
                        "NATS: a name in the URL of '\(server.place)' has a colon or nothing: use nats.user and nats.password"
                    )
                }
                urls.append(url)
            }
        }
        // The library copies them.
        let texts = unsafe urls.map { unsafe strdup($0) }
        defer { unsafe texts.forEach { unsafe free($0) } }
        var pointers = unsafe texts.map { unsafe UnsafePointer($0) }
        let status = unsafe natsOptions_SetServers(handle, &pointers, Int32(clamping: pointers.count))
        try check(status, "its servers")
    }

    private func setIdentity(_ settings: NATSSettings) throws(StoreError) {
        if let user = settings.user {
            try setIdentity(NATSIdentity(user: user, password: settings.password ?? ""))
        }
        if let file = settings.credentials {
            if let flaw = NATSCredentials.flaw(of: file) {
                throw .unusable("NATS: the credentials in '\(file)' cannot be used: \(flaw)")
            }
            try check(
                unsafe natsOptions_SetUserCredentialsFromFiles(handle, file, nil), "the credentials in '\(file)'")
        }
    }

    /// Who the broker is to all servers alike; `nil`: their URLs say different things of that, or nothing.
    private static func commonIdentity(of servers: [NATSServer]) -> NATSIdentity? {
        let identities = Set(servers.map(\.identity))
        return identities.count == 1 ? identities.first ?? nil : nil
    }

    private func setIdentity(_ identity: NATSIdentity) throws(StoreError) {
        let user = NATSIdentity.escaped(identity.user)
        guard let password = identity.password.map(NATSIdentity.escaped) else {
            return try check(unsafe natsOptions_SetToken(handle, user), "the token")
        }
        try check(unsafe natsOptions_SetUserInfo(handle, user, password), "user and password")
    }

    private func setTLS(_ settings: NATSSettings) throws(StoreError) {
        // Without that a server that offers none would be told name and password in plain text.
        if settings.demandsTLS { try check(unsafe natsOptions_SetSecure(handle, true), "TLS") }
        if let file = settings.authorities {
            try check(
                unsafe natsOptions_LoadCATrustedCertificates(handle, file), "the authorities in '\(file)'")
        }
        if let certificate = settings.certificate, let key = settings.key {
            try check(
                unsafe natsOptions_LoadCertificatesChain(handle, certificate, key),
                "the certificate in '\(certificate)'")
        }
    }

    private func check(_ status: natsStatus, _ what: String) throws(StoreError) {
        if status != NATS_OK { throw .unusable("NATS: \(what) cannot be used: \(NATSOptions.lastWords(status))") }
    }

    /// What the library says of a failure of this thread's.
    private static func lastWords(_ status: natsStatus) -> String {
        var last = NATS_OK
        guard let text = unsafe nats_GetLastError(&last), last == status else { return words(status) }
        return withoutPlace(unsafe String(cString: text))
    }

    /// The library's words without the place in its sources that they begin with, such as `(conn.c:733): `.
    static func withoutPlace(_ words: String) -> String {
        guard words.first == "(", let place = words.firstRange(of: "): ") else { return words }
        return String(words[place.upperBound...])
    }

    private static func words(_ status: natsStatus) -> String {
        unsafe natsStatus_GetText(status).map { unsafe String(cString: $0) } ?? "error \(status.rawValue)"
    }
}
