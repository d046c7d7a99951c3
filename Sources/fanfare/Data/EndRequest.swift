import Broker
import Glibc
import Transport

/// What SIGINT, SIGTERM and SIGHUP do to a command that works on the store's file.
///
/// While it changes nothing the process ends at once. From ``beginChanging()`` on it ends where the command asks whether
/// somebody wants it to, so that everything is taken back in order; a second signal does not wait for that.
final class EndRequest: Sendable {
    private struct State {
        var signal: CInt?
        var isChanging = false
        var isDone = false
        var words: String
    }

    private let name: String
    private let state: Locked<State>

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - name: The command.
    ///   - words: What is true when it was ended, and what to do then.
    /// - Throws: `TransportError` where the system has no descriptor left.
    init(_ name: String, _ words: String) throws(TransportError) {
        self.name = name
        state = Locked(State(words: words))
        try onInterruption { [self] signal in
            let mayEnd = state.withLock { state in
                guard !state.isDone else { return false }
                state.signal = signal
                return !state.isChanging
            }
            if mayEnd { _exit(finish()) }
        }
    }

    /// Whether somebody wants the command to end.
    var isMade: Bool { state.withLock { $0.signal != nil && !$0.isDone } }

    /// From now on there is something to take back.
    func beginChanging() {
        state.withLock { $0.isChanging = true }
    }

    /// From now on what was made stays, and nothing more is changed.
    ///
    /// - Parameter words: What is true when it is ended now.
    func beginReading(_ words: String) {
        state.withLock { ($0.isChanging, $0.words) = (false, words) }
    }

    /// From now on it is done: nothing of it can be taken back.
    ///
    /// - Returns: `false` where somebody wanted it to end before.
    func beDone() -> Bool {
        state.withLock { state in
            guard state.signal == nil else { return false }
            state.isDone = true
            return true
        }
    }

    /// Says what is true now.
    ///
    /// - Returns: The exit code: 128 and the signal's number, as shells have it.
    func finish() -> Int32 {
        let (signal, words) = state.withLock { ($0.signal ?? SIGTERM, $0.words) }
        let names = [SIGINT: "SIGINT", SIGTERM: "SIGTERM", SIGHUP: "SIGHUP"]
        complain("\(name): ended by \(names[signal] ?? "a signal"); \(words)", .warning)
        return 128 + signal
    }
}
