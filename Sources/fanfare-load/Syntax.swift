import CommandOptions
import LoadGenerator
import Wire

/// What the command understands.
let syntax = CommandSyntax(
    name: "fanfare-load",
    summary: "Puts load on a Fanfare broker and says what it delivered, how late, and whether anything was lost.",
    operands: [
        .init("URL", "the broker, ws://127.0.0.1:8080 (path /v1/ws unless the URL has one)"),
        .init(
            "SCENARIO",
            "fanout (default): subscribers receive what publishers publish; react: as people do it; idle: connections do "
                + "nothing; churn: subscribers come and go; storm: all reconnect at once; resume: connections break and "
                + "resume; slow: some stop to read; soak: all of it for long; raw: any WebSocket server, by templates",
            isRequired: false,
            takes: .choice(["fanout", "react", "idle", "churn", "storm", "resume", "slow", "soak", "raw"])),
    ],
    options: [
        .value("subscribers", "N", "connections that subscribe", default: "100"),
        .value("publishers", "N", "connections that publish", default: "10"),
        .value("rate", "R", "reactions a second, all publishers together, open loop", default: "100"),
        .value("for", "D", "how long to publish, or to hold idle connections; at most 24h", default: "10s"),
        .value(
            "schedule", "KIND", "constant: at equal distances; poisson: as many independent people",
            default: "constant", takes: .choice(["constant", "poisson"])),
        .value(
            "profile", "STAGES",
            "instead of --rate and --for: 100@5s steady, 100-1000@10s a ramp, +500 a burst, 0@2s a pause; commas between"
        ),
        .value("closed", "N", "closed loop: N requests always under way, the next when one is answered"),
        .value("messages", "M", "react, soak: messages in a channel", default: "100"),
        .value(
            "zipf", "S", "react, soak: how much more popular the first channel, message and reaction are; 0: equally",
            default: "1"),
        .value("mix", "A:R:T", "react, soak: weights of add, remove and toggle", default: "50:20:30"),
        .value("churn-rate", "R", "churn, soak: subscribers that leave and come back a second", default: "10"),
        .value("away", "D", "churn, resume, soak: how long they are away", default: "500ms"),
        .value("storms", "N", "storm: how many", default: "1"),
        .value("slow-percent", "P", "slow: how many of 100 subscribers stop to read", default: "10"),
        .value("connections", "N", "idle: how many", default: "1000"),
        .flag("subscribe", "idle: each connection subscribes"),
        .value(
            "raw-publish", "TEXT",
            "raw: what is published, with {marker} in it, which is 24 bytes; also {n}, {channel}, {user}, and {hex:0d0a} for any bytes"
        ), .repeated("raw-subscribe", "TEXT", "raw: what a subscriber sends first"),
        .repeated("raw-open", "TEXT", "raw: what every connection sends before that, publishers too"),
        .flag("raw-binary", "raw: send binary messages instead of texts"),
        .value("raw-protocol", "NAME", "raw: the subprotocol to ask for"),
        .repeated("fault", "FAULT", "what goes wrong on purpose: " + Fault.forms),
        .value("drain", "D", "how long the last events may take", default: "5s"),
        .value("channel", "NAME", "the channel", default: "chat:load"),
        .value("channels", "C", "spread over so many channels, NAME-1, NAME-2, …", default: "1"),
        .value(
            "mode", "MODE", "fanout, react: what subscribers ask for, events or summary", default: "events",
            takes: .choice(["events", "summary"])),
        .value("reactions", "LIST", "what is added and removed: 👍 by default, several in react and soak"),
        .value("user", "PREFIX", "users are PREFIX-sub-1, PREFIX-pub-1, … (a broker in --dev)", default: "load"),
        .value("token", "T", "all connections are the user of this token instead", environment: true),
        .value("unix", "PATH", "connect to this Unix socket instead of the URL's host", takes: .file),
        .flag("compression", "offer to compress messages (permessage-deflate)"),
        .repeated(
            "source", "ADDR",
            "connect from this address of the machine; several are used in turn, 28,000 connections each"),
        .flag("insecure", "TLS: trust any certificate"),
        .value("ca", "FILE", "TLS: trust the certificates in this file"),
        .flag("allow-remote", "let the URL be another machine; only with its owner's consent"),
        .value("connecting", "N", "how many connections may be on their way at once", default: "256"),
        .value("connect-timeout", "D", "how long a connection may take to be ready", default: "10s"),
        .value("loops", "N", "threads that receive; one more publishes", default: "1"),
        .value("server-pid", "PID", "report this process's memory and processor time"),
        .value(
            "metrics", "URL", "read queued bytes from these metrics each second, as in http://127.0.0.1:8080/metrics"),
        .value("seed", "N", "where all that is random begins (default: another one each time)"),
        .repeated("fail-if", "EXPR", "exit with 1 where this holds, such as p99>50ms; names are those of --json"),
        .repeated(
            "worker", "ADDR",
            "let this worker do it, and the others with it, each all of it; each is named once; see fanfare-load worker --help"
        ),
        .value(
            "find-limit", "WHAT",
            "raise the rate or the connections until a --fail-if breaks (p99>100ms if there is none)",
            takes: .choice(["rate", "connections"])),
        .flag("json", "print one JSON object instead of the table"),
        .value("save", "FILE", "write the JSON object there as well, for compare"),
        .value("csv", "FILE", "write the seconds of the run there, or the steps of --find-limit"),
        .value("junit", "FILE", "write the verdicts there, as CI systems read them"),
        .value("html", "FILE", "write a page with plots there, one file"),
        .flag("progress", "a row a second on standard error; a terminal has a live view without it"),
        .flag("quiet", "nothing on standard error but errors"),
    ],
    examples: [
        .init("fanfare-load ws://127.0.0.1:8080", "100 subscribers, 100 reactions a second, for 10 seconds"),
        .init(
            "fanfare-load ws://127.0.0.1:8080 --subscribers 1k --rate 100 --for 1m --fail-if 'p99>50ms'",
            "100,000 deliveries a second, and a bound that must hold"),
        .init(
            "fanfare-load ws://127.0.0.1:8080 react --channels 50 --profile '50@5s,50-500@20s,+1000,50@5s' --html run.html",
            "popular channels and emoji, a ramp and a burst, and a page to look at"),
        .init(
            "fanfare-load ws://127.0.0.1:8080 storm --subscribers 5k --server-pid 4242 --fail-if 'p99>2s'",
            "everyone reconnects at once, and must be back within two seconds"),
        .init(
            "fanfare-load ws://127.0.0.1:8080 idle --connections 10k --subscribe --server-pid 4242",
            "what an idle subscriber costs the broker"),
        .init(
            "fanfare-load ws://127.0.0.1:8080 --find-limit rate --subscribers 1k --for 5s",
            "how much it can take"),
        .init(
            "fanfare-load ws://127.0.0.1:9000/chat raw --raw-subscribe '{\"join\":\"{channel}\"}' --raw-publish '{\"say\":\"{marker}\"}'",
            "another server: who joined must get each marker once"),
        .init(
            "fanfare-load compare before.json after.json --fail-if 'p99>+10%'",
            "whether it got slower"),
    ],
    exits: [
        .init(
            0, "All was well: nothing was lost, nothing went wrong, no bound of --fail-if broke; or a limit was found."),
        .init(1, "Something was lost or went wrong, a bound broke, a worker was lost, or no limit was found."),
        .init(
            2,
            "It could not run, as a line on standard error says, or was interrupted by Ctrl-C, SIGINT or SIGTERM: then the "
                + "report has what was found by then, and says so."),
        .init(130, "It was interrupted for the second time, and ended at once, without a report."),
    ], version: "fanfare-load \(ReleaseVersion.current)")

