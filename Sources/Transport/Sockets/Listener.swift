internal import CLinux
internal import Glibc

/// Accepts connections on one loop.
///
/// When the process has no descriptor left, a listener rests until a stream of its loop has closed or 100 ms have
/// passed; streams are served meanwhile.
public final class Listener {
    /// How many connections one event may bring.
    private static let acceptsPerEvent = 64
    private static let rest = Duration.milliseconds(100)

    /// The address with the real port.
    public let address: SocketAddress
    private let loop: EventLoop
    private let accept: (ByteStream) -> Void
    private let tls: TLSServerContext?
    private let handshakeLimit: () -> Duration
    private let proxies: ProxyProtocol?
    /// Nil once closed; the file of a Unix socket goes with its last user.
    private var socket: ListeningSocket?
    private var descriptor: FileDescriptor
    private var registration = Registration(slot: .max, generation: 0)
    private var wakeUp: TimerToken?
    /// How many connections the next event may bring, and the turn in which the last one brought as many as it might.
    private var accepts = 1
    private var turnOfMost: UInt64 = 0

    /// Listens on an address of its own; on the loop, or before it starts.
    ///
    /// Several listeners may be made for the same TCP address, one a loop: port 0 for the first, its `address` for the
    /// others.
    ///
    /// - Parameters:
    ///   - loop: the loop that accepts the connections and keeps them.
    ///   - address: where to listen; a name is looked up, which blocks.
    ///   - tls: what to encrypt with; nil for plain bytes.
    ///   - handshakeTimeout: how long the TLS handshake may take.
    ///   - accept: receives each connection, before its TLS handshake; it sets the delegate.
    /// - Throws: `TransportError`, see `ListeningSocket`.
    public convenience init(
        on loop: EventLoop, address: SocketAddress, tls: TLSServerContext? = nil,
        handshakeTimeout: Duration = .seconds(10), accept: @escaping (ByteStream) -> Void
    ) throws(TransportError) {
        let socket = try ListeningSocket(address, isExclusive: false)
        try self.init(on: loop, socket: socket, tls: tls, handshakeTimeout: { handshakeTimeout }, accept: accept)
    }

    /// Listens on an address that the server has taken; on the loop, or before it starts.
    ///
    /// - Parameters:
    ///   - loop: the loop that accepts the connections and keeps them.
    ///   - socket: the address, shared with the listeners of other loops.
    ///   - tls: what to encrypt with; nil for plain bytes.
    ///   - proxies: nil when connections come from clients themselves, else what takes the PROXY protocol.
    ///   - handshakeTimeout: how long the proxy's header and the TLS handshake may take; asked for each connection.
    ///   - accept: receives each connection, behind the proxy's header and before its TLS handshake; it sets the delegate.
    /// - Throws: `TransportError.system` when there is no descriptor or memory left.
    public init(
        on loop: EventLoop, socket: ListeningSocket, tls: TLSServerContext? = nil, proxies: ProxyProtocol? = nil,
        handshakeTimeout: @escaping () -> Duration = { .seconds(10) }, accept: @escaping (ByteStream) -> Void
    ) throws(TransportError) {
        loop.preconditionCurrent()
        guard !loop.core.hasEnded else { throw .closed }
        self.loop = loop
        self.socket = socket
        self.tls = tls
        self.proxies = proxies
        self.accept = accept
        address = socket.address
        handshakeLimit = handshakeTimeout
        descriptor = try socket.descriptor()
        registration = loop.core.poller.register(self)
        do {
            try watch()
        } catch {
            loop.core.poller.unregister(registration)
            throw error
        }
    }

    /// Stops listening; connections that were accepted go on, and a Unix socket's file is removed with its last
    /// listener.
    public func close() {
        loop.preconditionCurrent()
        guard let socket else { return }
        loop.core.poller.unregister(registration)
        // The descriptor of a Unix socket has copies, which would keep it in the set.
        loop.core.poller.unwatch(descriptor.number)
        descriptor.close()
        withExtendedLifetime(socket) { self.socket = nil }
        if let wakeUp { loop.core.timers.cancel(wakeUp) }
        wakeUp = nil
    }

    private func watch() throws(TransportError) {
        let isShared = socket?.isShared ?? false
        try loop.core.poller.watch(
            descriptor.number, isShared ? [.readable, .exclusive] : .readable, for: registration)
    }

    private func acceptOne() -> ByteStream? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let number = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe clinux_accept(descriptor.number, $0, &length)
            }
        }
        do {
            let accepted = try FileDescriptor(number, from: "accept")
            let peer = SocketAddress(storage)
            if let proxies, !proxies.isTrusted(peer) {
                proxies.refused(peer, .untrusted)
                return nil
            }
            let session: TLSSession? =
                if let tls { try TLSSession(server: tls, descriptor: accepted.number) } else { nil }
            return ByteStream(
                on: loop, accepted, peer: peer, tls: session,
                phase: session == nil ? .open : .handshaking)
        } catch .system(_, EMFILE), .system(_, ENFILE), .system(_, ENOBUFS), .system(_, ENOMEM) {
            takeRest()
        } catch {
            // A connection that was gone before it was accepted, or none left: nothing to tell anybody.
        }
        return nil
    }

    private func takeRest() {
        loop.core.poller.unwatch(descriptor.number)
        loop.core.starvedListeners.append(self)
        wakeUp = loop.core.timers.schedule(ListenerAlarm(self), at: loop.core.now + Self.rest)
    }

    /// Tries again after a rest.
    func resume() {
        guard let wakeUp, socket != nil else { return }
        loop.core.timers.cancel(wakeUp)
        self.wakeUp = nil
        loop.core.starvedListeners.removeAll { $0 === self }
        do { try watch() } catch { takeRest() }
    }
}

@available(*, unavailable)
extension Listener: Sendable {}

extension Listener: EventSource {
    func handle(_ events: PollEvents) {
        // Asking for one more than there are costs as much as taking one. So only where connections still wait in the very
        // next turn, more are taken at once.
        let isNextTurn = loop.core.turn == turnOfMost &+ 1
        accepts = isNextTurn ? min(2 * accepts, Self.acceptsPerEvent) : 1
        turnOfMost = loop.core.turn
        for _ in 0..<accepts {
            guard socket != nil, let stream = acceptOne() else {
                accepts = 1
                return
            }
            if let proxies {
                stream.awaitAnnouncement(Announcement(proxies, accept: accept), limit: handshakeLimit())
                continue
            }
            accept(stream)
            if stream.phase == .handshaking { stream.setDeadline(handshakeLimit()) }
            if stream.flags.contains(.isUnwatched), stream.phase != .closed { stream.watch() }
        }
    }

    func loopDidEnd() {
        close()
    }
}

/// Ends a listener's rest.
private final class ListenerAlarm: TimerHandler {
    private let listener: Listener

    init(_ listener: Listener) {
        self.listener = listener
    }

    func timerFired(_ now: MonotonicTime) {
        listener.resume()
    }
}
