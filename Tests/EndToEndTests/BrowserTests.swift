import Foundation
import Testing

/// What people see and do in a browser: the pages of the broker in headless Chromium.
///
/// One browser at a time: several at once starve each other.
@Suite(.serialized) struct BrowserTests {
    @Test("the demo page")
    func demo() async throws {
        try await BrokerProcess.run { try await runClient("Browser/demo.py", $0.url) }
    }
}
