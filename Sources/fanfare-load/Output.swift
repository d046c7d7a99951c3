import CommandOptions
import Glibc
import LoadGenerator

/// Files, descriptors and the terminal.
enum Output {
    /// The variables that matter.
    static var environment: [String: String] {
        var found: [String: String] = [:]
        for name in ["FANFARE_TOKEN", "NO_COLOR"] {
            // `getenv` gives a string that lives as long as nobody changes the environment; nobody does here.
            if let value = unsafe getenv(name) { found[name] = unsafe String(cString: value) }
        }
        return found
    }

    /// How many columns the terminal behind standard error has; 80 where there is none.
    static var terminalWidth: Int {
        var size = winsize()
        // The kernel writes one winsize into our own.
        guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    private static let files = ["save", "csv", "junit", "html"]

    /// Sees to it before a run that what it finds can be written, each to a file of its own.
    static func checkFiles(_ words: CommandWords) throws(UsageError) {
        var places: [FilePlace: String] = [:]
        if let place = FilePlace(descriptor: STDOUT_FILENO) { places[place] = "standard output" }
        for name in files {
            guard let path = words.textIfAny(name) else { continue }
            if let place = FilePlace(path: path) {
                if let other = places[place] {
                    throw UsageError("--\(name) and \(other) are the same file, \(path); each needs its own")
                }
                places[place] = "--\(name)"
            }
            // A run that comes to nothing leaves no empty file behind.
            let new = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
            if new >= 0 { unsafe unlink(path) }
            let file = new >= 0 ? new : unsafe open(path, O_WRONLY | O_CLOEXEC)
            guard file >= 0 else { throw UsageError("--\(name): \(path) cannot be written") }
            close(file)
        }
    }

    /// Writes a report into the files that were asked for.
    static func save(_ report: Report, _ words: CommandWords) throws {
        try save(words) { name in
            switch name {
            case "save": report.json + "\n"
            case "csv": report.csv
            case "junit": report.junit
            default: report.html
            }
        }
    }

    /// Writes what a search has found into the files that were asked for.
    static func save(_ limit: Limit, _ words: CommandWords) throws {
        try save(words) { name in
            switch name {
            case "save": limit.json + "\n"
            case "csv": limit.csv
            case "junit": limit.junit
            default: limit.html
            }
        }
    }

    private static func save(_ words: CommandWords, _ text: (String) -> String) throws {
        for name in files {
            guard let path = words.textIfAny(name) else { continue }
            let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            guard file >= 0 else { throw UsageError("--\(name): \(path) cannot be written") }
            defer { close(file) }
            guard write(text(name), to: file) else { throw Failure(place: "--\(name): \(path)") }
        }
    }

    /// The text of a file, at most 64 MiB.
    static func read(_ path: String) throws(UsageError) -> String {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw UsageError("\(path) cannot be read") }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < 64 << 20 {
            // The kernel writes at most the buffer's own count into it.
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(file, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What was to be written went nowhere.
    struct Failure: Error, CustomStringConvertible {
        /// Where it was to go.
        var place: String
        /// The system's number for why.
        var code = errno

        /// A few words for a person.
        var description: String { "\(place) takes no more (\(unsafe String(cString: strerror(code))))" }
    }

    /// Writes what was asked for to standard output.
    static func print(_ text: String) throws(Failure) {
        guard write(text, to: STDOUT_FILENO) else { throw Failure(place: "standard output") }
    }

    /// Writes all of a text; `false` where it cannot be written, or its reader is gone.
    @discardableResult
    static func write(_ text: String, to descriptor: CInt) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            // The buffer is valid for the call, and no more than its count is read from it.
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || (count < 0 && errno == EINTR) else { return false }
            rest = rest.dropFirst(max(0, count))
        }
        return true
    }
}
