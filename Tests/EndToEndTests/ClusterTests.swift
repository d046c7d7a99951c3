import Foundation
import Testing

/// Brokers that share their channels by NATS: the contract as on one machine, and what holds however they fail.
@Suite(.serialized) struct ClusterTests {
    /// Runs the body against a broker on a NATS server of its own.
    private func broker(_ body: (BrokerProcess) async throws -> Void) async throws {
        try await Places.withFolder { folder in
            let port = try await freePort()
            let nats = try Program(
                Places.natsServer,
                ["-a", "127.0.0.1", "-p", "\(port)", "-js", "-sd", folder.appending(path: "jetstream").path()],
                lives: 600)
            do {
                try await BrokerProcess.run(["--nats", "nats://127.0.0.1:\(port)"], body)
            } catch {
                nats.send(SIGKILL)
                throw error
            }
            nats.send(SIGKILL)
            _ = await nats.end()
        }
    }

    private func freePort() async throws -> Int {
        let finder = try Program(
            "/usr/bin/python3",
            ["-c", "from nodes import free_port; print(free_port())"],
            environment: ["PYTHONPATH": Places.clients.path()])
        let (_, record) = await finder.end()
        return try #require(Int(record.output.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    @Test(
        "one broker on NATS keeps the contract",
        arguments: ["modes.py", "model.py", "concurrency.py", "http_api.py"])
    func contract(client: String) async throws {
        try await broker { try await runClient(client, $0.url) }
    }

    @Test("the status tells whether NATS can be reached")
    func status() async throws {
        try await runClient("status_nats.py", Places.fanfare)
    }

    @Test("several brokers tell the same, to whomever, and know each other's keys, revocations and people")
    func together() async throws {
        try await runClient("together.py", Places.fanfare)
    }

    @Test(
        "brokers follow NATS: they say when it is gone, never go on in an epoch that is over, and refuse what is not theirs"
    )
    func lives() async throws {
        try await runClient("cluster_lives.py", Places.fanfare)
    }

    @Test(
        "without a majority no broker is ready, and one that begins waits; a stream that may lose something is told")
    func majority() async throws {
        try await runClient("majority.py", Places.fanfare)
    }

    @Test(
        "a snapshot that is older than what its log was relieved of is refused, and what a later version wrote stops a broker"
    )
    func olderState() async throws {
        try await runClient("older_state.py", Places.fanfare)
    }

    @Test("whatever signs are in a name or a password, NATS takes it")
    func names() async throws {
        try await runClient("nats_names.py", Places.fanfare)
    }

    @Test("servers that ask for a certificate, whose disk is full, or that are no cluster are told as what they are")
    func wrongServers() async throws {
        try await Places.withFolder { folder in
            let authority = Authority(folder: folder)
            for name in ["server", "other"] { try await authority.make(name, for: "DNS:localhost") }
            try await authority.make("ca", for: "DNS:ca.example")
            try await authority.make("client", for: "DNS:client.example")
            try await authority.sign("client", by: "ca")
            try await runClient("nats_wrong.py", Places.fanfare, folder.path())
        }
    }

    @Test("a log that is slow and takes little at once: batches fit, what waits is bounded, what is refused stays out")
    func full() async throws {
        try await runClient("full.py", Places.fanfare)
    }

    @Test("a channel can be read although NATS took a snapshot's head and told so too late")
    func snapshots() async throws {
        try await runClient("snapshots.py", Places.fanfare)
    }

    @Test("whatever fails, nothing acked is lost, nothing comes twice, and all brokers end equal")
    func faults() async throws {
        // NATS may need minutes to get well after each.
        try await runClient(
            "cluster_faults.py", Places.fanfare, "2", "kill_broker", "kill_server", "cut_broker", "no_majority",
            lives: 1500)
    }
}
