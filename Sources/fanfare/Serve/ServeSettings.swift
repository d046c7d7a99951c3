import Broker
import CommandOptions
import Glibc
import Server
import Storage
import Transport

/// What the words of `fanfare serve`, the environment and the settings file come to, in this order.
struct ServeSettings: Sendable {
    let words: CommandWords
    let file: ConfigFile?
    let isDevelopment: Bool
    var server: ServerSettings
    var loopCount: Int
    /// Whom to believe, as it was written.
    var trustedProxies: [String]
    var logForm: LogForm
    /// The secret of tokens; `nil`: none that are signed with one are taken.
    var tokenSecret: String?
    /// The keys of tokens; `nil`: none that are signed with one are taken.
    var tokenKeys: TokenKeyFile?

    init(_ words: CommandWords) throws(UsageError) {
        self.words = words
        isDevelopment = words.flag("dev")
        file = try ConfigFile(words, defaults: isDevelopment ? Namespace() : .usual)
        logForm = try words.choice("log", as: LogForm.self)
        let processors = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        loopCount = words.isGiven("loops") ? try words.whole("loops", in: 1...64) : min(processors, 64)
        tokenSecret = words.textIfAny("token-secret") ?? file?.settings.tokenSecret
        tokenKeys = try ServeSettings.tokenKeys(words, file, log: logForm.log)
        let listen = try ServeSettings.listen(words, file)
        if isDevelopment, let index = listen.firstIndex(where: { !$0.address.isLoopback }) {
            let areOfWords = words.isGiven("listen") || words.isGiven("tls-listen")
            let place = areOfWords ? nil : file?.place(of: "listen[\(index)].address")
            throw UsageError(
                (place.map { $0 + ": " } ?? "")
                    + "--dev listens on loopback addresses only, and \(listen[index].address) is none: take 127.0.0.1, or tokens instead of --dev"
            )
        }
        let proxies = try ServeSettings.trustedProxies(words, file?.settings)
        trustedProxies = proxies.texts
        if proxies.set.isEmpty, let index = listen.firstIndex(where: \.takesProxyProtocol) {
            let place = file?.place(of: "listen[\(index)].proxy_protocol").map { $0 + ": " } ?? ""
            throw UsageError(
                place + "a listener with \"proxy_protocol\" needs trusted_proxies, or nobody could connect to it")
        }
        let origins: [String]? = file?.settings.origins ?? (isDevelopment ? ["*"] : [])
        server = ServerSettings(
            listen: listen, data: try ServeSettings.data(words, file?.settings),
            store: try ServeSettings.store(words, file?.settings), nats: try ServeSettings.nats(words, file),
            origins: origins == ["*"] ? nil : origins,
            trustedProxies: proxies.set, metricsAccess: file?.settings.metrics ?? .anyone,
            broker: BrokerSettings(
                namespaces: ServeSettings.namespaces(file?.settings, isDevelopment: isDevelopment),
                authenticator: try ServeSettings.authenticator(
                    words, file?.settings, secret: tokenSecret, keys: tokenKeys),
                limits: ServeSettings.limits(file?.settings, isDevelopment: isDevelopment),
                connectHook: file?.settings.connectHook, drain: try ServeSettings.drain(words, file?.settings)))
        server.report = SettingsReport(self).rows
    }

    /// Whether nothing names namespaces, so that every channel is allowed.
    var allowsAnyChannel: Bool { !isDevelopment && file?.settings.namespaces == nil }

    /// Refuses to serve where nobody could come in.
    func checkServable() throws(UsageError) {
        guard isDevelopment || tokenSecret != nil || tokenKeys != nil || !server.broker.authenticator.serverKeys.isEmpty
        else {
            throw UsageError(
                "nobody could be told from anybody: set --token-secret SECRET (or FANFARE_TOKEN_SECRET) or --jwks-file FILE, or --dev to try things out"
            )
        }
    }

    /// Those of the words and the environment together take the place of all those of the file.
    private static func trustedProxies(
        _ words: CommandWords, _ file: SettingsFile?
    ) throws(UsageError) -> (texts: [String], set: AddressSet) {
        let given = words.texts("trusted-proxy")
        let texts = given.isEmpty ? file?.trustedProxies ?? [] : given
        var set = AddressSet()
        for text in texts {
            do throws(AddressSet.Malformed) { try set.insert(text) } catch {
                throw UsageError("\(words.label(of: "trusted-proxy")) \(error.reason), not \"\(text)\"")
            }
        }
        return (texts, set)
    }

