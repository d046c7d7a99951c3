internal import Glibc

/// Why a file cannot be read: words for a person, without its name.
public struct FileFailure: Error, Sendable, Equatable {
    /// The words, on one line.
    public var reason: String
    /// The line of the file that is at fault, counted from 1, where one is.
    public var line: Int?

    /// Makes a failure from its words.
    public init(_ reason: String, line: Int? = nil) {
        self.reason = reason
        self.line = line
    }

    /// What the system said last.
    public static var last: FileFailure { FileFailure(TransportError.text(of: errno)) }
}

/// What a path leads to.
public enum FileKind: Sendable, Equatable {
    /// A regular file: it has an end, and reading it waits for nobody.
    case regular
    /// A pipe, with a name or without.
    case pipe
    /// Neither: what it is, for a person, such as `a device`.
    case other(String)

    /// What an open descriptor is of.
    ///
    /// - Throws: ``FileFailure`` where the system does not tell.
    public static func of(_ descriptor: CInt) throws(FileFailure) -> FileKind {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last }
        return FileKind(mode: status.st_mode)
    }

    /// What is at a path; `nil` where nothing is, or it cannot be told.
    public static func at(_ path: String) -> FileKind? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? FileKind(mode: status.st_mode) : nil
    }

    private init(mode: mode_t) {
        self =
            switch mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFIFO: .pipe
            case S_IFDIR: .other("a folder")
            case S_IFSOCK: .other("a socket")
            default: .other("a device")
            }
    }
}

/// Files and streams that are read part by part.
public enum FilePart {
    /// Reads up to so many bytes from a descriptor; nothing at its end.
    ///
    /// - Throws: ``FileFailure``.
    public static func read(_ descriptor: CInt, _ size: Int = 1 << 20) throws(FileFailure) -> [UInt8] {
        var isFailed = false
        // The kernel writes at most `size` bytes, which the buffer has.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { room, count in
            var got = unsafe Glibc.read(descriptor, room.baseAddress, size)
            while got < 0, errno == EINTR || errno == EAGAIN {
                var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                if errno == EAGAIN { _ = unsafe poll(&request, 1, -1) }
                got = unsafe Glibc.read(descriptor, room.baseAddress, size)
            }
            isFailed = got < 0
            count = max(0, got)
        }
        if isFailed { throw .last }
        return bytes
    }

    /// A bound as people say it.
    public static func words(for bytes: Int) -> String {
        for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")] where bytes >= 1 << shift {
            if bytes % (1 << shift) == 0 { return "\(bytes >> shift) \(unit)" }
        }
        return counted(bytes, "byte")
    }
}
