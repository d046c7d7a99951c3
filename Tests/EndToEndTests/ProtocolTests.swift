import Foundation
import Testing

/// The wire contract, seen by clients that others wrote.
@Suite struct ProtocolTests {
    @Test("a first conversation", arguments: ["scenario.py", "node.js", "chromium.py"])
    func conversation(client: String) async throws {
        try await BrokerProcess.run { try await runClient(client, $0.url) }
    }

    @Test("sections 3 to 6: modes, resuming, policies", arguments: ["sqlite", "memory"])
    func modes(store: String) async throws {
        try await BrokerProcess.run(["--store", store]) { try await runClient("modes.py", $0.url) }
    }

    @Test("sections 2, 3 and 8: what is refused, and how")
    func badInput() async throws {
        try await BrokerProcess.run { try await runClient("bad_input.py", $0.url) }
    }

    @Test("sections 2 and 8: frames and upgrades that no client should send")
    func badFrames() async throws {
        try await BrokerProcess.run { try await runClient("bad_frames.py", $0.url) }
    }

    @Test("section 9: slow readers")
    func slowReaders() async throws {
        try await BrokerProcess.run { try await runClient("slow.py", $0.url, String($0.program.processID)) }
    }

    @Test("sections 3, 5 and 9: much at once")
    func pressure() async throws {
        try await BrokerProcess.run(["--loops", "1"]) { try await runClient("pressure.py", $0.url) }
    }

    @Test("the documents for machines tell of everything that is said, and it is as they tell")
    func contracts() async throws {
        try await Places.withFolder { folder in
            let (file, key) = (folder.appending(path: "settings.json"), "a-server-key-of-more-than-16-bytes")
            try Data(#"{"server_keys": ["\#(key)"]}"#.utf8).write(to: file)
            try await BrokerProcess.run(["--loops", "2", "--config", file.path()]) {
                try await runClient("contracts.py", $0.url, key)
            }
        }
    }

    @Test("section 10: HTTP")
    func http() async throws {
        try await BrokerProcess.run { try await runClient("http_api.py", $0.url) }
    }

    @Test("sections 3 to 8: a run by chance, beside a plain model of the contract", arguments: ["sqlite", "memory"])
    func model(store: String) async throws {
        try await BrokerProcess.run(["--store", store]) { try await runClient("model.py", $0.url) }
    }

    @Test("section 3: a subscriber misses nothing, however many clients are reacting", arguments: ["sqlite", "memory"])
    func concurrency(store: String) async throws {
        try await BrokerProcess.run(["--store", store]) { try await runClient("concurrency.py", $0.url) }
    }
}
