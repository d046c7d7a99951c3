import Foundation
import Testing

/// What a restart keeps: the epoch, seq, every acked change, and the answers to retries.
@Suite struct RestartTests {
    @Test("after SIGTERM all is there")
    func terminated() async throws {
        try await restart(by: "term", status: 0)
    }

    @Test("after kill -9 in the middle of writes every acked change is there")
    func killed() async throws {
        try await restart(by: "kill", status: -SIGKILL)
    }

    private func restart(by how: String, status expected: Int32) async throws {
        try await Places.withFolder { folder in
            let acked = folder.appending(path: "acked.json").path()
            let data = folder.appending(path: "data")
            let words = ["--dev", "--listen", "127.0.0.1:0", "--data", data.path()]
            let first = try await BrokerProcess.start(words)
            defer { first.program.send(SIGKILL) }
            try await runClient("restart.py", "write", first.url, acked, how, String(first.program.processID))
            first.program.endByForce(after: 30)
            let (status, record) = await first.program.end()
            #expect(status == expected, "\(record.errors)")
            try await BrokerProcess.run(in: data) { try await runClient("restart.py", "verify", $0.url, acked) }
        }
    }
}