/// The whole program, for its manual and for shells.
let program = Program(
    name: "fanfare-load", summary: syntax.summary, version: ReleaseVersion.current, date: ReleaseVersion.date,
    root: syntax,
    commands: [compareSyntax, workerSyntax, Program.completionSyntax(of: "fanfare-load")])

/// What `fanfare-load compare` understands.
let compareSyntax = CommandSyntax(
    name: "fanfare-load compare",
    summary: "Puts two reports beside each other.",
    operands: [
        .init("BEFORE", "the first report, as --save wrote it", takes: .file),
        .init("AFTER", "the second one", takes: .file),
    ],
    options: [
        .repeated("fail-if", "EXPR", "exit with 1 where this holds: a change, p99>+10%, or the second report's lost>0")
    ],
    examples: [
        .init("fanfare-load compare before.json after.json --fail-if 'p99>+10%' --fail-if 'lost>0'", "for CI")
    ])

/// What `fanfare-load worker` understands.
let workerSyntax = CommandSyntax(
    name: "fanfare-load worker",
    summary: "Waits for a coordinator (fanfare-load URL --worker HOST:PORT) and does what it asks for; Ctrl-C ends it.",
    options: [
        .value(
            "listen", "ADDR", "where coordinators come; whoever can reach it can have load made",
            default: "127.0.0.1:9199"),
        .flag("allow-remote", "let the load go to other machines; only with their owners' consent"),
    ],
    examples: [
        .init("fanfare-load worker --listen 10.0.0.5:9199 --allow-remote", "on each machine that makes load"),
        .init(
            "fanfare-load ws://10.0.0.2:8080 --allow-remote --worker 10.0.0.5:9199 --worker 10.0.0.6:9199 --subscribers 10k",
            "on any machine: 20,000 subscribers"),
    ])
