internal import Glibc

/// A file in which the kernel tells something, such as those below `/proc`.
///
/// These are made when they are read, so reading them waits for no disk.
public enum SystemFile {
    /// More than any of them has that is read here.
    private static let most = 1_048_576

    /// All of it; `nil` where it cannot be read.
    public static func text(at path: String) -> String? {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return nil }
        defer { close(number) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count < most {
            let count = unsafe read(number, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The one whole number in it; `nil` where there is another thing.
    static func number(at path: String) -> UInt64? {
        text(at: path).flatMap { UInt64($0.prefix { !$0.isWhitespace }) }
    }
}
