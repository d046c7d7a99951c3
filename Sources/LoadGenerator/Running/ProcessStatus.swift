private import Glibc

/// The memory and the processor time of a process, as `/proc` tells them.
struct ProcessStatus: Sendable, Equatable {
    /// Bytes that lie in memory.
    var residentBytes: UInt64
    /// Nanoseconds of processor time so far, in user and kernel mode.
    var cpuNanoseconds: UInt64

    /// Reads them now.
    ///
    /// - Parameter process: The process's id.
    /// - Returns: `nil` where there is no such process, or it may not be read.
    static func read(process: Int) -> ProcessStatus? {
        guard let status = contents(of: "/proc/\(process)/status"), let stat = contents(of: "/proc/\(process)/stat")
        else { return nil }
        let ticks = max(1, sysconf(CInt(_SC_CLK_TCK)))
        return ProcessStatus(status: status, stat: stat, ticksPerSecond: UInt64(ticks))
    }

    /// Reads those of this process now.
    static func readOwn() -> ProcessStatus? {
        read(process: Int(getpid()))
    }

    /// Reads them from the text of the two files (proc(5)).
    init?(status: String, stat: String, ticksPerSecond: UInt64) {
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
            let kibibytes = line.split(whereSeparator: { !$0.isNumber }).first.flatMap({ UInt64($0) })
        else { return nil }
        // The second field is the command in brackets, which may hold anything; the 14th and 15th are the times.
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        guard fields.count > 13, let user = UInt64(fields[12]), let kernel = UInt64(fields[13]) else { return nil }
        residentBytes = kibibytes &* 1024
        cpuNanoseconds = (user &+ kernel) &* (1_000_000_000 / max(1, ticksPerSecond))
    }

    /// A small file's text.
    static func contents(of path: String) -> String? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 65536 {
            // The kernel writes at most the buffer's own count into it.
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(file, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
