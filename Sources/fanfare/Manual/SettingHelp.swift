import Broker

/// What each setting of the file is, for the manual page `fanfare-settings(5)`.
///
/// `[]` stands for each element of a list, `NAMESPACE` for a namespace's name.
struct SettingHelp {
    var path: String
    /// What it may be.
    var form: String
    var help: String

    init(_ path: String, _ form: String, _ help: String) {
        self.path = path
        self.form = form
        self.help = help
    }

    static let all =
        places + tls + sharing + identity + LimitName.allCases.map(limit) + drain
        + hook("hooks.connect", "is asked before someone connects") + namespaces

    private static let places = [
        SettingHelp("listen[].address", "TEXT", "where to listen: HOST:PORT, [V6]:PORT, :PORT or unix:PATH"),
        .init(
            "listen[].proxy_protocol", "true, false",
            "whether each connection begins with a header of the PROXY protocol, from trusted proxies alone"),
        .init("listen[].compression.mode", "off, on, above", "which messages are compressed (permessage-deflate)"),
        .init("listen[].compression.above_bytes", "0 to 16777216", "with above: only messages longer than this"),
        .init(
            "listen[].compression.context_takeover", "true, false",
            "whether a client's messages may refer to its earlier ones"),
        .init("listen[].compression.window_bits", "9 to 15", "how far back, as a power of two, either end may refer"),
        .init("data", "DIR", "the folder of the store's file, fanfare.db"),
        .init("store.kind", "sqlite, memory", "where reactions are kept; memory: nothing outlives the process"),
    ]

    private static let tls = [
        SettingHelp("listen[].tls.cert", "FILE", "the certificate with its chain, PEM"),
        .init("listen[].tls.key", "FILE", "its private key, PEM, not encrypted"),
        .init("listen[].tls.certificates[].cert", "FILE", "a further certificate, for the names in it"),
        .init("listen[].tls.certificates[].key", "FILE", "its private key"),
        .init(
            "listen[].tls.client_certificates", "none, optional, required",
            "whether clients show certificates; one that is shown must be valid"),
        .init("listen[].tls.client_ca", "FILE", "the authorities that vouch for clients, PEM"),
        .init("listen[].tls.minimum_version", "1.2, 1.3", "the oldest version of TLS that is spoken"),
        .init("listen[].tls.kernel_tls", "true, false", "has the kernel encrypt, where it can"),
    ]

    private static let sharing = [
        SettingHelp(
            "nats.servers", "[URL, ...]",
            "1 to 16 NATS servers, nats://HOST:PORT or tls://HOST:PORT, in whose JetStream several brokers share their channels"
        ),
        .init("nats.name", "TEXT", "what streams and subjects begin with: brokers of one name share one log"),
        .init("nats.replicas", "1 to 5", "on how many servers the log stands; 3 where three or more are named, else 1"),
        .init("nats.partitions", "1 to 64", "into how many streams the channels are divided; the same on all brokers"),
        .init("nats.user", "TEXT", "who the broker is to NATS"),
        .init("nats.password", "TEXT", "its password"),
        .init("nats.credentials_file", "FILE", "instead of both: a credentials file, as nsc makes it"),
        .init("nats.ca_file", "FILE", "the authorities that vouch for the servers; the system's where it is left out"),
        .init("nats.cert", "FILE", "the broker's own certificate"),
        .init("nats.key", "FILE", "its private key"),
    ]

    private static let identity = [
        SettingHelp("tokens.hs256_secret", "TEXT", "takes tokens signed with it by HS256"),
        .init("tokens.jwks_file", "FILE", "takes tokens signed with one of the keys in it, a JWK Set"),
        .init("tokens.issuer", "TEXT", "whose tokens are taken (claim iss); any where it is left out"),
        .init("tokens.audience", "TEXT", "for whom tokens must be made (claim aud); any where it is left out"),
        .init("tokens.leeway_s", "0 to 300", "by how many seconds clocks may differ"),
        .init(
            "server_keys", "[TEXT, ...]",
            "keys of servers, which may act for anyone and moderate (Authorization: Bearer KEY)"),
        .init("origins", "[ORIGIN, ...]", "from which pages may connect, besides the broker's own; \"*\": any"),
        .init(
            "trusted_proxies", "[ADDR, ...]",
            "proxies that may say whose requests they pass on: addresses, networks such as 10.0.0.0/8, or unix"),
        .init("metrics", "anyone, loopback, server_key", "who may read /metrics"),
    ]

