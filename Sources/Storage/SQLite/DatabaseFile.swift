import Glibc

/// Where a database lies.
struct DatabaseFile {
    /// The absolute path with no symbolic link in it, so that one file has one lock.
    let path: String

    /// Finds a path, making the folders that are missing (mode 0700).
    init(_ given: String) throws(StoreError) {
        let slash = given.lastIndex(of: "/")
        let folder = slash.map { $0 == given.startIndex ? "/" : String(given[..<$0]) } ?? "."
        let name = slash.map { given[given.index(after: $0)...] } ?? given[...]
        if name.isEmpty { throw .unavailable("\"\(given)\" names no file") }
        try Self.makeFolder(folder)
        if let path = Self.resolve(given) {
            self.path = path
        } else if let folder = Self.resolve(folder) {
            path = (folder == "/" ? "" : folder) + "/" + name
        } else {
            throw .unavailable("cannot find \(folder): \(lastError())")
        }
    }

    /// Makes the file where it is missing, for its owner alone (mode 0600), and takes the locks that go with it; SQLite's
    /// other files take its mode over.
    ///
    /// A file of 0 bytes that was a store is refused: SQLite would take it for a new one, and drop its write-ahead log. One
    /// that is missing was removed, and a new store begins.
    func lock() throws(StoreError) -> DatabaseLocks {
        var beside = try FileLock(path: path + ".lock", leavesHolder: true)
        if !Self.isThere(path) { beside.noteNothing() }
        let on = try FileLock(path: path, leavesHolder: false)
        if on.size == 0, beside.marksStore || Self.hasBytes(path + "-wal") {
            throw .unusable(
                "\(path) has 0 bytes and was a store: put a copy of it in its place, or remove it and \(path)-wal "
                    + "to begin with nothing")
        }
        return DatabaseLocks(beside: beside, on: on)
    }

    private static func isThere(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0
    }

    private static func hasBytes(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_size > 0
    }

    private static func makeFolder(_ path: String) throws(StoreError) {
        if unsafe mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        if errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            try makeFolder(String(path[..<slash]))
            if unsafe mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        }
        throw .unavailable("cannot make the folder \(path): \(lastError())")
    }

    private static func resolve(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
