import Foundation
import Testing

/// What people see and do in a browser: the pages of the broker in headless Chromium.
///
/// One browser at a time: several at once starve each other.
@Suite(.serialized) struct BrowserTests {
    @Test("the demo page, and the page of the README")
    func demo() async throws {
        try await run("demo.py")
    }

    @Test("how the bar opens and closes: held, right-clicked, touched, by the keyboard alone")
    func gestures() async throws {
        try await run("gestures.py")
    }

    @Test("badges, picker, search, overview and bursts")
    func reactions() async throws {
        try await run("reactions.py")
    }

    @Test("elements that change, come and go, odd names, a thousand messages")
    func elements() async throws {
        try await run("elements.py")
    }

    @Test("what a page is told that goes wrong: a channel that is refused, elements without what they need")
    func mistakes() async throws {
        try await run("mistakes.py")
    }

    @Test("accessibility tree, reduced motion, light and dark, slots and parts, right to left, zoom")
    func looks() async throws {
        try await run("looks.py")
    }

    @Test("a broker that is killed and comes back, seen from two pages")
    func comeback() async throws {
        try await Places.withFolder { try await runClient("Browser/comeback.py", Places.fanfare, $0.path()) }
    }

    @Test("client and components are small, and what is served is made of the sources")
    func size() async throws {
        try await BrokerProcess.run { try await runClient("kit_served.py", $0.url, Places.repository.path()) }
    }

    private func run(_ script: String) async throws {
        let settings = Places.endToEnd.appending(path: "Browser/settings.json").path()
        try await BrokerProcess.run(["--config", settings]) {
            try await runClient("Browser/" + script, $0.url, String($0.program.processID))
        }
    }
}
