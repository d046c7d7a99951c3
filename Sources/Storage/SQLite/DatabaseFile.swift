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
    /// A copy with another file's write-ahead log beside it is refused, and so is what SQLite only reads. A file of 0 bytes
    /// that was a store is refused, too: SQLite would take it for a new one, and drop its write-ahead log. One that is
    /// missing was removed, and a new store begins.
    func lock() throws(StoreError) -> DatabaseLocks {
        let isThere = try StoredFile.size(of: path) != nil
        var beside = try FileLock(path: path + ".lock", leavesHolder: true)
        if !isThere { beside.noteNothing() }
        let on = try FileLock(path: path, leavesHolder: false)
        if on.size == 0 { try StoredFile.refuseCut(path, wasStore: beside.marksStore) }
        try StoredFile.refuseForeignLog(path)
        try StoredFile.refuseUnknownFormat(path)
        return DatabaseLocks(beside: beside, on: on)
    }

    private static func makeFolder(_ path: String) throws(StoreError) {
        if unsafe mkdir(path, 0o700) == 0 { return }
        if errno == EEXIST {
            var status = stat()
            guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { return }
            throw .unavailable("\(path) is a file, and is to be the folder of one")
        }
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