    /// Refuses to serve with certificates that cannot be used.
    ///
    /// - Returns: what can be used, but may not be meant.
    @discardableResult
    func checkCertificates() throws(UsageError) -> [String] {
        var warnings: [String] = []
        for (index, listen) in server.listen.enumerated() {
            guard let tls = listen.tls else { continue }
            do throws(TransportError) { warnings += try TLSServerContext(tls).warnings } catch {
                throw UsageError("\(placeOfTLS(index)): \(error)")
            }
        }
        return warnings
    }

    /// Where the certificate of a listener is set.
    private func placeOfTLS(_ index: Int) -> String {
        if let option = words.source(of: "tls-cert") { return option }
        let filed = numberOfFiledTLS(index)
        return filed.flatMap { file?.place(of: "listen[\($0)].tls") } ?? "TLS"
    }

    /// The folder of the store's file.
    static func data(_ words: CommandWords, _ file: SettingsFile?) throws(UsageError) -> String {
        if !words.isGiven("data"), let data = file?.data { return data }
        return try words.text("data")
    }

    /// What keeps the channels.
    static func store(
        _ words: CommandWords, _ file: SettingsFile?
    ) throws(UsageError) -> ServerSettings.StoreKind {
        if !words.isGiven("store"), let store = file?.store {
            switch store {
            case .sqlite: return .sqlite
            case .memory: return .memory
            }
        }
        return try words.choice("store", as: ServerSettings.StoreKind.self)
    }

    /// The namespaces that are served.
    static func namespaces(_ file: SettingsFile?, isDevelopment: Bool) -> [String: Namespace] {
        guard isDevelopment else { return file?.namespaces ?? ["*": .usual] }
        return Namespace.development.merging(file?.namespaces ?? [:]) { $1 }
    }

    private static func limits(_ file: SettingsFile?, isDevelopment: Bool) -> BrokerSettings.Limits {
        var limits = BrokerSettings.Limits()
        // Everyone comes from this machine then.
        if isDevelopment { limits.connectionsPerAddress = .max }
        for (name, value) in file?.limits ?? [:] { limits[keyPath: name.keyPath] = value }
        return limits
    }

    private static func drain(_ words: CommandWords, _ file: SettingsFile?) throws(UsageError) -> DrainSettings {
        var drain = file?.drain ?? DrainSettings()
        if words.isGiven("drain-notice") {
            drain.noticeMilliseconds = try milliseconds(words, "drain-notice", in: DrainSettings.pauseRange)
        }
        if words.isGiven("drain-within") {
            drain.withinMilliseconds = try milliseconds(words, "drain-within", in: DrainSettings.withinRange)
        }
        return drain
    }

    private static func milliseconds(
        _ words: CommandWords, _ name: String, in range: ClosedRange<Int>
    ) throws(UsageError) -> Int {
        let bounds = Duration.milliseconds(range.lowerBound)...Duration.milliseconds(range.upperBound)
        return Int(try words.duration(name, in: bounds) / .milliseconds(1))
    }

    private static func authenticator(
        _ words: CommandWords, _ file: SettingsFile?, secret: String?, keys: TokenKeyFile?
    ) throws(UsageError) -> Authenticator {
        let isDevelopment = words.flag("dev")
        let moderators = words.texts("moderator")
        guard isDevelopment || moderators.isEmpty else {
            throw UsageError("--moderator goes with --dev; elsewhere the token says who may moderate")
        }
        if let name = moderators.first(where: { !Identity.isUserName($0) }) {
            throw UsageError("--moderator: a user has 1 to 128 visible ASCII characters, not \"\(name)\"")
        }
        let tokens = TokenVerifier(
            secret: secret, keyFile: keys, issuer: file?.issuer, audience: file?.audience,
            leewaySeconds: file?.leewaySeconds ?? TokenVerifier.usualLeeway)
        return Authenticator(
            tokens: secret == nil && keys == nil ? nil : tokens,
            development: isDevelopment ? Authenticator.Development(moderators: Set(moderators)) : nil,
            serverKeys: file?.serverKeys ?? [])
    }
}

// MARK: Tokens

extension ServeSettings {
    private static func tokenKeys(
        _ words: CommandWords, _ file: ConfigFile?, log: BrokerLog
    ) throws(UsageError) -> TokenKeyFile? {
        let given = words.textIfAny("jwks-file")
        guard let path = given ?? file?.settings.keyFile else { return nil }
        do throws(TokenKeyFile.Failure) { return try TokenKeyFile(path: path, log: log) } catch {
            let setting = words.source(of: "jwks-file") ?? file?.place(of: "tokens.jwks_file") ?? "tokens.jwks_file"
            throw UsageError("\(setting): \(error.words)")
        }
    }
}
