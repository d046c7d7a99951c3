import Foundation
import Testing

/// permessage-deflate, with clients that others wrote.
@Suite struct CompressionTests {
    @Test("Python's websockets: what is compressed, and what is not", arguments: ["on", "above:300", "off"])
    func python(mode: String) async throws {
        try await BrokerProcess.run(["--compression", mode, "--loops", "2"]) {
            try await runClient("compression.py", $0.url, mode)
        }
    }

    @Test("Node's ws, through a whole scenario", arguments: ["on", "above:300"])
    func node(mode: String) async throws {
        try await BrokerProcess.run(["--compression", mode, "--loops", "2"]) {
            try await runClient("compression.js", $0.url)
        }
    }

    @Test("a client's context and windows, by the settings file")
    func settings() async throws {
        try await Places.withFolder { folder in
            let file = folder.appending(path: "settings.json")
            let settings = """
                {"listen": [{"address": "127.0.0.1:0",
                             "compression": {"mode": "on", "context_takeover": true, "window_bits": 10}}],
                 "limits": {"heartbeat_ms": 300, "message_bytes": 4096}}
                """
            try Data(settings.utf8).write(to: file)
            let words = ["--dev", "--config", file.path(), "--data", folder.appending(path: "data").path()]
            try await BrokerProcess.run(only: words) { try await runClient("deflate_frames.py", $0.url) }
        }
    }

    @Test("fanfare watch --compression hears the same")
    func watch() async throws {
        try await BrokerProcess.run(["--compression", "on"]) { broker in
            let words = ["--url", broker.url, "--user", "ada"]
            let watch = try Program(Places.fanfare, ["watch", "chat:c", "--compression", "--json"] + words)
            _ = try await watch.wait { $0.output.contains("subscribed") ? true : nil }
            let react = await (try Program(Places.fanfare, ["react", "chat:c", "m", "👍", "--compression"] + words))
                .end()
            #expect(react.status == 0, "\(react.record.errors)")
            _ = try await watch.wait { $0.output.contains(#""type":"added""#) ? true : nil }
            watch.send(SIGTERM)
            _ = await watch.end()
        }
    }
}
