import Glibc

/// A held lock that keeps a second broker away from the same database.
///
/// It lies beside the database: the database file itself must not be opened by anyone but SQLite, because
/// closing it would end SQLite's own locks. The kernel lets it go when the process ends, however that happens.
struct FileLock: ~Copyable {
    private let descriptor: CInt

    /// Takes the lock, or says who has it.
    init(path: String) throws(StoreError) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw .unavailable("cannot open \(path): \(lastError())") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno == EWOULDBLOCK ? "process \(Self.holder(descriptor)) has it" : lastError()
            Glibc.close(descriptor)
            throw .unavailable("cannot lock \(path), only one broker may use a database: \(reason)")
        }
        self.descriptor = descriptor
        writeHolder()
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Leaves this process's number for the words of whoever is refused; that it fails does no harm.
    private func writeHolder() {
        let text = "\(getpid())\n"
        guard ftruncate(descriptor, 0) == 0 else { return }
        _ = unsafe text.utf8Span.span.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    private static func holder(_ descriptor: CInt) -> String {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            unsafe count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        let digits = bytes.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        return digits.isEmpty ? "?" : String(decoding: digits, as: UTF8.self)
    }
}

/// What the system said last, for a person.
func lastError() -> String {
    unsafe String(cString: strerror(errno))
}
