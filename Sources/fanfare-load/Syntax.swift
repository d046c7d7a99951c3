import CommandOptions

/// What the command understands.
let syntax = CommandSyntax(
    name: "fanfare-load",
    summary: "Puts load on a Fanfare broker and says what it delivered, how late, and whether anything was lost.",
    operands: [
        .init("URL", "the broker, ws://127.0.0.1:8080 (path /v1/ws unless the URL has one)"),
        .init(
            "SCENARIO",
            "fanout (default): subscribers receive what publishers publish at a fixed rate; idle: connections do nothing",
            isRequired: false),
    ],
    options: [
        .value("subscribers", "N", "fanout: connections that subscribe", default: "100"),
        .value("publishers", "N", "fanout: connections that publish", default: "10"),
        .value("rate", "R", "fanout: reactions a second, all publishers together, open loop", default: "100"),
        .flag("poisson", "fanout: reactions come at random instead of at equal distances"),
        .value("connections", "N", "idle: how many", default: "1000"),
        .flag("subscribe", "idle: each connection subscribes"),
        .value("for", "D", "how long to publish, or to hold idle connections; at most 1h", default: "10s"),
        .value("drain", "D", "how long the last events may take", default: "5s"),
        .value("channel", "NAME", "the channel", default: "chat:load"),
        .value("channels", "C", "spread over so many channels, NAME-1, NAME-2, …", default: "1"),
        .value("reaction", "R", "what is added and removed", default: "👍"),
        .value("user", "PREFIX", "users are PREFIX-sub-1, PREFIX-pub-1, … (a broker in --dev)", default: "load"),
        .value("token", "T", "all connections are the user of this token instead", environment: true),
        .value("unix", "PATH", "connect to this Unix socket instead of the URL's host"),
        .flag("compression", "offer to compress messages (permessage-deflate)"),
        .flag("insecure", "TLS: trust any certificate"),
        .value("ca", "FILE", "TLS: trust the certificates in this file"),
        .flag("allow-remote", "let the URL be another machine; only with its owner's consent"),
        .value("connecting", "N", "how many connections may be on their way at once", default: "256"),
        .value("connect-timeout", "D", "how long a connection may take to be ready", default: "10s"),
        .value("loops", "N", "threads that receive; one more publishes", default: "1"),
        .value("server-pid", "PID", "report this process's memory and processor time"),
        .value("seed", "N", "where all that is random begins (default: another one each time)"),
        .repeated("fail-if", "EXPR", "exit with 1 where this holds, such as p99>50ms; names are those of --json"),
        .flag("json", "print one JSON object instead of the table"),
        .flag("progress", "a row a second on standard error, also where that is no terminal"),
    ],
    examples: [
        .init("fanfare-load ws://127.0.0.1:8080", "100 subscribers, 100 reactions a second, for 10 seconds"),
        .init(
            "fanfare-load ws://127.0.0.1:8080 --subscribers 1k --rate 100 --for 1m --fail-if 'p99>50ms'",
            "100,000 deliveries a second, and a bound that must hold"),
        .init(
            "fanfare-load ws://127.0.0.1:8080 idle --connections 10k --subscribe --server-pid 4242",
            "what an idle subscriber costs the broker"),
    ],
    version: "fanfare-load 0.1.0")
