import Testing

/// The browser client of the kit (Sources/Web/kit), in node: what needs no browser.
@Suite struct BrowserClientTests {
    private let kit = Places.repository.appending(path: "Sources/Web/kit").path()

    @Test("the model of a channel does as the shared vectors say")
    func vectors() async throws {
        let vectors = Places.repository.appending(path: "Tests/Vectors").path()
        try await runClient("kit_vectors.js", kit, vectors)
    }
}
