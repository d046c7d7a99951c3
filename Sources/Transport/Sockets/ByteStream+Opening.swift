internal import Glibc

/// What a stream needs until its connection stands.
enum Opening {
    case client(ClientOpening)
    case server(Announcement)

    var client: ClientOpening? {
        if case .client(let opening) = self { opening } else { nil }
    }
}

/// What a client's stream needs until its connection stands.
final class ClientOpening {
    /// Addresses to try when the present one fails.
    var others: ArraySlice<SocketAddress>
    let tls: TLSClientSettings?
    let options: ConnectOptions

    init(others: ArraySlice<SocketAddress>, tls: TLSClientSettings?, options: ConnectOptions) {
        self.others = others
        self.tls = tls
        self.options = options
    }
}

extension ByteStream {
    /// Begins to connect to an address; on the loop only.
    ///
    /// What is sent before the connection stands is queued. When it stands, with TLS if asked for, the delegate is told
    /// by `streamDidConnect`; when it fails or takes longer than the limit, by `stream(_:didClose:)`.
    ///
    /// - Parameters:
    ///   - address: where to; a name is looked up first, which blocks the loop: use `SocketAddress.resolved()`
    ///     elsewhere. Its addresses are tried one after the other.
    ///   - loop: the loop that the stream belongs to.
    ///   - tls: how to encrypt and whom to trust; nil for plain bytes.
    ///   - limit: how long connecting and the TLS handshake may take together.
    ///   - delegate: what hears of the stream.
    /// - Returns: the stream, which is not connected yet.
    /// - Throws: `TransportError` when no attempt could even begin; then the delegate hears nothing.
    public static func connect(
        to address: SocketAddress, on loop: EventLoop, tls: TLSClientSettings? = nil, limit: Duration = .seconds(10),
        delegate: any ByteStreamDelegate
    ) throws(TransportError) -> ByteStream {
        try connect(
            toFirstOf: address.resolved(), serverName: address.host, on: loop, tls: tls, limit: limit,
            delegate: delegate)
    }

    /// Begins to connect to the first of several addresses that answers; otherwise like
    /// `connect(to:on:tls:limit:delegate:)`.
    ///
    /// - Parameters:
    ///   - addresses: what `SocketAddress.resolved()` gave, at least one.
    ///   - serverName: the name that the certificate must be for, unless the TLS settings have one.
    ///   - loop: the loop that the stream belongs to.
    ///   - tls: how to encrypt and whom to trust; nil for plain bytes.
    ///   - limit: how long connecting and the TLS handshake may take together.
    ///   - options: where the connection comes from, and what its socket is like.
    ///   - delegate: what hears of the stream.
    /// - Returns: the stream, which is not connected yet.
    /// - Throws: `TransportError` when no attempt could even begin; then the delegate hears nothing.
    public static func connect(
        toFirstOf addresses: [SocketAddress], serverName: String, on loop: EventLoop, tls: TLSClientSettings? = nil,
        limit: Duration = .seconds(10), options: ConnectOptions = ConnectOptions(), delegate: any ByteStreamDelegate
    ) throws(TransportError) -> ByteStream {
        loop.prepareClock()
        guard !loop.core.hasEnded else { throw .closed }
        var tls = tls
        if tls?.serverName == nil { tls?.serverName = serverName }
        var others = addresses.flatMap(\.connectable)[...]
        var failure = TransportError.closed
        while let address = others.popFirst() {
            do {
                let descriptor = try begin(connectingTo: address, options)
                let stream = ByteStream(on: loop, descriptor, peer: address, tls: nil, phase: .connecting)
                stream.opening = .client(ClientOpening(others: others, tls: tls, options: options))
                stream.delegate = delegate
                stream.setDeadline(limit)
                stream.watch()
                return stream
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private static func begin(
        connectingTo address: SocketAddress, _ options: ConnectOptions
    ) throws(TransportError) -> FileDescriptor {
        let descriptor = try FileDescriptor.streamSocket(address.family)
        try options.apply(to: descriptor, family: address.family)
        if address.port != nil { descriptor.set(CInt(IPPROTO_TCP), TCP_NODELAY, to: 1) }
        let result = unsafe address.withSystemAddress { unsafe Glibc.connect(descriptor.number, $0, $1) }
        guard result == 0 || errno == EINPROGRESS else { throw .last("connect to \(address)") }
        return descriptor
    }

    /// The kernel reports how connecting went.
    func finishConnecting() {
        var number: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        _ = unsafe getsockopt(descriptor.number, SOL_SOCKET, SO_ERROR, &number, &length)
        guard number == 0 else { return tryNext(after: .system(call: "connect to \(peer)", errno: number)) }
        guard let settings = opening?.client?.tls else { return didOpen() }
        do {
            tls = try TLSSession(client: settings, descriptor: descriptor.number)
        } catch {
            return close(error)
        }
        phase = .handshaking
        continueHandshake()
    }

    private func tryNext(after error: TransportError) {
        var failure = error
        while let opening = opening?.client, let address = opening.others.popFirst() {
            do {
                // Closing the old socket takes it out of the epoll set.
                descriptor = try Self.begin(connectingTo: address, opening.options)
                peer = address
                return watch()
            } catch {
                failure = error
            }
        }
        close(failure)
    }

    /// Takes the TLS handshake as far as it goes now.
    func continueHandshake() {
        guard let tls else { return }
        flags.remove(.readNeedsWrite)
        switch tls.handshake() {
        case .bytes: return didOpen()
        case .wantsRead: break
        case .wantsWrite: flags.insert(.readNeedsWrite)
        case .ended: return close(.tls("the peer ended the handshake"))
        case .plainHTTP where opening == nil: return refusePlainHTTP()
        case .plainHTTP: return close(.tls("the peer speaks plain HTTP"))
        case .failed(let error): return close(error)
        }
        updateInterest()
    }

    private func didOpen() {
        let isClient = opening?.client != nil
        phase = .open
        opening = nil
        clearDeadline()
        if !queue.isEmpty || !flags.isDisjoint(with: [.isFinishing, .awaitsDrain]) { markDirty() }
        updateInterest()
        // Bytes that came with the end of the handshake are in TLS already, and no event will announce them.
        if tls?.hasPending == true { readOnNextTurn() }
        if isClient { delegate?.streamDidConnect(self) }
    }
}

extension SocketAddress {
    /// The addresses at which a server that listens on this one is found from the same machine.
    fileprivate var connectable: [SocketAddress] {
        guard case .any(let port) = self else { return [self] }
        return [.ipv4(0x7F00_0001, port: port), .ipv6(0, 1, scope: 0, port: port)]
    }
}
