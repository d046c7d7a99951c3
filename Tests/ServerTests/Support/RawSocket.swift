import Glibc
import Transport

/// A plain blocking socket: the other end as a test's own, without the code under test.
final class RawSocket: Sendable {
    struct Failure: Error {
        var call: String
        var errno: CInt
    }

    let number: CInt

    /// Connects to an IPv4 or Unix address.
    init(to address: SocketAddress) throws {
        let family = address.port == nil ? AF_UNIX : AF_INET
        number = socket(family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        // Nothing in a test waits without a bound.
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        unsafe setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let result: CInt
        switch address {
        case .ipv4(let host, let port):
            var system = sockaddr_in()
            system.sin_family = sa_family_t(AF_INET)
            system.sin_port = port.bigEndian
            system.sin_addr = in_addr(s_addr: host.bigEndian)
            result = unsafe withUnsafePointer(to: &system) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        case .unix(let path):
            var system = sockaddr_un()
            system.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &system.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
            result = unsafe withUnsafePointer(to: &system) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        default: result = -1
        }
        guard result == 0 else { throw Failure(call: "connect", errno: errno) }
    }

    deinit {
        _ = close(number)
    }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.send(
                    number, buffer.baseAddress.map { unsafe $0 + sent }, buffer.count - sent, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(call: "send", errno: errno) }
            sent += count
        }
    }

    /// Up to so many bytes; none at the peer's end.
    func receive(_ most: Int = 65536) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: most)
        let count = unsafe recv(number, &buffer, most, 0)
        guard count >= 0 else { throw Failure(call: "recv", errno: errno) }
        return Array(buffer[..<count])
    }

    func finishWriting() {
        _ = shutdown(number, CInt(SHUT_WR))
    }

    /// Closes with a reset instead of an orderly end, at the object's end.
    func resetOnClose() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(number, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }
}
