internal import Glibc

/// A listening socket that whoever started this process has opened for it: socket activation, by the protocol of
/// `sd_listen_fds(3)`.
///
/// It is closed with its last user; the file of a Unix socket stays, for it belongs to the one who opened it.
public final class PassedSocket: Sendable {
    /// Why passed descriptors cannot be used.
    public struct Failure: Error, Sendable, Equatable {
        /// One line for a person.
        public let reason: String
    }

    /// Where the first one is.
    private static let firstDescriptor: CInt = 3
    /// More than anybody listens on; a number that is wrong must not be believed.
    private static let most: CInt = 256

    /// What `LISTEN_FDNAMES` calls it; empty where it has no name.
    public let name: String
    /// Where it listens.
    public let address: SocketAddress
    let descriptor: FileDescriptor

    /// The variables that say which sockets were passed.
    public static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]

    /// Takes the sockets that were passed to this process; none where the variables are not set, or speak of another
    /// process.
    ///
    /// The descriptors are taken over, so call it once, before any other is opened.
    ///
    /// - Parameter environment: the values of ``variables``.
    /// - Returns: the sockets, in their order.
    /// - Throws: ``Failure`` where something else than listening stream sockets was passed.
    public static func take(_ environment: [String: String]) throws(Failure) -> [PassedSocket] {
        guard let process = environment["LISTEN_PID"], let number = environment["LISTEN_FDS"] else { return [] }
        guard let process = pid_t(process) else {
            throw Failure(reason: "LISTEN_PID is the number of a process, not \"\(process)\"")
        }
        guard process == getpid() else { return [] }
        guard let count = CInt(number), (0...most).contains(count) else {
            throw Failure(reason: "LISTEN_FDS is how many sockets were passed, 0 to \(most), not \"\(number)\"")
        }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        var sockets: [PassedSocket] = []
        for index in 0..<count {
            let name = Int(index) < names.count ? String(names[Int(index)]) : ""
            sockets.append(try PassedSocket(firstDescriptor + index, name: name))
        }
        return sockets
    }

    private init(_ number: CInt, name: String) throws(Failure) {
        self.name = name
        let label = name.isEmpty ? "descriptor \(number)" : "descriptor \(number) (\(name))"
        guard fcntl(number, F_SETFD, FD_CLOEXEC) == 0 else {
            throw Failure(reason: "\(label) was announced by LISTEN_FDS and is not open")
        }
        let isInternet = [AF_INET, AF_INET6].contains(Self.option(SO_DOMAIN, of: number))
        guard isInternet || Self.option(SO_DOMAIN, of: number) == AF_UNIX,
            Self.option(SO_TYPE, of: number) == CInt(SOCK_STREAM.rawValue),
            Self.option(SO_ACCEPTCONN, of: number) == 1
        else { throw Failure(reason: "\(label) is no socket that listens: ListenStream= with Accept=no is meant") }
        // Whoever accepts until nobody is left must not wait there.
        guard fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) == 0 else {
            throw Failure(reason: "\(label) cannot be set not to block")
        }
        do throws(TransportError) {
            address = try SocketAddress.bound(number)
            descriptor = try FileDescriptor(number, from: "take \(label)")
        } catch {
            throw Failure(reason: "\(label): \(error)")
        }
        guard isInternet else { return }
        // Accepted sockets inherit these.
        descriptor.set(CInt(IPPROTO_TCP), TCP_NODELAY, to: 1)
        descriptor.set(SOL_SOCKET, SO_KEEPALIVE, to: 1)
    }

    /// The value of an option of the socket level; -1 where the descriptor has none.
    private static func option(_ name: CInt, of number: CInt) -> CInt {
        var value: CInt = -1
        var size = socklen_t(MemoryLayout<CInt>.size)
        return unsafe getsockopt(number, SOL_SOCKET, name, &value, &size) == 0 ? value : -1
    }

    /// Whether this socket is what listening on an address comes to.
    ///
    /// All addresses (`:PORT`) are `0.0.0.0:PORT` as well as `[::]:PORT`; port 0 is never met.
    public func matches(_ wanted: SocketAddress) -> Bool {
        if address == wanted { return true }
        guard case .any(let port) = wanted else { return false }
        return address == .ipv4(0, port: port) || address == .ipv6(0, 0, scope: 0, port: port)
    }
}
