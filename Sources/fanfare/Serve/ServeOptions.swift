import CommandOptions

/// The options of `fanfare serve`, which `fanfare check` understands as well.
enum ServeOptions {
    static let all: [CommandSyntax.Option] = [
        .value(
            "config", "FILE",
            "the settings file, JSON: listen, data, store, nats, tokens, server_keys, origins, trusted_proxies, metrics, limits, drain, hooks, namespaces; options and variables win over it",
            environment: true),
        .repeated(
            "listen", "ADDR", "where to serve: HOST:PORT, [V6]:PORT, :PORT or unix:PATH; port 0 takes a free one",
            environment: true),
        .repeated("tls-listen", "ADDR", "where to serve over TLS", environment: true),
        .value("tls-cert", "FILE", "the certificate chain for --tls-listen, PEM", environment: true),
        .value("tls-key", "FILE", "its private key, PEM", environment: true),
        .value(
            "compression", "MODE",
            "which messages are compressed (permessage-deflate): off, on, or above:BYTES for longer ones; above is above:1024",
            default: "off", environment: true, takes: .choice(["off", "on", "above:1024"])),
        .repeated(
            "trusted-proxy", "ADDR",
            "a proxy that may say whose requests it passes on: an address, a network such as 10.0.0.0/8, or unix",
            environment: true),
        .value("data", "DIR", "the folder of the store's file, fanfare.db", default: "./data", environment: true),
        .value(
            "store", "KIND", "sqlite, or memory: nothing outlives the process", default: "sqlite", environment: true,
            takes: .choice(["sqlite", "memory"])),
        .value(
            "nats", "URL[,URL]",
            "shares its channels with the other brokers that name these NATS servers, in a log in JetStream",
            environment: true),
        .value("token-secret", "SECRET", "takes tokens signed with it by HS256", environment: true),
        .value(
            "jwks-file", "FILE",
            "takes tokens signed with one of the keys in it, a JWK Set: RS256, ES256, EdDSA, HS256",
            environment: true),
        .flag("dev", "development mode: anyone is who they say they are, by ?user=NAME; loopback addresses only"),
        .repeated("moderator", "NAME", "with --dev: a user who may moderate"),
        .value(
            "drain-notice", "TIME", "at the end: how long /readyz says no before anything ends", default: "0s",
            environment: true),
        .value(
            "drain-within", "TIME", "at the end: how long connections have to get their answers and to end",
            default: "10s", environment: true),
        .value("loops", "N", "how many event loops; as many as processors otherwise", environment: true),
        .value(
            "log", "FORM", "text, or json for machines", default: "text", environment: true,
            takes: .choice(["text", "json"])),
    ]
}
