internal import Glibc

/// The reader of files that settings are in, or name: settings, secrets, keys, certificates.
///
/// Whatever else stands at their place, such as a named pipe or a device, is refused at once instead of waited for. A
/// file of a network folder that does not answer is waited for all the same, so no thread may read that has other duties.
public enum RegularFile {
    /// The largest file of settings, certificates or keys that anybody is expected to have, in bytes.
    public static let usualMost = 16 << 20

    /// Why a file cannot be read, in few words that follow its name: `No such file or directory`.
    public struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// The words.
        public let description: String
    }

    /// Reads all of a file.
    ///
    /// - Parameters:
    ///   - path: where it is.
    ///   - most: the most bytes that it may have.
    /// - Returns: the bytes.
    /// - Throws: ``Failure`` where it is no regular file, has more bytes, or the system does not let it be read.
    public static func bytes(at path: String, atMost most: Int = usualMost) throws(Failure) -> [UInt8] {
        let (file, size) = try open(path)
        defer { close(file) }
        let excess = Failure(description: "it has more than \(FilePart.words(for: most))")
        guard size <= most else { throw excess }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last }
            if count == 0 { return bytes }
            // It may be growing.
            guard bytes.count + count <= most else { throw excess }
            bytes += buffer[..<count]
        }
    }

    /// Finds out whether a file can be read that somebody else reads later.
    ///
    /// - Throws: ``Failure`` as ``bytes(at:atMost:)`` does.
    public static func check(_ path: String) throws(Failure) {
        close(try open(path).file)
    }

    /// Opens a file, and says how many bytes it has.
    private static func open(_ path: String) throws(Failure) -> (file: CInt, size: Int) {
        // A pipe would be waited for until somebody writes into it.
        let file = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else {
            // What the system says of a socket helps nobody.
            if errno == ENXIO { throw Failure(description: "it is a socket or an unused pipe, and no regular file") }
            throw .last
        }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else {
            defer { close(file) }
            throw .last
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw Failure(description: "it is \(kind(of: status.st_mode)), and no regular file")
        }
        return (file, Int(status.st_size))
    }

    private static func kind(of mode: mode_t) -> String {
        switch mode & S_IFMT {
        case S_IFIFO: "a pipe"
        case S_IFDIR: "a folder"
        case S_IFCHR, S_IFBLK: "a device"
        default: "something else"
        }
    }
}

extension RegularFile.Failure {
    /// What the system said last.
    fileprivate static var last: Self { Self(description: TransportError.text(of: errno)) }
}
