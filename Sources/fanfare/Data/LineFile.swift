import Glibc

/// A file that is read line by line.
final class LineFile {
    private let descriptor: CInt
    private var buffer: [UInt8] = []
    private var start = 0
    private var hasEnded = false

    /// Opens a file, or standard input for `-`.
    init(_ path: String) throws(FileFailure) {
        descriptor = path == "-" ? dup(STDIN_FILENO) : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last }
    }

    deinit {
        close(descriptor)
    }

    /// The next line without its end; `nil` at the end of the file.
    func next() throws(FileFailure) -> [UInt8]? {
        while true {
            if let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return Array(buffer[start..<end])
            }
            guard !hasEnded else {
                defer { start = buffer.count }
                return start < buffer.count ? Array(buffer[start...]) : nil
            }
            try readMore()
        }
    }

    private func readMore() throws(FileFailure) {
        buffer.removeFirst(start)
        start = 0
        let more = try readSome(descriptor)
        hasEnded = more.isEmpty
        buffer += more
    }
}
