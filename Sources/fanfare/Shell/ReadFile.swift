import Glibc

/// Why a file cannot be read, in the system's words.
struct FileFailure: Error {
    var reason: String

    /// What the system said last.
    static var last: FileFailure { FileFailure(reason: unsafe String(cString: strerror(errno))) }
}

/// Reads up to 1 MiB from a descriptor; nothing at its end.
func readSome(_ descriptor: CInt) throws(FileFailure) -> [UInt8] {
    let size = 1 << 20
    var isFailed = false
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { room, count in
        var got = unsafe read(descriptor, room.baseAddress, size)
        while got < 0, errno == EINTR { got = unsafe read(descriptor, room.baseAddress, size) }
        isFailed = got < 0
        count = max(0, got)
    }
    if isFailed { throw .last }
    return bytes
}

/// Reads a file whole.
func readFile(_ path: String) throws(FileFailure) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    while true {
        let more = try readSome(descriptor)
        if more.isEmpty { return bytes }
        bytes += more
    }
}
