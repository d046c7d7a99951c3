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
            let log = try words.choice("log", as: LogForm.self).log
            let settings = try Signals.heard(by: log) { () throws(UsageError) in
                let settings = try ServeSettings(words)
                try settings.checkServable()
                try settings.checkCertificates()
                try settings.checkNATSFiles()
                return settings
            }
            return try serve(settings, log)
        }
    }

    private static func serve(_ settings: ServeSettings, _ log: BrokerLog) throws -> Int32 {
        let isLogOver = Locked(false)
        let passed = try passedSockets(for: settings.server)
        let server = try Signals.heard(by: log) { () throws(ServerError) in
            try Server(settings.server, loopCount: settings.loopCount, passed: passed, log: log) {
                isLogOver.withLock { $0 = true }
                // Wakes the thread that waits for signals.
                kill(getpid(), SIGHUP)
            }
        }
        if settings.isDevelopment {
            log.warning("DEVELOPMENT MODE: everyone is who they say they are; never let the world in here")
        }
        for warning in settings.warnings + settings.variableWarnings { log.warning(warning) }
        if settings.allowsAnyChannel {
            log.warning(
                "the settings name no namespaces: every channel is allowed, as if they had \"*\" with its defaults")
        }
        tellDescriptorLimit(server.descriptorLimit, settings, log)
        let urls = server.addresses.map(url(of:))
        for url in urls { LogOutput.standardError.write("listening on \(url)", .info) }
        let manager = ServiceManager(status: "listening on " + urls.joined(separator: ", "), log: log)
        manager.begin(server)
        let reloader = Reloader(server, settings.words, manager, log)
        var signal = Signals.next()
        while signal == SIGHUP, !isLogOver.withLock({ $0 }) {
            reloader.ask()
            signal = Signals.next()
        }
        reloader.end(status: "draining")
        log.info("stopping (\(Signals.name(of: signal)))")
        // A second signal does not wait for those who ask for readiness.
        Thread.detachNewThread {
            while Signals.next() == SIGHUP {}
            server.endNotice()
        }
        let isWhole = server.stop()
        log.sayLeftOut()
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

    private static func url(of listen: ServerSettings.Listen) -> String {
        let scheme = listen.tls == nil ? "ws" : "wss"
        switch listen.address {
        case .unix: return "\(scheme)+\(listen.address)/v1/ws"
        case .any(let port): return "\(scheme)://0.0.0.0:\(port)/v1/ws"
        default: return "\(scheme)://\(listen.address)/v1/ws"
        }
    }
}
