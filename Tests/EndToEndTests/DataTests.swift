import Foundation
import Testing

/// The store's file: copied, checked, moved, let go, killed and on a disk that fails.
@Suite struct DataTests {
    @Test("backup, check-data, export, import and expiry, beside a broker that runs")
    func care() async throws {
        try await Places.withFolder { try await runClient("datacare.py", $0.path()) }
    }

    @Test("commands on the store that are ended, limited or given what is no file: words, and nothing half done")
    func ends() async throws {
        try await Places.withFolder { try await runClient("ends.py", $0.path()) }
    }

    @Test("what stands in the place of the store's file, is cut short or read only, and output that goes nowhere")
    func files() async throws {
        try await Places.withFolder { try await runClient("storefiles.py", $0.path()) }
    }

    @Test("reactions of Slack, Discord, Zulip and Mattermost come into channels, once, as the namespace allows")
    func imports() async throws {
        try await Places.withFolder { try await runClient("imports.py", $0.path()) }
    }

    @Test("kill -9 in a storm of writes: nothing that was acked is lost or there twice (scripts/crash does 200 rounds)")
    func crash() async throws {
        try await Places.withFolder { try await runClient("crash.py", $0.path(), "3") }
    }

    @Test("a broker is restarted under its connections, and all come back (scripts/measure restart takes 10,000)")
    func comeback() async throws {
        try await Places.withFolder { try await runClient("comeback.py", $0.path(), "500") }
    }

    @Test("a new binary takes a broker's place under load, and nobody is refused (scripts/measure update takes 10,000)")
    func handover() async throws {
        try await Places.withFolder { try await runClient("handover.py", $0.path(), "300") }
    }

    @Test("channels that nobody uses leave memory and come back (scripts/measure channels has 1,000,000 of them)")
    func manyChannels() async throws {
        try await Places.withFolder { try await runClient("many_channels.py", $0.path(), "10000", "200") }
    }

    @Test("a clock that is wrong, on one machine and in a cluster: nothing is let go of early, and keys are known")
    func clocks() async throws {
        try await Places.withFolder { try await runClient("clocks.py", $0.path()) }
    }

    @Test("a disk that is full or fails: no wrong ack, and all goes on when it recovers")
    func faults() async throws {
        try await Places.withFolder { try await runClient("faults.py", $0.path()) }
    }
}
