import Broker
import CommandOptions
import Glibc
import Server
import Transport

/// `fanfare serve`: runs a broker until it is told to stop.
enum ServeCommand: Command {
    static let options = CommandSyntax(
        name: "fanfare serve", summary: "Runs a broker until SIGTERM or SIGINT.",
        options: [
            .repeated(
                "listen", "ADDR", "where to serve: HOST:PORT, [V6]:PORT, :PORT or unix:PATH; port 0 takes a free one",
                environment: true),
            .repeated("tls-listen", "ADDR", "where to serve over TLS", environment: true),
            .value("tls-cert", "FILE", "the certificate chain for --tls-listen, PEM", environment: true),
            .value("tls-key", "FILE", "its private key, PEM", environment: true),
            .value("data", "DIR", "the folder of the store's file, fanfare.db", default: "./data", environment: true),
            .value(
                "store", "KIND", "sqlite, or memory: nothing outlives the process", default: "sqlite", environment: true
            ),
            .value("token-secret", "SECRET", "takes tokens signed with it by HS256", environment: true),
            .flag("dev", "development mode: anyone is who they say they are, by ?user=NAME; loopback addresses only"),
            .repeated("moderator", "NAME", "with --dev: a user who may moderate"),
            .value("loops", "N", "how many event loops; as many as processors otherwise", environment: true),
            .value("log", "FORM", "text, or json for machines", default: "text", environment: true),
        ],
        examples: [
            .init("fanfare serve --dev", "a broker to try things out, on ws://127.0.0.1:8080/v1/ws"),
            .init("fanfare serve --token-secret \"$SECRET\" --listen :8080", "a broker for users with tokens"),
            .init(
                "fanfare serve --dev --tls-listen 127.0.0.1:8443 --tls-cert cert.pem --tls-key key.pem",
                "over TLS too; scripts/dev-cert makes the two files"),
        ])

    static let variables = [
        "FANFARE_LISTEN", "FANFARE_TLS_LISTEN", "FANFARE_TLS_CERT", "FANFARE_TLS_KEY", "FANFARE_DATA", "FANFARE_STORE",
        "FANFARE_TOKEN_SECRET", "FANFARE_LOOPS", "FANFARE_LOG",
    ]

    static func run(_ words: [String]) async -> Int32 {
        await run(words, variables: variables) { words in
            let settings = try ServeSettings(words)
            return try serve(settings)
        }
    }

    private static func serve(_ settings: ServeSettings) throws -> Int32 {
        let log = settings.log
        let server = try Server(settings.server, loopCount: settings.loopCount, log: log)
        if settings.isDevelopment {
            log.warning("DEVELOPMENT MODE: everyone is who they say they are; never let the world in here")
        }
        for listen in server.addresses { complain("listening on \(url(of: listen))") }
        let signal = awaitSignal()
        log.info("stopping (\(signal == SIGINT ? "SIGINT" : "SIGTERM"))")
        server.stop()
        return ExitCode.done
    }

    /// Waits for a signal to stop; they are blocked in every thread, so this one gets them.
    private static func awaitSignal() -> CInt {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&set, signal) }
        while true {
            var signal: CInt = 0
            guard unsafe sigwait(&set, &signal) == 0 else { continue }
            if signal != SIGHUP { return signal }
        }
    }

    private static func url(of listen: ServerSettings.Listen) -> String {
        let scheme = listen.certificate == nil ? "ws" : "wss"
        switch listen.address {
        case .unix: return "\(scheme)+\(listen.address)/v1/ws"
        case .any(let port): return "\(scheme)://0.0.0.0:\(port)/v1/ws"
        default: return "\(scheme)://\(listen.address)/v1/ws"
        }
    }
}
