import Foundation
import Testing

/// Faults that systems in this field were reported for, each with the right answer, seen from outside.
@Suite struct FieldTests {
    @Test("reported faults of delivery and recovery", arguments: ["sqlite", "memory"])
    func delivery(store: String) async throws {
        try await BrokerProcess.run(["--store", store]) { try await runClient("reported_delivery.py", $0.url) }
    }

    @Test("reported faults of reactions", arguments: ["sqlite", "memory"])
    func reactions(store: String) async throws {
        try await BrokerProcess.run(["--store", store]) { try await runClient("reported_reactions.py", $0.url) }
    }

    @Test("reported faults in the life of connections")
    func life() async throws {
        try await Places.withFolder { folder in
            let settings = folder.appending(path: "settings.json")
            try Data(#"{"limits": {"heartbeat_ms": 1000}}"#.utf8).write(to: settings)
            try await BrokerProcess.run(["--config", settings.path()], in: folder) { broker in
                let database = folder.appending(path: "fanfare.db").path()
                try await runClient("reported_life.py", broker.url, String(broker.program.processID), database)
            }
        }
    }

    @Test("reported faults of starting and ending")
    func processes() async throws {
        try await Places.withFolder { try await runClient("reported_processes.py", Places.fanfare, $0.path()) }
    }
}
