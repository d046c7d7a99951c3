import Foundation
import Testing

/// The command's words, exit codes and output (the settings page's contract).
@Suite struct CommandTests {
    private func fanfare(_ words: [String], environment: [String: String] = [:]) async throws -> (
        status: Int32, record: Program.Record
    ) {
        await (try Program(Places.fanfare, words, environment: environment)).end()
    }

    @Test(
        "wrong words end with 2 and one line that says which",
        arguments: [
            (["nonsense"], "nonsense"),
            (["serve", "--nonsense"], "--nonsense"),
            (["serve", "--dev", "--store", "paper"], "paper"),
            (["serve", "--dev", "--listen", "nowhere"], "nowhere"),
            (["serve", "--dev", "--listen", "127.0.0.1:65536"], "65536"),
            (["serve", "--dev", "--listen"], "--listen"),
            (["serve", "--dev", "--config", "/dev/null/settings.json"], "/dev/null/settings.json"),
            (["react", "chat:1"], "MESSAGE"),
            (["watch"], "CHANNEL"),
            (["watch", "chat:1", "--mode", "loud"], "loud"),
            (["token", "--sub", "ada"], "--secret"),
        ])
    func wrongWords(words: [String], named: String) async throws {
        let (status, record) = try await fanfare(words)
        #expect(status == 2)
        #expect(record.output.isEmpty)
        #expect(record.errors.contains(named), "\(record.errors)")
        #expect(record.errors.split(separator: "\n").count == 1, "\(record.errors)")
    }

    @Test(
        "help and version end with 0",
        arguments: [["--help"], ["--version"], ["serve", "--help"], ["watch", "--help"]])
    func help(words: [String]) async throws {
        let (status, record) = try await fanfare(words)
        #expect(status == 0)
        #expect(!record.output.isEmpty)
        #expect(record.errors.isEmpty, "\(record.errors)")
    }

    @Test("serve does not start without --dev and without a token secret, and says what to set")
    func noSecret() async throws {
        let (status, record) = try await fanfare(["serve", "--listen", "127.0.0.1:0", "--store", "memory"])
        #expect(status == 2)
        #expect(record.errors.contains("--token-secret"), "\(record.errors)")
        #expect(record.errors.contains("--dev"), "\(record.errors)")
    }

    @Test("development mode listens on loopback addresses only", arguments: ["0.0.0.0:0", "[::]:0", ":0"])
    func loopbackOnly(address: String) async throws {
        let (status, record) = try await fanfare(["serve", "--dev", "--store", "memory", "--listen", address])
        #expect(status == 2, "\(record.errors)")
    }

    @Test(
        "unknown names in the settings stop the start",
        arguments: [
            #"{"lisen": []}"#, #"{"namespaces": {"chat": {"polcy": "unique"}}}"#, #"{"store": {"kind": "paper"}}"#, "{",
        ])
    func wrongSettings(text: String) async throws {
        try await Places.withFolder { folder in
            let file = folder.appending(path: "settings.json")
            try Data(text.utf8).write(to: file)
            for words in [["check", "--config", file.path()], ["serve", "--dev", "--config", file.path()]] {
                let (status, record) = try await fanfare(words)
                #expect(status == 2, "\(words): \(record.errors)")
                #expect(record.errors.split(separator: "\n").count == 1, "\(record.errors)")
            }
        }
    }

    @Test("a port that is taken ends with 1")
    func portTaken() async throws {
        try await BrokerProcess.run { broker in
            let address = try #require(broker.url.split(separator: "/").dropFirst().first)
            try await Places.withFolder { folder in
                let words = ["serve", "--dev", "--listen", String(address), "--data", folder.path()]
                let (status, record) = try await fanfare(words)
                #expect(status == 1, "\(record.errors)")
            }
        }
    }

    @Test("a broker that lets nobody in now: what commands say, when to come back, exit codes")
    func unavailable() async throws {
        try await Places.withFolder { try await runClient("unavailable.py", $0.path()) }
    }

    @Test("settings come from the environment where no option says otherwise")
    func environment() async throws {
        try await Places.withFolder { folder in
            let data = folder.appending(path: "data")
            let broker = try Program(
                Places.fanfare, ["serve", "--dev"],
                environment: ["FANFARE_LISTEN": "127.0.0.1:0", "FANFARE_DATA": data.path()])
            defer { broker.send(SIGKILL) }
            _ = try await broker.wait { $0.errors.contains("listening on ws://127.0.0.1:") ? true : nil }
            #expect(FileManager.default.fileExists(atPath: data.appending(path: "fanfare.db").path()))
            broker.send(SIGINT)
            let (status, record) = await broker.end()
            #expect(status == 0, "\(record.errors)")
        }
    }

    @Test("react, seen by watch --json")
    func reactAndWatch() async throws {
        try await BrokerProcess.run { broker in
            let watch = try Program(
                Places.fanfare, ["watch", "chat:42", "--url", broker.url, "--user", "bob", "--json"])
            defer { watch.send(SIGKILL) }
            func line(of type: String) async throws -> [String: Any] {
                let text = try await watch.wait { record in
                    record.output.split(separator: "\n").first { $0.contains("\"type\":\"\(type)\"") }.map {
                        String($0)
                    }
                }
                return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            }
            #expect(try await line(of: "subscribed")["channel"] as? String == "chat:42")

            let words = ["react", "chat:42", "m1", "👍", "--url", broker.url, "--user", "ada"]
            let (status, record) = try await fanfare(words)
            #expect(status == 0, "\(record.errors)")
            let added = try await line(of: "added")
            #expect(added["user"] as? String == "ada")
            #expect(added["reaction"] as? String == "👍")
            #expect(added["count"] as? Int == 1)

            #expect(try await fanfare(words + ["--toggle"]).status == 0)
            #expect(try await line(of: "removed")["count"] as? Int == 0)

            let refused = try await fanfare(["react", "chat:42", "m1", "thumbs", "--url", broker.url, "--user", "ada"])
            #expect(refused.status == 1)
            #expect(refused.record.errors.contains("invalid_reaction"), "\(refused.record.errors)")
        }
    }

    @Test("react ends with 1 where no broker is")
    func noBroker() async throws {
        let (status, record) = try await fanfare(["react", "chat:42", "m1", "👍", "--url", "ws://127.0.0.1:1/v1/ws"])
        #expect(status == 1, "\(record.errors)")
        #expect(!record.errors.isEmpty)
    }
}
