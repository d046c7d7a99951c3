import Broker
import Glibc
import Transport

/// Standard output, one write a call, so that each line is out when the call returns.
struct StandardOutput {
    /// Makes it, and has a pipe that nobody reads any more be an error and not the end of the program.
    init() {
        ignoreBrokenPipes()
    }

    /// Whether it is a terminal.
    var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Returns when nobody reads any more, or the task is cancelled.
    ///
    /// Without it a command that has nothing to write would not notice.
    func waitUntilUnread() async {
        while !Task.isCancelled {
            var request = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            if unsafe poll(&request, 1, 0) > 0 { return }
            try? await Task.sleep(for: .milliseconds(250))
        }
    }

    /// Writes a text.
    ///
    /// - Throws: `OutputFailure` where nobody reads any more, or it takes no more.
    func write(_ text: String) throws(OutputFailure) {
        try write(Array(text.utf8))
    }

    /// Writes bytes.
    ///
    /// - Throws: `OutputFailure` where nobody reads any more, or it takes no more.
    func write(_ bytes: [UInt8]) throws(OutputFailure) {
        guard writeAll(bytes, to: STDOUT_FILENO) else { throw OutputFailure(code: errno) }
    }
}

/// What was to go to standard output went nowhere.
struct OutputFailure: Error, CustomStringConvertible {
    /// The system's number for why.
    var code: CInt

    /// Whether there was a reader, who has gone: for what is watched as it happens, an end like others.
    var isUnread: Bool { code == EPIPE }

    /// A few words for a person.
    var description: String {
        "standard output takes no more (\(unsafe String(cString: strerror(code))))"
    }
}

/// Writes one line on standard error; where that is the journal, with how much it matters.
func complain(_ line: String, _ level: BrokerLog.Level = .error) {
    _ = writeAll(complaint(line, level), to: STDERR_FILENO)
}

/// The bytes of a line on standard error.
func complaint(_ line: String, _ level: BrokerLog.Level) -> [UInt8] {
    let prefix = Journal.isStandardError ? level.journalPrefix : ""
    return Array((prefix + printable(line) + "\n").utf8)
}

/// Writes all of the bytes, however many calls it takes; `false` where that is impossible.
func writeAll(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
        // The pointer holds for the call, and the count is what lies behind it.
        let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
            rest = rest.dropFirst(count)
        } else if count < 0, errno == EAGAIN {
            waitUntilWritable(descriptor)
        } else if count == 0 || errno != EINTR {
            return false
        }
    }
    return true
}

/// Waits for room, where someone who shares the descriptor made it non-blocking.
private func waitUntilWritable(_ descriptor: CInt) {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = unsafe poll(&request, 1, -1)
}

/// Those of the named environment variables that are set.
func environment(_ names: [String]) -> [String: String] {
    var found: [String: String] = [:]
    for name in names {
        // Nobody changes the environment of this process, so the pointer holds until the text is copied.
        if let value = unsafe getenv(name) { found[name] = unsafe String(cString: value) }
    }
    return found
}
