import Broker
import CommandOptions
import Foundation
import Glibc
import Server
import Transport

/// `fanfare serve`: runs a broker until it is told to stop.
enum ServeCommand: Command {
    static let options = CommandSyntax(
        name: "fanfare serve", summary: "Runs a broker until SIGTERM or SIGINT.",
        options: ServeOptions.all,
        examples: [
            .init("fanfare serve --dev", "a broker to try things out, on ws://127.0.0.1:8080/v1/ws"),
            .init("fanfare serve --token-secret \"$SECRET\" --listen :8080", "a broker for users with tokens"),
            .init(
                "fanfare serve --dev --tls-listen 127.0.0.1:8443 --tls-cert cert.pem --tls-key key.pem",
                "over TLS alone, without a --listen; scripts/dev-cert makes the two files"),
            .init(
                "fanfare serve --config settings.json", "a broker with settings of its own, which SIGHUP reads again"),
        ])

    static func run(_ words: [String]) -> Int32 {
        run(words, variables: options.environmentNames) { words in
            let settings = try ServeSettings(words)
            try settings.checkServable()
            try settings.checkCertificates()
            try settings.checkNATSFiles()
            return try serve(settings)
        }
    }

    private static func serve(_ settings: ServeSettings) throws -> Int32 {
        let log = settings.logForm.log
        let isLogOver = Locked(false)
        let server = try start(settings, passed: try passedSockets(for: settings.server), log) {
            isLogOver.withLock { $0 = true }
            // Wakes the thread that waits for signals.
            kill(getpid(), SIGHUP)
        }
        if settings.isDevelopment {
            log.warning("DEVELOPMENT MODE: everyone is who they say they are; never let the world in here")
        }
        for warning in settings.warnings { log.warning(warning) }
        if settings.allowsAnyChannel {
            log.warning(
                "the settings name no namespaces: every channel is allowed, as if they had \"*\" with its defaults")
        }
        tellDescriptorLimit(server.descriptorLimit, settings, log)
        let manager = ServiceManager(log: log)
        let urls = server.addresses.map(url(of:))
        for url in urls { complain("listening on \(url)", .info) }
        manager.begin(server, status: "listening on " + urls.joined(separator: ", "))
        var signal = awaitSignal()
        while signal == SIGHUP, !isLogOver.withLock({ $0 }) {
            manager.tell(.reloading)
            reload(server, settings.words, log)
            manager.tell(.ready)
            signal = awaitSignal()
        }
        manager.tell(.stopping, status: "draining")
        log.info("stopping (\(name(of: signal)))")
        // A second signal does not wait for those who ask for readiness.
        Thread.detachNewThread {
            while awaitSignal() == SIGHUP {}
            server.endNotice()
        }
        let isWhole = server.stop()
        // With the log the epoch of all channels is over, so whoever runs this has to start it anew.
        return isWhole && signal != SIGHUP ? ExitCode.done : ExitCode.failed
    }

    /// Says how many files may be open: each connection is one.
    private static func tellDescriptorLimit(_ most: Int, _ settings: ServeSettings, _ log: BrokerLog) {
        let connections = settings.server.broker.limits.connections
        if most < connections {
            log.warning(
                "no more than \(most) files may be open (nofile), and each connection is one: limits.connections, which is "
                    + "\(connections), cannot be reached")
        } else {
            log.info("as many as \(most) files may be open (nofile)")
        }
    }

    /// Starts a server on another thread: it may wait for NATS, and a signal ends the process meanwhile.
    private static func start(
        _ settings: ServeSettings, passed: [PassedSocket], _ log: BrokerLog,
        logEnded: @escaping @Sendable () -> Void
    ) throws(ServerError) -> Server {
        let started = Locked<Result<Server, ServerError>?>(nil)
        Thread.detachNewThread { [server = settings.server, loopCount = settings.loopCount] in
            let result = Result { () throws(ServerError) in
                try Server(server, loopCount: loopCount, passed: passed, log: log, logEnded: logEnded)
            }
            started.withLock { $0 = result }
        }
        while true {
            if let result = started.withLock({ $0 }) { return try result.get() }
            var (ending, pause) = (signals([SIGINT, SIGTERM]), timespec(tv_sec: 0, tv_nsec: 10_000_000))
            let signal = unsafe sigtimedwait(&ending, nil, &pause)
            guard signal > 0 else { continue }
            log.info("stopping (\(name(of: signal))) before it has begun")
            // Nothing was taken from anybody, and the other thread may wait for long.
            _exit(ExitCode.done)
        }
    }

    private static func name(of signal: CInt) -> String {
        switch signal {
        case SIGINT: "SIGINT"
        case SIGTERM: "SIGTERM"
        default: "the shared log is another one"
        }
    }

    private static func signals(_ signals: [CInt]) -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        return set
    }

    /// Reads the settings file and the certificates again; what is wrong leaves everything as it was.
    private static func reload(_ server: Server, _ words: CommandWords, _ log: BrokerLog) {
        do throws(UsageError) {
            let settings = try ServeSettings(words)
            try settings.checkServable()
            server.reload(settings.server)
            for warning in settings.warnings { log.warning(warning) }
            log.info("settings and certificates were read again (SIGHUP)")
        } catch {
            log.error("the settings stay as they were: \(error.message)")
            server.reloadCertificates()
        }
    }

    /// Waits for SIGINT, SIGTERM or SIGHUP; they are blocked in every thread, so this one gets them.
    private static func awaitSignal() -> CInt {
        var set = signals([SIGINT, SIGTERM, SIGHUP])
        while true {
            var signal: CInt = 0
            if unsafe sigwait(&set, &signal) == 0 { return signal }
        }
    }

    private static func url(of listen: ServerSettings.Listen) -> String {
        let scheme = listen.tls == nil ? "ws" : "wss"
        switch listen.address {
        case .unix: return "\(scheme)+\(listen.address)/v1/ws"
        case .any(let port): return "\(scheme)://0.0.0.0:\(port)/v1/ws"
        default: return "\(scheme)://\(listen.address)/v1/ws"
        }
    }
}
