import Foundation
import Testing

/// What a restart keeps: the epoch, seq, every acked change, and the answers to retries.
@Suite struct RestartTests {
    @Test("after SIGTERM all is there", arguments: ["memory", "committed", "synced"])
    func terminated(durability: String) async throws {
        try await restart(by: "term", status: 0, durability) { try await runClient("restart.py", "verify", $0, $1) }
    }

    @Test("after kill -9 in the middle of writes every acked change is there", arguments: ["committed", "synced"])
    func killed(durability: String) async throws {
        try await restart(by: "kill", status: -SIGKILL, durability) {
            try await runClient("restart.py", "verify", $0, $1)
        }
    }

    @Test("after kill -9 with durability memory a whole state of shortly before is there, in a new epoch")
    func killedInMemory() async throws {
        try await restart(by: "kill", status: -SIGKILL, "memory") {
            try await runClient("durability.py", "lossy", $0, $1)
        }
    }

    @Test("with durability memory nobody waits for a store that takes nothing, and it gets all of it afterwards")
    func locked() async throws {
        try await Places.withFolder { folder in
            let words = try settings("memory", in: folder)
            let data = folder.appending(path: "data")
            try await BrokerProcess.run(words, in: data) {
                try await runClient("durability.py", "locked", $0.url, data.appending(path: "fanfare.db").path())
            }
        }
    }

    @Test("SIGTERM in a storm: what took effect was acked, what was not acked took none")
    func drained() async throws {
        try await Places.withFolder { folder in
            let sent = folder.appending(path: "sent.json").path()
            let data = folder.appending(path: "data")
            let first = try await BrokerProcess.start(
                ["--dev", "--loops", "2", "--listen", "127.0.0.1:0", "--data", data.path()])
            defer { first.program.send(SIGKILL) }
            try await runClient("drain.py", "storm", first.url, sent, String(first.program.processID))
            first.program.endByForce(after: 60)
            let (status, record) = await first.program.end()
            #expect(status == 0, "\(record.errors)")
            try await BrokerProcess.run(in: data) { try await runClient("drain.py", "verify", $0.url, sent) }
        }
    }

    @Test(
        "racing requests with one key take effect once, and are known after a restart", arguments: [SIGTERM, SIGKILL])
    func keys(signal: Int32) async throws {
        try await Places.withFolder { folder in
            let kept = folder.appending(path: "kept.json").path()
            let data = folder.appending(path: "data")
            let words = ["--dev", "--loops", "2", "--listen", "127.0.0.1:0", "--data", data.path()]
            let first = try await BrokerProcess.start(words)
            defer { first.program.send(SIGKILL) }
            try await runClient("keys.py", "race", first.url, kept)
            first.program.send(signal)
            first.program.endByForce(after: 30)
            _ = await first.program.end()
            try await BrokerProcess.run(in: data) { try await runClient("keys.py", "again", $0.url, kept) }
        }
    }

    /// The words for a broker whose namespace `chat` has a durability.
    private func settings(_ durability: String, in folder: URL) throws -> [String] {
        let file = folder.appending(path: "settings.json")
        try Data("{\"namespaces\": {\"chat\": {\"durability\": \"\(durability)\"}}}".utf8).write(to: file)
        return ["--config", file.path()]
    }

    private func restart(
        by how: String, status expected: Int32, _ durability: String,
        verify: (_ url: String, _ acked: String) async throws -> Void
    ) async throws {
        try await Places.withFolder { folder in
            let acked = folder.appending(path: "acked.json").path()
            let data = folder.appending(path: "data")
            let settings = try settings(durability, in: folder)
            let first = try await BrokerProcess.start(
                ["--dev", "--listen", "127.0.0.1:0", "--data", data.path()] + settings)
            defer { first.program.send(SIGKILL) }
            try await runClient("restart.py", "write", first.url, acked, how, String(first.program.processID))
            first.program.endByForce(after: 30)
            let (status, record) = await first.program.end()
            #expect(status == expected, "\(record.errors)")
            try await BrokerProcess.run(settings, in: data) { try await verify($0.url, acked) }
        }
    }
}
