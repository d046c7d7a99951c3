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

    /// Takes the lock that goes with the file.
    func lock() throws(StoreError) -> FileLock {
        try FileLock(path: path + ".lock")
    }

    /// Makes the file where it is missing, for its owner alone (mode 0600); SQLite's other files take its mode over.
    ///
    /// Only with the lock held: to close the file would end the locks of a connection in this process.
    func create() throws(StoreError) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw .unavailable("cannot open \(path): \(lastError())") }
        Glibc.close(descriptor)
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
