internal import Glibc

/// The file of a Unix socket that we listen on; it is removed with this object, if it is still ours.
final class SocketPath: Sendable {
    private let path: String
    private let device: dev_t
    private let inode: ino_t

    /// Remembers the socket that was just made at the path.
    init(_ path: String) throws(TransportError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw .last("stat \(path)") }
        self.path = path
        device = status.st_dev
        inode = status.st_ino
    }

    deinit {
        var status = stat()
        // Another server may have taken the path after ours was deleted.
        guard unsafe lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode else { return }
        _ = unsafe unlink(path)
    }

    /// Listens at the path, in the place of a socket that nobody listens on any more.
    ///
    /// - Throws: `TransportError.occupiedPath` when a server lives there or the file is no socket, which then stays
    ///   untouched.
    static func listen(at path: String, backlog: CInt) throws(TransportError) -> FileDescriptor {
        // Two servers that start at once must not take each other's new socket for a dead one.
        let folder = try lockFolder(of: path)
        defer { _ = folder }
        try removeDeadSocket(at: path)
        let descriptor = try FileDescriptor.streamSocket(AF_UNIX)
        let address = SocketAddress.unix(path: path)
        let result = unsafe address.withSystemAddress { unsafe Glibc.bind(descriptor.number, $0, $1) }
        guard result == 0 else { throw .last("listen on \(address)") }
        guard Glibc.listen(descriptor.number, backlog) == 0 else { throw .last("listen on \(address)") }
        return descriptor
    }

    /// Finds out whether one could listen at the path, as ``listen(at:backlog:)`` does; nothing is made or removed.
    static func check(_ path: String) throws(TransportError) {
        let folder = try lockFolder(of: path)
        defer { _ = folder }
        _ = try hasDeadSocket(at: path)
    }

    private static func lockFolder(of path: String) throws(TransportError) -> FileDescriptor {
        let folder: String
        switch path.lastIndex(of: "/") {
        case nil: folder = "."
        case path.startIndex: folder = "/"
        case .some(let slash): folder = String(path[..<slash])
        }
        let descriptor = try FileDescriptor(
            unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), from: "open \(folder)")
        guard flock(descriptor.number, LOCK_EX) == 0 else { throw .last("lock \(folder)") }
        return descriptor
    }

    private static func removeDeadSocket(at path: String) throws(TransportError) {
        guard try hasDeadSocket(at: path) else { return }
        guard unsafe unlink(path) == 0 else { throw .last("remove \(path)") }
    }

    /// Whether there is a socket on which nobody listens any more.
    private static func hasDeadSocket(at path: String) throws(TransportError) -> Bool {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return false }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .occupiedPath("\(path) exists and is not a socket") }
        let probe = try FileDescriptor.streamSocket(AF_UNIX)
        let result = unsafe SocketAddress.unix(path: path).withSystemAddress { unsafe connect(probe.number, $0, $1) }
        // Only a refusal proves that nobody listens; a full backlog, say, is a busy server.
        guard result != 0, errno == ECONNREFUSED else { throw .occupiedPath("a server already listens on \(path)") }
        return true
    }
}
