internal import Glibc

extension FileDescriptor {
    /// A new stream socket that does not block and is not inherited by other programs.
    static func streamSocket(_ family: CInt) throws(TransportError) -> FileDescriptor {
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        return try FileDescriptor(socket(family, kind, 0), from: "socket")
    }

    /// Sets a whole-number option; one that the kernel does not have stays as it is.
    func set(_ level: CInt, _ option: CInt, to value: CInt) {
        var value = value
        _ = unsafe setsockopt(number, level, option, &value, socklen_t(MemoryLayout<CInt>.size))
    }
}
