import CSQLite
import Glibc

/// A file that is made under another name, and gets its own when it is whole; what is there is never overwritten.
struct NewFile: ~Copyable {
    let path: String
    /// Where it is made.
    let draft: String
    /// Holds the lock of the draft, by which others know that somebody is making it.
    private let descriptor: CInt

    /// Makes the draft, empty, for its owner alone (mode 0600).
    init(_ path: String) throws(StoreError) {
        if unsafe access(path, F_OK) == 0 { throw .unavailable("\(path) is there already; nothing is overwritten") }
        Self.removeAbandoned(of: path)
        let draft = "\(path).partial-\(getpid())"
        let descriptor = unsafe open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw .unavailable("cannot make \(draft): \(lastError())") }
        var status = stat()
        let isRefused = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
        // Between the making and the lock another one may have taken it for abandoned.
        let isThere = unsafe fstat(descriptor, &status) == 0 && status.st_nlink > 0
        if isRefused || !isThere {
            close(descriptor)
            throw .unavailable("another copy to \(path) has just begun; try again")
        }
        self.descriptor = descriptor
        self.path = path
        self.draft = draft
    }

    deinit {
        Self.remove(draft)
        close(descriptor)
    }

    private static func remove(_ draft: String) {
        for suffix in ["", "-journal", "-wal", "-shm"] { unsafe unlink(draft + suffix) }
    }

    /// Removes the drafts of a file whose makers were killed.
    private static func removeAbandoned(of path: String) {
        let (folder, name) = split(path)
        guard let list = unsafe opendir(folder) else { return }
        defer { unsafe closedir(list) }
        let beginning = name + ".partial-"
        while let entry = unsafe readdir(list) {
            // The name ends with a zero within the entry, which is valid until the next one is read.
            let found = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
            }
            guard found.hasPrefix(beginning), pid_t(found.dropFirst(beginning.count)) != nil else { continue }
            if isAbandoned(folder + "/" + found) { remove(folder + "/" + found) }
        }
    }

    /// Whether nobody holds the lock of a draft.
    private static func isAbandoned(_ draft: String) -> Bool {
        let descriptor = unsafe open(draft, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
    }

    /// Gives the file its name, once its bytes are on the disk.
    func publish() throws(SQLiteError) {
        try sync(draft, O_RDONLY)
        // Unlike `rename` it fails where something is there.
        if unsafe link(draft, path) != 0 { throw failure("naming the copy \(path)") }
        try sync(Self.split(path).folder, O_RDONLY | O_DIRECTORY)
    }

    private func sync(_ path: String, _ flags: CInt) throws(SQLiteError) {
        let descriptor = unsafe open(path, flags | O_CLOEXEC)
        if descriptor < 0 { throw failure("opening \(path)") }
        defer { close(descriptor) }
        if fsync(descriptor) != 0 { throw failure("writing \(path) to the disk") }
    }

    private func failure(_ purpose: String) -> SQLiteError {
        SQLiteError(extendedCode: SQLITE_IOERR, purpose: purpose, message: lastError())
    }
}
