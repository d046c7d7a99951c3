import Broker
import CommandOptions
import Glibc
import Server
import Transport

/// What the words of `fanfare serve` come to.
struct ServeSettings {
    var server: ServerSettings
    var loopCount: Int
    var log: BrokerLog
    var isDevelopment: Bool

    init(_ words: CommandWords) throws(UsageError) {
        isDevelopment = words.flag("dev")
        log = ServeSettings.log(try words.choice("log", as: LogForm.self))
        let processors = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        loopCount = words.isGiven("loops") ? try words.whole("loops", in: 1...64) : min(processors, 64)
        let authenticator = try ServeSettings.authenticator(words)
        let listen = try ServeSettings.listen(words)
        if isDevelopment, let open = listen.first(where: { !$0.address.isLoopback }) {
            throw UsageError(
                "--dev listens on loopback addresses only, and \(open.address) is none: take 127.0.0.1, or tokens instead of --dev"
            )
        }
        server = ServerSettings(
            listen: listen, data: try words.text("data"),
            store: try words.choice("store", as: ServerSettings.StoreKind.self), origins: isDevelopment ? nil : [],
            broker: BrokerSettings(namespaces: Namespace.development, authenticator: authenticator))
    }

    private static func authenticator(_ words: CommandWords) throws(UsageError) -> Authenticator {
        let isDevelopment = words.flag("dev")
        let moderators = words.texts("moderator")
        let secret = words.textIfAny("token-secret")
        guard isDevelopment || moderators.isEmpty else {
            throw UsageError("--moderator goes with --dev; elsewhere the token says who may moderate")
        }
        if let name = moderators.first(where: { !Identity.isUserName($0) }) {
            throw UsageError("--moderator: a user has 1 to 128 visible ASCII characters, not \"\(name)\"")
        }
        guard isDevelopment || secret != nil else {
            throw UsageError(
                "nobody could be told from anybody: set --token-secret SECRET (or FANFARE_TOKEN_SECRET), or --dev to try things out"
            )
        }
        return Authenticator(
            tokens: secret.map { TokenVerifier(secret: $0) },
            development: isDevelopment ? Authenticator.Development(moderators: Set(moderators)) : nil)
    }

    private static func listen(_ words: CommandWords) throws(UsageError) -> [ServerSettings.Listen] {
        let certificate = try certificate(words)
        var listen: [ServerSettings.Listen] = []
        for text in words.texts("listen") { listen.append(.init(address: try address(text, "listen"))) }
        for text in words.texts("tls-listen") {
            listen.append(.init(address: try address(text, "tls-listen"), certificate: certificate))
        }
        return listen.isEmpty ? [.init(address: try address("127.0.0.1:8080", "listen"))] : listen
    }

    private static func certificate(_ words: CommandWords) throws(UsageError) -> ServerSettings.Certificate? {
        let pair = (words.textIfAny("tls-cert"), words.textIfAny("tls-key"))
        switch pair {
        case (let certificate?, let key?):
            guard !words.texts("tls-listen").isEmpty else {
                throw UsageError("--tls-cert and --tls-key go with --tls-listen ADDR")
            }
            return ServerSettings.Certificate(certificateFile: certificate, keyFile: key)
        case (nil, nil):
            guard words.texts("tls-listen").isEmpty else {
                throw UsageError("--tls-listen needs --tls-cert FILE and --tls-key FILE; scripts/dev-cert makes them")
            }
            return nil
        default: throw UsageError("--tls-cert and --tls-key go together")
        }
    }

    private static func address(_ text: String, _ option: String) throws(UsageError) -> SocketAddress {
        do throws(TransportError) { return try SocketAddress.parse(text) } catch {
            throw UsageError("--\(option): \(error)")
        }
    }
}

/// How log lines are written.
enum LogForm: String, CaseIterable {
    case text, json
}

extension ServeSettings {
    /// A log on standard error, one line an entry.
    private static func log(_ form: LogForm) -> BrokerLog {
        BrokerLog { level, line in
            switch form {
            case .text: complain("\(level.rawValue): \(line)")
            case .json: complain(jsonLine(level, line))
            }
        }
    }

    private static func jsonLine(_ level: BrokerLog.Level, _ line: String) -> String {
        var escaped = ""
        for scalar in line.unicodeScalars {
            switch scalar {
            case "\"", "\\": escaped += "\\\(scalar)"
            case _ where scalar.value < 0x20: escaped += " "
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return #"{"time":\#(wallClockMilliseconds()),"level":"\#(level.rawValue)","message":"\#(escaped)"}"#
    }
}
