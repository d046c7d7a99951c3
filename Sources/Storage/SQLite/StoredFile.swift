import Glibc

/// The file of a store that is there already, and what is to be known of it before SQLite opens it.
struct StoredFile {
    let path: String
    private let size: Int
    /// Whether its folder is on a file system that is read only.
    private let isOnReadOnlySystem: Bool
    private let hasLog: Bool

    /// Looks at a file.
    ///
    /// - Throws: ``StoreError/unavailable(_:)`` where nothing is there, or no regular file.
    init(_ path: String) throws(StoreError) {
        guard let size = try Self.size(of: path) else {
            throw .unavailable("there is no store \(path): \(lastError())")
        }
        self.path = path
        self.size = size
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        isOnReadOnlySystem = unsafe access(folder, W_OK) != 0 && errno == EROFS
        hasLog = unsafe access(path + "-wal", F_OK) == 0
    }

    /// How many bytes a file has; `nil` where nothing is there.
    ///
    /// - Throws: ``StoreError/unavailable(_:)`` where it is no regular file: SQLite would wait for a pipe.
    static func size(of path: String) throws(StoreError) -> Int? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw .unavailable("cannot look at \(path): \(lastError())")
        }
        let kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: nil as String?
            case S_IFDIR: "a folder"
            case S_IFIFO: "a pipe"
            case S_IFSOCK: "a socket"
            default: "a device"
            }
        guard let kind else { return Int(status.st_size) }
        let hint = unsafe access(path + "/fanfare.db", F_OK) == 0 ? "; the store in it is \(path)/fanfare.db" : ""
        throw .unavailable("\(path) is \(kind), and no file of a store\(hint)")
    }

    /// Refuses a file of 0 bytes that was a store: SQLite would take it for a new one, and drop its write-ahead log.
    static func refuseCut(_ path: String, wasStore: Bool) throws(StoreError) {
        var status = stat()
        let hasLog = unsafe stat(path + "-wal", &status) == 0 && status.st_size > 0
        guard wasStore || hasLog else { return }
        throw .unusable(
            "\(path) has 0 bytes and was a store: put a copy of it in its place, or remove it and \(path)-wal "
                + "to begin with nothing")
    }

    /// Refuses a file beside which the write-ahead log of another one lies: SQLite would put that into it.
    ///
    /// A copy has no such log, and says so in its header (bytes 18 and 19 are 1, SQLite's file format, section 1.3.3); one that
    /// gets a log has that changed, and on the disk, before the log has anything.
    static func refuseForeignLog(_ path: String) throws(StoreError) {
        var status = stat()
        // The log first: where it has something, the header says so already.
        guard unsafe stat(path + "-wal", &status) == 0, status.st_size > 0, formats(path) == [1, 1] else { return }
        throw .unusable(
            "\(path) is a copy, and the write-ahead log of another file lies beside it: remove \(path)-wal and \(path)-shm"
        )
    }

    /// Refuses a file whose header has a format for writing or reading that SQLite does not know: one that it does not
    /// write it would read all the same.
    static func refuseUnknownFormat(_ path: String) throws(StoreError) {
        guard let unknown = formats(path)?.first(where: { $0 != 1 && $0 != 2 }) else { return }
        throw .unusable(
            "\(path) is damaged, or made by a later SQLite: its header has the file format \(unknown); put a copy of it in "
                + "its place (fanfare backup makes them)")
    }

    /// The formats for writing and reading in the header of a file of SQLite's (its file format, section 1.3.3); `nil`: it
    /// is none.
    private static func formats(_ path: String) -> ArraySlice<UInt8>? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var header = [UInt8](repeating: 0, count: 20)
        let count = unsafe header.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count == header.count, header.starts(with: "SQLite format 3\0".utf8) else { return nil }
        return header[18...]
    }

    /// Refuses it where it has 0 bytes and was a store, another one's log, or an unknown format, as a broker does.
    func refuseWhatBrokersRefuse() throws(StoreError) {
        // What lies beside it lies beside the file itself, where this is a link.
        let real = unsafe realpath(path, nil)
        defer { unsafe free(real) }
        let place = unsafe real.map { unsafe String(cString: $0) } ?? path
        if size == 0 { try Self.refuseCut(place, wasStore: FileLock.marksStore(at: place + ".lock")) }
        try Self.refuseForeignLog(place)
        try Self.refuseUnknownFormat(place)
    }

    /// What SQLite opens it by.
    ///
    /// Without a write-ahead log on a file system that is read only nobody changes it, and SQLite must not try to make one.
    var address: String {
        let allowed = Array("/._-~".utf8)
        var address = "file:" + (path.hasPrefix("/") ? "" : "./")
        for byte in path.utf8 {
            let isPlain = allowed.contains(byte) || Character(Unicode.Scalar(byte)).isASCIIWord
            address += isPlain ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return isOnReadOnlySystem && !hasLog ? address + "?immutable=1" : address
    }

    /// Whether it may have a write-ahead log that cannot be read where it is.
    var cannotHaveLog: Bool { isOnReadOnlySystem && hasLog }

    /// What to do then.
    var needsLog: StoreError {
        .unavailable(
            "\(path) has a write-ahead log, which is read with files beside it, and the file system is read only: "
                + "copy fanfare.db and fanfare.db-wal together to a folder that can be written")
    }
}

extension Character {
    fileprivate var isASCIIWord: Bool { isASCII && (isLetter || isNumber) }
}
