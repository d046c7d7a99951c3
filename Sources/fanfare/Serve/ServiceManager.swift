import Broker
import CommandOptions
import Glibc
import Server
import Transport

/// The service manager that started this process, systemd for one; where none did, nothing is told to anybody.
struct ServiceManager: Sendable {
    private let notifier: ServiceNotifier?
    /// How long the process may be silent before it is started again; `nil`: as long as it likes.
    private let patience: Duration?
    private let log: BrokerLog
    /// What it shows of a broker that serves.
    let status: String

    /// Reads what the manager has put into the environment.
    init(status: String, log: BrokerLog) {
        self.status = status
        self.log = log
        let variables = environment(["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]).filter { !$0.value.isEmpty }
        var notifier: ServiceNotifier?
        if let name = variables["NOTIFY_SOCKET"] {
            do throws(TransportError) { notifier = try ServiceNotifier(name) } catch {
                log.warning("NOTIFY_SOCKET: nobody hears how this broker is: \(error)")
            }
        }
        self.notifier = notifier
        let isMine = variables["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
        guard isMine, let text = variables["WATCHDOG_USEC"] else {
            patience = nil
            return
        }
        if let microseconds = Int64(text), (1...86_400_000_000).contains(microseconds) {
            patience = .microseconds(microseconds)
        } else {
            patience = nil
            log.warning("WATCHDOG_USEC is a time in microseconds, not \"\(text)\": nothing is told")
        }
    }

    /// Says that the broker serves, and from now on that it is not hung.
    func begin(_ server: Server) {
        tell(.ready, status: status)
        guard let patience, notifier != nil else { return }
        // Twice in the time, as sd_watchdog_enabled(3) advises.
        server.tellWhileAlive(every: max(patience / 2, .milliseconds(1))) { tell(.alive) }
    }

    /// Tells a state; one that nobody takes is logged.
    func tell(_ state: ServiceNotifier.State, status: String? = nil) {
        guard let notifier else { return }
        do throws(TransportError) { try notifier.tell(state, status: status) } catch {
            log.say(.warning, .manager, "\(error)")
        }
    }
}

/// The sockets that whoever started this process has opened for it.
///
/// - Throws: a `UsageError` where something else was passed, or a socket at whose address no listener is.
func passedSockets(for settings: ServerSettings) throws(UsageError) -> [PassedSocket] {
    let sockets: [PassedSocket]
    do throws(PassedSocket.Failure) {
        sockets = try PassedSocket.take(environment(PassedSocket.variables).filter { !$0.value.isEmpty })
    } catch {
        throw UsageError("a socket that was passed cannot be used: \(error.reason)")
    }
    guard !sockets.isEmpty else { return [] }
    let places = settings.listen.flatMap { (try? $0.address.resolved()) ?? [] }
    // Whoever connected to it would wait for ever.
    if let lost = sockets.first(where: { socket in !places.contains { socket.matches($0) } }) {
        let name = lost.name.isEmpty ? "" : " (\(lost.name))"
        throw UsageError(
            "a socket at \(lost.address) was passed\(name), and no listener has this address: "
                + "there are \(settings.listen.map { "\($0.address)" }.joined(separator: ", "))")
    }
    return sockets
}