    private static let drain = [
        SettingHelp("drain.notice_ms", "milliseconds", "at the end: how long /readyz says no before anything ends"),
        .init("drain.within_ms", "milliseconds", "how long connections have to get their answers and to end"),
        .init("drain.spread_ms", "milliseconds", "over how long a time they are told to come back"),
    ]

    private static let namespaces: [SettingHelp] = {
        let place = "namespaces.NAMESPACE."
        let own = [
            SettingHelp(
                place + "policy", "distinct, unique, multiple, ephemeral",
                "what a user may have on one message: each reaction once; one at most; any, counted; nothing is kept"),
            .init(place + "reactions.kind", "emoji, named, any", "what a reaction is"),
            .init(place + "reactions.allowed", "[TEXT, ...]", "the only reactions there are; all where it is left out"),
            .init(
                place + "reactions.fold_skin_tones", "true, false", "whether emoji of all skin tones count as one"),
            .init(place + "max_kinds_per_message", "1 to 10000", "different reactions on one message"),
            .init(place + "max_per_user_and_message", "1 to 10000", "reactions of one user on one message"),
            .init(place + "anonymous", "true, false", "whether nobody is named"),
            .init(place + "summary_interval_ms", "1 to 60000", "how often summaries come, in milliseconds"),
            .init(place + "history.events", "0 to 1000000", "how many events are kept for those who resume"),
            .init(place + "history.seconds", "0 to 86400", "for how long"),
            .init(
                place + "durability", "memory, committed, synced",
                "when a change is told: at once, when it outlives the process, when it outlives a power cut"),
            .init(place + "expire_days", "1 to 36500", "after how many days without a change a channel is let go"),
        ]
        let rates = ["user", "connection", "address", "channel"].flatMap { bucket in
            [
                SettingHelp(
                    place + "rate.\(bucket).per_second", "0.001 to 1000000",
                    "how many changes a second, by \(bucket); \"\(bucket)\": null is no limit"),
                .init(place + "rate.\(bucket).burst", "1 to 1000000", "how many at once after a rest"),
            ]
        }
        let webhook =
            endpoint(place + "webhook", "gets the namespace's changes") + [
                .init(place + "webhook.batch", "1 to 1000", "how many events one request carries at most"),
                .init(place + "webhook.interval_ms", "0 to 3600000", "how long events are gathered for one request"),
                .init(place + "webhook.max_retry_ms", "500 to 3600000", "the longest wait before it is tried again"),
                .init(
                    place + "webhook.max_pending", "1 to 1000000000", "how many events may wait before the oldest go"),
            ]
        return own + rates + webhook + hook(place + "hooks.subscribe", "is asked before someone subscribes")
            + hook(place + "hooks.react", "is asked before someone reacts")
    }()

    private static func hook(_ path: String, _ does: String) -> [SettingHelp] {
        endpoint(path, does) + [
            .init(path + ".when_down", "allow, deny", "what holds while there is no usable answer; deny by default"),
            .init(path + ".cache_ms_max", "0 to 86400000", "for how long an answer may hold at most"),
        ]
    }

    private static func endpoint(_ path: String, _ does: String) -> [SettingHelp] {
        [
            SettingHelp(path + ".url", "URL", "the server that \(does)"),
            .init(path + ".secret", "TEXT", "what signs the requests; one of secret, secret_file and secret_env"),
            .init(path + ".secret_file", "FILE", "the file that has the secret"),
            .init(path + ".secret_env", "NAME", "the environment variable that has the secret"),
            .init(path + ".timeout_ms", "10 to 300000", "how long an answer may take"),
            .init(path + ".ca_file", "FILE", "the authorities that vouch for the server"),
        ]
    }
}
