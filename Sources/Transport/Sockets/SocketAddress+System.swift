internal import Glibc

// The kernel's form of addresses. Everything here is unsafe to Swift because a `sockaddr` is a header that longer
// structures begin with; each use goes through `sockaddr_storage`, which is large enough for all of them.

extension SocketAddress {
    /// The longest path of a Unix socket, in bytes: the kernel's field has 108, the last one is 0.
    static let longestPath = 107

    /// The address family to make a socket of.
    var family: CInt {
        switch self {
        case .ipv4: AF_INET
        case .ipv6, .any, .name: AF_INET6
        case .unix: AF_UNIX
        }
    }

    /// Lends the kernel's form to the body; all addresses are the IPv6 wildcard, a name has no form.
    func withSystemAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var storage = sockaddr_storage()
        let length = unsafe withUnsafeMutableBytes(of: &storage) { unsafe fill($0) }
        return unsafe withUnsafeBytes(of: &storage) { bytes in
            // `storage` is aligned for every kind of address and never empty.
            guard let start = bytes.baseAddress else { preconditionFailure() }
            return unsafe body(start.assumingMemoryBound(to: sockaddr.self), length)
        }
    }

    private func fill(_ bytes: UnsafeMutableRawBufferPointer) -> socklen_t {
        switch self {
        case .ipv4(let address, let port):
            var system = sockaddr_in()
            system.sin_family = sa_family_t(AF_INET)
            system.sin_port = port.bigEndian
            system.sin_addr = in_addr(s_addr: address.bigEndian)
            unsafe bytes.storeBytes(of: system, as: sockaddr_in.self)
            return socklen_t(MemoryLayout<sockaddr_in>.size)
        case .ipv6(let high, let low, let scope, let port):
            return unsafe Self.fill(bytes, high, low, scope, port)
        case .any(let port), .name(_, let port):
            return unsafe Self.fill(bytes, 0, 0, 0, port)
        case .unix(let path):
            unsafe bytes.storeBytes(of: sa_family_t(AF_UNIX), as: sa_family_t.self)
            let offset = MemoryLayout<sa_family_t>.size
            for (index, byte) in path.utf8.prefix(Self.longestPath).enumerated() {
                unsafe bytes[offset + index] = byte
            }
            return socklen_t(offset + min(path.utf8.count, Self.longestPath) + 1)
        }
    }

    private static func fill(
        _ bytes: UnsafeMutableRawBufferPointer, _ high: UInt64, _ low: UInt64, _ scope: UInt32, _ port: UInt16
    ) -> socklen_t {
        var system = sockaddr_in6()
        system.sin6_family = sa_family_t(AF_INET6)
        system.sin6_port = port.bigEndian
        system.sin6_scope_id = scope
        unsafe withUnsafeMutableBytes(of: &system.sin6_addr) { address in
            unsafe address.storeBytes(of: high.bigEndian, as: UInt64.self)
            unsafe address.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        unsafe bytes.storeBytes(of: system, as: sockaddr_in6.self)
        return socklen_t(MemoryLayout<sockaddr_in6>.size)
    }

    /// What the kernel wrote into the storage; an IPv4 peer of an IPv6 socket is given as IPv4.
    init(_ storage: sockaddr_storage) {
        self = unsafe withUnsafeBytes(of: storage) { bytes in
            switch CInt(storage.ss_family) {
            case AF_INET:
                let system = unsafe bytes.load(as: sockaddr_in.self)
                return .ipv4(UInt32(bigEndian: system.sin_addr.s_addr), port: UInt16(bigEndian: system.sin_port))
            case AF_INET6:
                let system = unsafe bytes.load(as: sockaddr_in6.self)
                let (high, low) = unsafe withUnsafeBytes(of: system.sin6_addr) { address in
                    unsafe (
                        UInt64(bigEndian: address.load(as: UInt64.self)),
                        UInt64(bigEndian: address.load(fromByteOffset: 8, as: UInt64.self))
                    )
                }
                let port = UInt16(bigEndian: system.sin6_port)
                return SocketAddress(ipv6: high, low, scope: system.sin6_scope_id, port: port)
            default:
                let path = unsafe bytes.dropFirst(MemoryLayout<sa_family_t>.size).prefix { $0 != 0 }
                return .unix(path: unsafe String(decoding: path, as: UTF8.self))
            }
        }
    }

    /// Asks the kernel for the address that a socket is bound to.
    static func bound(_ descriptor: CInt) throws(TransportError) -> SocketAddress {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        guard result == 0 else { throw .last("getsockname") }
        return SocketAddress(storage)
    }

    /// Makes an address of an IP address alone: IPv4 in four decimal parts, or IPv6 without brackets and zone.
    ///
    /// - Returns: nil when the text is neither; looser forms such as `127.1` are none.
    public init?(ip text: String, port: UInt16 = 0) {
        guard !text.utf8.contains(0) else { return nil }
        var four = in_addr()
        if unsafe inet_pton(AF_INET, text, &four) == 1 {
            self = .ipv4(UInt32(bigEndian: four.s_addr), port: port)
            return
        }
        var six = in6_addr()
        guard unsafe inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        let (high, low) = unsafe withUnsafeBytes(of: six) { bytes in
            unsafe (
                UInt64(bigEndian: bytes.load(as: UInt64.self)),
                UInt64(bigEndian: bytes.load(fromByteOffset: 8, as: UInt64.self))
            )
        }
        self.init(ipv6: high, low, port: port)
    }

    /// Reads a numeric IPv4 or IPv6 address; nil when it is none.
    static func numeric(host: String, port: UInt16) -> SocketAddress? {
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_NUMERICHOST
        return unsafe (try? look(up: host, port: port, hints: hints))?.first
    }

    /// The addresses behind a host name, in the order in which they should be tried; any other address is its own
    /// answer.
    ///
    /// It asks the system's resolver and blocks until that answers: use it at the start, or off the loop.
    ///
    /// - Throws: `TransportError.unresolved`.
    public func resolved() throws(TransportError) -> [SocketAddress] {
        guard case .name(let name, let port) = self else { return [self] }
        return try unsafe Self.look(up: name, port: port, hints: addrinfo())
    }

    private static func look(up host: String, port: UInt16, hints: addrinfo) throws(TransportError) -> [SocketAddress] {
        var hints = unsafe hints
        unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = unsafe getaddrinfo(host, nil, &hints, &list)
        guard result == 0 else {
            let reason = unsafe String(cString: gai_strerror(result))
            throw .unresolved(host: host, reason: reason, mayPass: mayPass(result))
        }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next?.pointee {
            unsafe next = entry.ai_next
            var storage = sockaddr_storage()
            let length = unsafe min(Int(entry.ai_addrlen), MemoryLayout<sockaddr_storage>.size)
            guard let address = unsafe entry.ai_addr else { continue }
            unsafe withUnsafeMutableBytes(of: &storage) { bytes in
                unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(start: address, count: length))
            }
            addresses.append(SocketAddress(storage).with(port: port))
        }
        guard !addresses.isEmpty else { throw .unresolved(host: host, reason: "no address", mayPass: false) }
        return addresses
    }

    /// Whether what `getaddrinfo` gave says nothing of the name itself (RFC 3493 section 6.1): no server could be asked.
    static func mayPass(_ result: CInt) -> Bool {
        [EAI_AGAIN, EAI_MEMORY, EAI_SYSTEM].contains(result)
    }

    /// The number as it is usually written, by the system's `getnameinfo`.
    var numericHost: String {
        unsafe withSystemAddress { address, length in
            unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer in
                guard let start = buffer.baseAddress,
                    unsafe getnameinfo(address, length, start, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST) == 0
                else { return "?" }
                return unsafe String(cString: start)
            }
        }
    }
}
