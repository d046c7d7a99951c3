import Broker
import Glibc
import Transport

/// Standard error as the place of a broker's log: a reader that stands still keeps nobody waiting.
///
/// Lines that it has no room for are left out, and counted for when it has.
final class LogOutput: Sendable {
    /// The log of this process.
    static let standardError = LogOutput(to: STDERR_FILENO)

    /// How long a line waits for room, in milliseconds; no time while the one before it found none.
    private static let patience: CInt = 200
    /// How much a pipe takes without waiting where it takes anything (PIPE_BUF).
    private static let part = 4096

    private struct State {
        var hadRoom = true
        var leftOut = 0
    }

    private let descriptor: CInt
    private let state = Locked(State())

    init(to descriptor: CInt) { self.descriptor = descriptor }

    /// Writes one line; what it says of its own has the same form.
    func write(_ line: String, _ level: BrokerLog.Level, in form: LogForm = .text) {
        state.withLock { state in
            if state.leftOut > 0 {
                let words = "nobody took log lines: left out: \(counted(state.leftOut, "line"))"
                let notice = form.line(BrokerLog.Entry(level: .warning, line: words))
                guard put(notice, .warning, &state) else { return state.leftOut += 1 }
                state.leftOut = 0
            }
            if !put(line, level, &state) { state.leftOut += 1 }
        }
    }

    private func put(_ line: String, _ level: BrokerLog.Level, _ state: inout State) -> Bool {
        var rest = complaint(line, level)[...]
        while !rest.isEmpty {
            state.hadRoom = hasRoom(within: state.hadRoom ? Self.patience : 0)
            guard state.hadRoom, writeAll(Array(rest.prefix(Self.part)), to: descriptor) else { return false }
            rest = rest.dropFirst(Self.part)
        }
        return true
    }

    private func hasRoom(within milliseconds: CInt) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&request, 1, milliseconds) != 0
    }
}
