import Glibc
import Transport

/// A file or a pipe that is read line by line.
final class LineFile {
    /// How long a line may be, in bytes; a line is held whole.
    static let maxLineBytes = 64 << 20

    private let descriptor: CInt
    private let maxLineBytes: Int
    private let goesOn: () -> Bool
    private var buffer: [UInt8] = []
    /// Where the next line begins, and how far it is known to have no end.
    private var (start, searched) = (0, 0)
    private var hasEnded = false
    /// The number of the line that was begun last, from 1.
    private(set) var number = 0

    /// Opens a file or a pipe, or standard input for `-`.
    ///
    /// - Parameters:
    ///   - path: Where it is.
    ///   - isFile: Whether it must be a regular file.
    ///   - maxLineBytes: How long a line may be.
    ///   - goesOn: Is asked several times a second while a pipe has nothing; `false` ends the reading.
    /// - Throws: `FileFailure` for what cannot be opened, a folder, a socket and a device, which may have no end.
    init(
        _ path: String, isFile: Bool = false, maxLineBytes: Int = LineFile.maxLineBytes,
        goesOn: @escaping () -> Bool = { true }
    ) throws(FileFailure) {
        self.maxLineBytes = maxLineBytes
        self.goesOn = goesOn
        if path == "-" {
            descriptor = dup(STDIN_FILENO)
        } else {
            // Without waiting for who writes into a pipe: that is waited for where it can be ended.
            descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        }
        guard descriptor >= 0 else {
            if case .other(let kind)? = FileKind.at(path), path != "-" { throw FileFailure("it is \(kind), no file") }
            throw .last
        }
        guard path != "-" else { return }
        switch try FileKind.of(descriptor) {
        case .regular: break
        case .pipe where !isFile: break
        case .pipe: throw FileFailure("it is a pipe, no file")
        case .other(let kind): throw FileFailure("it is \(kind), no file")
        }
    }

    deinit {
        close(descriptor)
    }

    /// The next line without its end; `nil` at the end of the file.
    ///
    /// - Throws: `FileFailure` where nothing can be read, with the line that is too long, or where it is not to go on.
    func next() throws(FileFailure) -> [UInt8]? {
        number += 1
        while true {
            let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n"))
            searched = end ?? buffer.count
            guard searched - start <= maxLineBytes else {
                throw FileFailure("a line has more than \(FilePart.words(for: maxLineBytes))", line: number)
            }
            if let end {
                defer { (start, searched) = (end + 1, end + 1) }
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
        (start, searched) = (0, searched - start)
        try awaitBytes()
        let more = try FilePart.read(descriptor)
        hasEnded = more.isEmpty
        buffer += more
    }

    /// Waits until something can be read, or there will be nothing more.
    private func awaitBytes() throws(FileFailure) {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&request, 1, 250) <= 0 {
            guard goesOn() else { throw FileFailure("the reading was ended") }
        }
    }
}
