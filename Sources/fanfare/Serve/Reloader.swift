import Broker
import CommandOptions
import Foundation
import Server
import Transport

/// Reads settings and certificates again when it is asked to, on a thread of its own.
///
/// A file of a network folder may never answer, and whoever waits for signals must go on hearing them. What is asked
/// while it reads comes to one more time, however often it is asked.
final class Reloader: Sendable {
    private enum State {
        case resting
        case reading(isAskedAgain: Bool)
        case over
    }

    private let server: Server
    private let words: CommandWords
    private let manager: ServiceManager
    private let log: BrokerLog
    private let state = Locked(State.resting)
    /// Whether the service manager shows that something failed.
    private let hasFailed = Locked(false)

    init(_ server: Server, _ words: CommandWords, _ manager: ServiceManager, _ log: BrokerLog) {
        self.server = server
        self.words = words
        self.manager = manager
        self.log = log
    }

    /// Begins, or has whoever reads begin again when that has ended.
    func ask() {
        let begins = state.withLock { state in
            switch state {
            case .resting:
                state = .reading(isAskedAgain: false)
                manager.tell(.reloading)
                return true
            case .reading:
                state = .reading(isAskedAgain: true)
                log.warning("SIGHUP: files are still being read since the last one; they are read again after that")
                return false
            case .over: return false
            }
        }
        if begins { Thread.detachNewThread { [self] in while step() {} } }
    }

    /// Takes nothing of what is read from now on, and tells the service manager that the broker ends.
    func end(status: String) {
        state.withLock { state in
            state = .over
            manager.tell(.stopping, status: status)
        }
    }

    /// Reads once, and says whether that was asked for again.
    private func step() -> Bool {
        let hasFailed = !reload()
        let failedBefore = self.hasFailed.withLock { before in
            defer { before = hasFailed }
            return before
        }
        let status = hasFailed ? manager.status + "; the last reload failed, see the log" : manager.status
        return state.withLock { state in
            // Whoever ends has told so.
            guard case .reading(let isAskedAgain) = state else { return false }
            manager.tell(.ready, status: hasFailed || failedBefore ? status : nil)
            state = isAskedAgain ? .reading(isAskedAgain: false) : .resting
            if isAskedAgain { manager.tell(.reloading) }
            return isAskedAgain
        }
    }

    private var isOver: Bool {
        state.withLock { state in
            if case .over = state { return true }
            return false
        }
    }

    /// Reads the settings file and the certificates again; what is wrong leaves its part as it was.
    ///
    /// - Returns: whether all could be read.
    private func reload() -> Bool {
        do throws(UsageError) {
            let settings = try ServeSettings(words)
            try settings.checkServable()
            guard !isOver else { return false }
            let outcome = server.reload(settings.server)
            for warning in settings.warnings { log.warning(warning) }
            return tell(outcome)
        } catch {
            guard !isOver else { return false }
            log.error("the settings stay as they were: \(error.message)")
            let outcome = server.reloadCertificates()
            let certificates = outcome.kept == 0 ? "certificates were read again" : outcome.keptWords
            log.error("the reload (SIGHUP) failed: the settings stay as they were; \(certificates)")
            return false
        }
    }

    /// Says last what has come of it, where the settings could be read.
    private func tell(_ outcome: Server.Reload) -> Bool {
        let later =
            outcome.later.isEmpty
            ? "" : "; what has changed in \(outcome.later.joined(separator: ", ")) takes effect at the next start"
        guard outcome.kept > 0 else {
            log.info("settings and certificates were read again (SIGHUP)\(later)")
            return true
        }
        log.error("the reload (SIGHUP) failed in part: settings were read again, \(outcome.keptWords)\(later)")
        return false
    }
}

extension Server.Reload {
    fileprivate var keptWords: String {
        kept == 1 ? "one certificate stays as it was" : "\(kept) certificates stay as they were"
    }
}
