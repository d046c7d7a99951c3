import Foundation
import Testing

/// Webhooks and hooks, with servers that others wrote at the other end.
@Suite struct OutboundTests {
    @Test("webhooks: signed, in order, and nothing is lost")
    func webhooks() async throws {
        try await Places.withFolder { folder in
            let script = Places.repository.appending(path: "scripts/dev-cert").path()
            let made = await (try Program("/bin/bash", [script, folder.path()])).end()
            try #require(made.status == 0, "\(made.record.errors)")
            try await runClient(
                "webhooks.py", Places.fanfare, folder.path(), folder.appending(path: "cert.pem").path(),
                folder.appending(path: "key.pem").path())
        }
    }

    @Test("hooks: another server says who may connect, subscribe and react")
    func hooks() async throws {
        try await Places.withFolder { try await runClient("hooks.py", Places.fanfare, $0.path()) }
    }
}
