internal import Glibc
internal import Synchronization

/// An address that a server has taken, to be shared by the listeners of all its loops.
///
/// Each `Listener` made of it gets a socket of its own on the same TCP port (SO_REUSEPORT), so the kernel spreads
/// connections; on a Unix socket they share one descriptor, and so they do on sockets that were passed. The file of a
/// Unix socket is removed when the last user has closed.
public final class ListeningSocket: Sendable {
    /// Connections that the kernel completes before they are accepted.
    private static let backlog: CInt = 4096

    /// The address with the real port.
    public let address: SocketAddress
    private let first: Locked<FirstSocket>
    private let path: SocketPath?
    /// Those that somebody else opened; the loops take them in turn.
    private let passed: [PassedSocket]
    private let turn = Atomic(0)

    /// The socket made at the start: it goes to the first TCP listener, and stays here for all on a Unix socket.
    private struct FirstSocket: ~Copyable {
        var descriptor: FileDescriptor
    }

    /// Takes the address; a name is looked up, which blocks.
    ///
    /// - Parameters:
    ///   - address: where to listen; port 0 takes a free one.
    ///   - isExclusive: refuse a port on which any other program, or socket of this one, listens already. Without it,
    ///     programs of the same user that allow it too share a port.
    /// - Throws: `TransportError`, with `EADDRINUSE` when somebody else has the port, and `occupiedPath` for a path
    ///   that cannot be taken.
    public init(_ address: SocketAddress, isExclusive: Bool = true) throws(TransportError) {
        guard let address = try address.resolved().first else { throw .closed }
        passed = []
        if case .unix(let name) = address {
            let descriptor = try SocketPath.listen(at: name, backlog: Self.backlog)
            path = try SocketPath(name)
            self.address = address
            first = Locked(FirstSocket(descriptor: consume descriptor))
            return
        }
        if isExclusive { _ = try Self.bind(address, sharing: false) }
        let descriptor = try Self.listen(address)
        let bound = try SocketAddress.bound(descriptor.number)
        if case .any = address { self.address = .any(port: bound.port ?? 0) } else { self.address = bound }
        path = nil
        first = Locked(FirstSocket(descriptor: consume descriptor))
    }

    /// Finds out whether an address could be taken, and leaves it as it is.
    ///
    /// - Parameter address: where to listen; with numbers, not a name.
    /// - Throws: `TransportError`, as taking it would.
    public static func check(_ address: SocketAddress) throws(TransportError) {
        if case .unix(let path) = address { return try SocketPath.check(path) }
        _ = try bind(address, sharing: false)
    }

    /// Takes sockets that were passed, which all listen at the same address.
    ///
    /// - Parameters:
    ///   - passed: at least one. Several, which the kernel spreads connections over (`ReusePort=`), go to the loops in
    ///     turn; a single one is shared by all.
    ///   - address: what it is called.
    public init(_ passed: [PassedSocket], as address: SocketAddress) {
        precondition(!passed.isEmpty, "nothing was passed")
        self.passed = passed
        self.address = address
        path = nil
        first = Locked(FirstSocket(descriptor: FileDescriptor()))
    }

    /// Whether several listeners share one descriptor.
    var isShared: Bool { path != nil || !passed.isEmpty }

    /// A descriptor for one more listener.
    func descriptor() throws(TransportError) -> FileDescriptor {
        if !passed.isEmpty {
            let index = turn.add(1, ordering: .relaxed).oldValue % passed.count
            return try FileDescriptor(fcntl(passed[index].descriptor.number, F_DUPFD_CLOEXEC, 0), from: "dup")
        }
        let shared = isShared
        let number: CInt? = first.withLock { first in
            let number = first.descriptor.number
            guard number >= 0 else { return nil }
            return shared ? fcntl(number, F_DUPFD_CLOEXEC, 0) : first.descriptor.release()
        }
        if let number { return try FileDescriptor(number, from: "dup") }
        return try Self.listen(address)
    }

    private static func listen(_ address: SocketAddress) throws(TransportError) -> FileDescriptor {
        let descriptor = try bind(address, sharing: true)
        guard Glibc.listen(descriptor.number, backlog) == 0 else { throw .last("listen on \(address)") }
        return descriptor
    }

    private static func bind(_ address: SocketAddress, sharing: Bool) throws(TransportError) -> FileDescriptor {
        do {
            return try bindExactly(address, sharing: sharing)
        } catch .system(_, EAFNOSUPPORT) where address.isAny {
            // A machine without IPv6: all its addresses are IPv4 ones.
            return try bindExactly(.ipv4(0, port: address.port ?? 0), sharing: sharing)
        }
    }

    private static func bindExactly(_ address: SocketAddress, sharing: Bool) throws(TransportError) -> FileDescriptor {
        let descriptor = try FileDescriptor.streamSocket(address.family)
        descriptor.set(SOL_SOCKET, SO_REUSEADDR, to: 1)
        if sharing { descriptor.set(SOL_SOCKET, SO_REUSEPORT, to: 1) }
        // Accepted sockets inherit this.
        descriptor.set(CInt(IPPROTO_TCP), TCP_NODELAY, to: 1)
        descriptor.set(SOL_SOCKET, SO_KEEPALIVE, to: 1)
        if address.family == AF_INET6 { descriptor.set(CInt(IPPROTO_IPV6), IPV6_V6ONLY, to: 0) }
        let result = unsafe address.withSystemAddress { unsafe Glibc.bind(descriptor.number, $0, $1) }
        guard result == 0 else { throw .last("listen on \(address)") }
        return descriptor
    }
}

extension SocketAddress {
    /// Whether the address stands for all IPv6 addresses, and thereby for all.
    fileprivate var isAny: Bool {
        switch self {
        case .any: true
        case .ipv6(0, 0, _, _): true
        default: false
        }
    }
}
