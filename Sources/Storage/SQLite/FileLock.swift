import Glibc

/// The two locks that keep a second broker away from the same database; the kernel lets them go when the process ends.
struct DatabaseLocks: ~Copyable {
    /// The lock of a file beside the database, which says who has it.
    let beside: FileLock
    /// A lock of the database itself, for the case that somebody removed the file beside it.
    let on: FileLock
}

/// A held lock of a whole file (`flock`), which has nothing to do with the locks that SQLite takes of ranges in it.
///
/// Closing a descriptor of the database would end the locks of a connection in this process, so one that was had is
/// closed after the connection; one that was refused belongs to a process that has no connection.
struct FileLock: ~Copyable {
    private let descriptor: CInt

    /// Takes the lock, or says who has it; the file is made for its owner alone (mode 0600) where it is missing.
    ///
    /// With `leavesHolder` it holds nothing but the number of the process that has the lock.
    init(path: String, leavesHolder: Bool) throws(StoreError) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw .unavailable("cannot open \(path): \(lastError())") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let holder = leavesHolder ? "process \(Self.holder(descriptor))" : "another process"
            let reason = errno == EWOULDBLOCK ? "\(holder) has it" : lastError()
            Glibc.close(descriptor)
            throw .unavailable("cannot lock \(path), only one broker may use a database: \(reason)")
        }
        self.descriptor = descriptor
        if leavesHolder { writeHolder() }
    }

    deinit {
        // A child that another thread is starting has a copy of the descriptor until it runs its program, and with
        // the copy the lock: closing ours alone would leave the file locked for as long.
        flock(descriptor, LOCK_UN)
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
