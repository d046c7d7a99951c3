import Foundation
import Testing

/// The browser client of the kit (Sources/Web/kit), in node: what needs no browser.
@Suite struct BrowserClientTests {
    private let kit = Places.repository.appending(path: "Sources/Web/kit").path()

    @Test("the model of a channel does as the shared vectors say")
    func vectors() async throws {
        try await runClient("kit_vectors.js", kit, Places.repository.appending(path: "Tests/Vectors").path())
    }

    @Test("the model of a channel shows what a plain broker has, whatever is late or lost")
    func model() async throws {
        try await runClient("kit_model.js", kit, "150")
    }

    @Test("the model of a channel takes each tap for what it is, and very many reactions")
    func taps() async throws {
        try await runClient("kit_taps.js", kit)
    }

    @Test("every tab shows what it wants, whatever comes, goes or breaks")
    func hub() async throws {
        try await runClient("kit_hub.js", kit, "300")
    }

    @Test("a connection comes back, obeys and renews as it should", arguments: ["kit_connection.js", "kit_tokens.js"])
    func connection(script: String) async throws {
        try await runClient(script, kit)
    }

    @Test("the declarations for TypeScript are right")
    func types() async throws {
        try await runClient("kit_types.js")
    }
}

extension BrowserTests {
    @Test("the browser client", arguments: ["client.py", "client_lost.py", "broken.py", "refused.py"])
    func client(script: String) async throws {
        try await Places.withFolder { try await runClient("Browser/" + script, Places.fanfare, $0.path()) }
    }
}
