import Foundation
import Testing

/// Everything has a bound: gone past from outside, and under attack.
@Suite(.serialized) struct BoundsTests {
    private func run(_ part: String, _ limits: String, _ words: [String] = ["--dev"]) async throws {
        try await Places.withFolder { folder in
            let file = folder.appending(path: "settings.json")
            try Data(#"{"limits": \#(limits)}"#.utf8).write(to: file)
            let words =
                words + [
                    "--config", file.path(), "--listen", "127.0.0.1:0", "--data", folder.appending(path: "data").path(),
                    "--loops", "1",
                ]
            try await BrokerProcess.run(only: words) { try await runClient("bounds.py", $0.url, limits, part) }
        }
    }

    @Test("bounds of time: handshake, rest, silence, close")
    func times() async throws {
        let limits = #"{"handshake_ms": 600, "idle_ms": 500, "heartbeat_ms": 300, "silence_ms": 400, "close_ms": 500}"#
        try await run("times", limits)
    }

    @Test("bounds of size and number: heads, messages, fragments, control frames, requests, connections")
    func counts() async throws {
        let limits = """
            {"header_bytes": 4096, "message_bytes": 4096, "fragments_per_message": 20, "control_frames_per_second": 50,
             "malformed_messages": 3, "subscriptions": 3, "channels": 40, "unanswered_requests": 300,
             "waiting_requests": 200, "connections_per_address": 12, "http_connections": 30}
            """
        try await run("counts", limits)
    }

    @Test("bounds of what waits for a reader")
    func readers() async throws {
        try await run("readers", #"{"outbound_bytes": 65536, "stall_ms": 1500, "drain_ms": 500}"#)
    }

    @Test("the bound of time to say who one is")
    func identify() async throws {
        try await run("identify", #"{"identify_ms": 300}"#, ["--token-secret", "a secret that is long enough"])
    }

    @Test("attacks, beside a connection that behaves")
    func attacks() async throws {
        try await BrokerProcess.run(["--loops", "1"]) {
            try await runClient("attacks.py", $0.url, String($0.program.processID))
        }
    }

    @Test("memory that is short, in a control group too; open files; bounds that are huge")
    func memory() async throws {
        try await Places.withFolder { try await runClient("memory.py", $0.path()) }
    }

    @Test("a broker that may open few files")
    func descriptors() async throws {
        try await Places.withFolder { folder in
            let command = "ulimit -n 100; exec \"$0\" \"$@\""
            let words = ["serve", "--dev", "--listen", "127.0.0.1:0", "--data", folder.path(), "--loops", "2"]
            let program = try Program("/bin/bash", ["-c", command, Places.fanfare] + words)
            defer { program.send(SIGKILL) }
            let url = try await program.wait { record in
                record.errors.firstRange(of: "listening on ").flatMap { range in
                    record.errors[range.upperBound...].firstIndex(of: "\n").map {
                        String(record.errors[range.upperBound..<$0])
                    }
                }
            }
            try await runClient("descriptors.py", url, String(program.processID), "100")
            program.send(SIGTERM)
            program.endByForce(after: 30)
            let (status, record) = await program.end()
            #expect(status == 0, "\(record.errors)")
        }
    }
}
