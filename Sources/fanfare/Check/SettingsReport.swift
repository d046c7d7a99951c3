import Broker
import CommandOptions
import Reactions
import Server
import Transport

/// What is in force, a line for each setting: its name, its value, and where that comes from.
struct SettingsReport {
    let settings: ServeSettings
    private(set) var rows: [SettingRow] = []

    init(_ settings: ServeSettings) {
        self.settings = settings
        addPlaces()
        addIdentity()
        addLimits()
        addDrain(settings.server.broker.drain)
        addHook(settings.server.broker.connectHook, "hooks.connect", otherwise: "default")
        for name in settings.server.broker.namespaces.keys.sorted() { addNamespace(name) }
    }

    /// The values by their names; of several with one name, the first.
    var values: [String: String] {
        Dictionary(rows.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// The lines, in three columns; ends with a line break.
    var text: String {
        let names = rows.map { cellWidth($0.name) }.max() ?? 0
        let values = min(40, rows.map { cellWidth($0.value) }.max() ?? 0)
        return rows.map { row in
            pad(row.name, to: names) + "  " + pad(row.value, to: values) + "  " + row.source + "\n"
        }.joined()
    }

    private func pad(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - cellWidth(text)))
    }

    /// Adds a row.
    ///
    /// - Parameters:
    ///   - name: the setting, as its path in the file; `--NAME` for what only an option can set.
    ///   - value: what is in force.
    ///   - options: the options that win over the file.
    ///   - path: the setting's path in the file, where it isn't the name.
    ///   - otherwise: what set it where neither did.
    mutating func add(
        _ name: String, _ value: String, options: [String] = [], path: String? = nil, otherwise: String = "default"
    ) {
        let given = options.compactMap { settings.words.source(of: $0) }.first
        let source = given ?? settings.file?.place(of: path ?? name) ?? otherwise
        rows.append(SettingRow(name: name, value: value, source: source))
    }

    /// Whether the file has a setting.
    func isSet(_ path: String) -> Bool { settings.file?.place(of: path) != nil }

    private var modeDefault: String { settings.isDevelopment ? "--dev" : "default" }

    private mutating func addPlaces() {
        let server = settings.server
        for index in server.listen.indices { addListener(index) }
        add("data", server.data, options: ["data"])
        add("store.kind", server.store.rawValue, options: ["store"])
        addNATS(server.nats)
        add("--loops", String(settings.loopCount), options: ["loops"])
        add("--log", settings.logForm.rawValue, options: ["log"])
    }

    private mutating func addIdentity() {
        let file = settings.file?.settings
        add("--dev", settings.isDevelopment ? "on" : "off", options: ["dev"])
        for name in settings.words.texts("moderator") { add("--moderator", name, options: ["moderator"]) }
        add("tokens.hs256_secret", mask(settings.tokenSecret), options: ["token-secret"])
        add("tokens.jwks_file", settings.tokenKeys?.path ?? "none", options: ["jwks-file"])
        for key in settings.tokenKeys?.set.entries ?? [] {
            let name = key.id.map { " \(printable($0))" } ?? ", without a kid"
            add("tokens.jwks_file.key", key.algorithm.rawValue + name, otherwise: settings.tokenKeys?.path ?? "")
        }
        add("tokens.issuer", file?.issuer ?? "any")
        add("tokens.audience", file?.audience ?? "any")
        add("tokens.leeway_s", String(file?.leewaySeconds ?? TokenVerifier.usualLeeway))
        let keys = settings.server.broker.authenticator.serverKeys
        add("server_keys", keys.isEmpty ? "none" : keys.map { mask($0) }.joined(separator: " "))
        let origins = settings.server.origins.map { $0.isEmpty ? "none but its own" : $0.joined(separator: " ") }
        add("origins", origins ?? "any", otherwise: modeDefault)
        let proxies = settings.trustedProxies
        add(
            "trusted_proxies", proxies.isEmpty ? "none" : proxies.joined(separator: " "), options: ["trusted-proxy"])
        add("metrics", settings.server.metricsAccess.rawValue)
    }

    /// What stands for a secret.
    private func mask(_ secret: String?) -> String {
        secret == nil ? "none" : "•••"
    }

    private mutating func addLimits() {
        for name in LimitName.allCases {
            let value = settings.server.broker.limits[keyPath: name.keyPath]
            let otherwise = name == .connectionsPerAddress ? modeDefault : "default"
            add("limits.\(name.rawValue)", value == .max ? "none" : String(value), otherwise: otherwise)
        }
    }

    private mutating func addDrain(_ drain: DrainSettings) {
        add("drain.notice_ms", String(drain.noticeMilliseconds), options: ["drain-notice"])
        add("drain.within_ms", String(drain.withinMilliseconds), options: ["drain-within"])
        add("drain.spread_ms", String(drain.spreadMilliseconds))
    }

    private mutating func addNamespace(_ name: String) {
        guard let namespace = settings.server.broker.namespaces[name] else { return }
        let rules = namespace.rules
        let place = "namespaces.\(name)."
        // What a namespace of the file leaves out is a default; one that the file does not have is the mode's.
        let isFiled = settings.file?.place(of: "namespaces.\(name)") != nil
        let otherwise = isFiled ? "default" : modeDefault
        let expiry = namespace.expiryDays.map { String($0) } ?? "never"
        let values = [
            ("policy", rules.policy.rawValue),
            ("reactions.kind", rules.kind.rawValue),
            ("reactions.allowed", rules.allowed.map { $0.map(\.text).joined(separator: " ") } ?? "all"),
            ("reactions.fold_skin_tones", String(rules.foldSkinTones)),
            ("max_kinds_per_message", String(rules.maxKindsPerMessage)),
            ("max_per_user_and_message", String(rules.maxPerUserAndMessage)),
            ("anonymous", String(namespace.isAnonymous)),
            ("summary_interval_ms", String(namespace.summaryIntervalMilliseconds)),
            ("history.events", String(namespace.historyEvents)),
            ("history.seconds", String(namespace.historySeconds)),
            ("durability", "\(namespace.durability)"),
            ("expire_days", expiry),
        ]
        for (setting, value) in values { add(place + setting, value, otherwise: otherwise) }
        let rate = isFiled ? modeDefault : otherwise
        let noRate = isRateNull(place) ? place + "rate" : nil
        for (holder, value) in SettingsReport.rates {
            add(place + "rate.\(holder)", text(of: namespace.rates[keyPath: value]), path: noRate, otherwise: rate)
        }
        addOutbound(namespace.outbound, place, otherwise: otherwise)
    }

    private func text(of rate: Rate?) -> String {
        guard let rate else { return "none" }
        let perSecond = Int(exactly: rate.perSecond).map(String.init) ?? String(rate.perSecond)
        return "\(perSecond) a second, \(rate.burst) at once"
    }

    /// What has a rate, by its name in the settings.
    private static var rates: [(String, KeyPath<Rates, Rate?>)] {
        [("user", \.user), ("connection", \.connection), ("address", \.address), ("channel", \.channel)]
    }

    /// Whether `"rate": null` sets all rates.
    private func isRateNull(_ place: String) -> Bool {
        let namespace = settings.file.flatMap { $0.place(of: place + "rate") }
        return namespace != nil
            && SettingsReport.rates.allSatisfy { settings.file?.place(of: place + "rate.\($0.0)") == nil }
    }
}
