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
    /// Whether the file says that the database beside it has been made.
    private(set) var marksStore: Bool

    /// The second line of a file that says so.
    private static let mark = "store"

    /// Takes the lock, or says who has it; the file is made for its owner alone (mode 0600) where it is missing.
    ///
    /// With `leavesHolder` it has the number of the process that has the lock, and what ``noteStore()`` left.
    init(path: String, leavesHolder: Bool) throws(StoreError) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw .unavailable("cannot open \(path): \(lastError())") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let holder = leavesHolder ? "process \(Self.holder(Self.lines(descriptor)))" : "another process"
            let reason = errno == EWOULDBLOCK ? "\(holder) has it" : lastError()
            Glibc.close(descriptor)
            throw .unavailable("cannot lock \(path), only one broker may use a database: \(reason)")
        }
        self.descriptor = descriptor
        marksStore = leavesHolder && Self.marksStore(descriptor)
        if leavesHolder { write(marksStore) }
    }

    deinit {
        // A child that another thread is starting has a copy of the descriptor until it runs its program, and with
        // the copy the lock: closing ours alone would leave the file locked for as long.
        flock(descriptor, LOCK_UN)
        Glibc.close(descriptor)
    }

    /// Whether a file says that the database beside it has been made; its lock is not taken.
    static func marksStore(at path: String) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { Glibc.close(descriptor) }
        return marksStore(descriptor)
    }

    private static func marksStore(_ descriptor: CInt) -> Bool {
        lines(descriptor).dropFirst().first.map(String.init) == mark
    }

    /// Leaves word that the database beside the file has been made.
    func noteStore() {
        if !marksStore { write(true) }
    }

    /// Takes that word back, before a new database is made.
    mutating func noteNothing() {
        if marksStore { write(false) }
        marksStore = false
    }

    /// How many bytes the file has; `nil` where the system does not tell.
    var size: Int? {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? Int(status.st_size) : nil
    }

    /// Leaves this process's number for the words of whoever is refused; that it fails does no harm.
    private func write(_ marksStore: Bool) {
        let text = "\(getpid())\n" + (marksStore ? Self.mark + "\n" : "")
        guard ftruncate(descriptor, 0) == 0 else { return }
        _ = unsafe text.utf8Span.span.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    private static func lines(_ descriptor: CInt) -> [Substring] {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            unsafe count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    }

    private static func holder(_ lines: [Substring]) -> String {
        let digits = lines.first?.prefix { $0.isASCII && $0.isNumber } ?? ""
        return digits.isEmpty ? "?" : String(digits)
    }
}

/// What the system said last, for a person.
func lastError() -> String {
    unsafe String(cString: strerror(errno))
}
