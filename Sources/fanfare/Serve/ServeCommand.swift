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
            return try serve(settings)
        }
    }

    private static func serve(_ settings: ServeSettings) throws -> Int32 {
        let log = settings.logForm.log
        let server = try Server(
            settings.server, loopCount: settings.loopCount, passed: try passedSockets(for: settings.server), log: log)
        if settings.isDevelopment {
            log.warning("DEVELOPMENT MODE: everyone is who they say they are; never let the world in here")
        }
        for warning in settings.warnings { log.warning(warning) }
        if settings.allowsAnyChannel {
            log.warning(
                "the settings name no namespaces: every channel is allowed, as if they had \"*\" with its defaults")
        }
        let manager = ServiceManager(log: log)
        let urls = server.addresses.map(url(of:))
        for url in urls { complain("listening on \(url)", .info) }
        manager.begin(server, status: "listening on " + urls.joined(separator: ", "))
        var signal = awaitSignal()
        while signal == SIGHUP {
            manager.tell(.reloading)
            reload(server, settings.words, log)
            manager.tell(.ready)
            signal = awaitSignal()
        }
        manager.tell(.stopping, status: "draining")
        log.info("stopping (\(signal == SIGINT ? "SIGINT" : "SIGTERM"))")
        // A second signal does not wait for those who ask for readiness.
        Thread.detachNewThread {
            while awaitSignal() == SIGHUP {}
            server.endNotice()
        }
        return server.stop() ? ExitCode.done : ExitCode.failed
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
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&set, signal) }
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
