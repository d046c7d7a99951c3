import Glibc

/// Which file a path means, whatever the path looks like, and whether or not the file is there yet.
struct FilePlace: Hashable {
    private let device: UInt
    private let inode: UInt
    /// The name in the folder of that inode; empty: the inode is the file's own.
    private let name: String

    /// Finds the place of a path; `nil` where it is no file that could be overwritten, such as a pipe or `/dev/null`.
    init?(path: String) {
        var status = stat()
        if unsafe stat(path, &status) == 0 {
            guard let place = FilePlace(status) else { return nil }
            self = place
            return
        }
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard unsafe stat(folder, &status) == 0 else { return nil }
        device = status.st_dev
        inode = status.st_ino
        name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    }

    /// The place of a file that is open.
    init?(descriptor: CInt) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, let place = FilePlace(status) else { return nil }
        self = place
    }

    private init?(_ status: stat) {
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        device = status.st_dev
        inode = status.st_ino
        name = ""
    }
}
