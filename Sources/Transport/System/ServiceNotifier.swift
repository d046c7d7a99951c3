internal import Glibc

/// Tells the service manager that started this process how it is: the protocol of `sd_notify(3)`, without its library.
///
/// Each call sends one datagram to the socket that the manager named in `NOTIFY_SOCKET`, and waits at most
/// two seconds for it to be taken.
public final class ServiceNotifier: Sendable {
    /// What there is to tell.
    public enum State: Sendable {
        /// It serves; after ``reloading`` it serves on.
        case ready
        /// It reads its settings again.
        case reloading
        /// It has begun to end.
        case stopping
        /// It is not hung.
        case alive
    }

    private let address: sockaddr_storage
    private let length: socklen_t
    private let descriptor: FileDescriptor

    /// Makes a socket to the manager's.
    ///
    /// - Parameter name: what `NOTIFY_SOCKET` says: an absolute path, or `@` and the name of an abstract socket.
    /// - Throws: `TransportError.invalidAddress` for another form, such as `vsock:…`, and `system` where no descriptor
    ///   is left.
    public init(_ name: String) throws(TransportError) {
        let bytes = Array(name.utf8)
        // The kernel's field has 108 bytes; a path ends with a 0, an abstract name begins with one.
        guard name.hasPrefix("/") || name.hasPrefix("@"), (2...107).contains(bytes.count), !bytes.contains(0) else {
            throw .invalidAddress("\"\(name)\" is no socket of a service manager: an absolute path, or @NAME")
        }
        let isAbstract = bytes[0] == UInt8(ascii: "@")
        var storage = sockaddr_storage()
        storage.ss_family = sa_family_t(AF_UNIX)
        let offset = MemoryLayout<sa_family_t>.size
        unsafe withUnsafeMutableBytes(of: &storage) { room in
            // At most 107 bytes behind the family, of the 128 that there are; the rest are 0 already.
            for index in bytes.indices { unsafe room[offset + index] = bytes[index] }
            if isAbstract { unsafe room[offset] = 0 }
        }
        address = storage
        length = socklen_t(offset + bytes.count + (isAbstract ? 0 : 1))
        let kind = CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        descriptor = try FileDescriptor(socket(AF_UNIX, kind, 0), from: "socket")
        var patience = timeval(tv_sec: 2, tv_usec: 0)
        _ = unsafe setsockopt(
            descriptor.number, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Sends a state, from any thread but a loop's.
    ///
    /// - Parameters:
    ///   - state: what to tell.
    ///   - status: a line for people, which `systemctl status` shows; `nil`: it stays as it was.
    /// - Throws: `TransportError.system` where nobody took it.
    public func tell(_ state: State, status: String? = nil) throws(TransportError) {
        let message =
            switch state {
            case .ready: "READY=1"
            // By this time the manager knows which reload it is that ends.
            case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(MonotonicTime.now.nanoseconds / 1000)"
            case .stopping: "STOPPING=1"
            case .alive: "WATCHDOG=1"
            }
        let line = status.map { "\nSTATUS=" + $0.replacing("\n", with: " ") } ?? ""
        try send(Array((message + line).utf8))
    }

    private func send(_ bytes: [UInt8]) throws(TransportError) {
        var storage = address
        var count = -1
        repeat {
            count = unsafe withUnsafePointer(to: &storage) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    // Both pointers hold for the call, and the counts are what lies behind them.
                    unsafe bytes.withUnsafeBytes {
                        unsafe sendto(
                            descriptor.number, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL), address, length)
                    }
                }
            }
        } while count < 0 && errno == EINTR
        guard count >= 0 else { throw .last("tell the service manager") }
    }
}
