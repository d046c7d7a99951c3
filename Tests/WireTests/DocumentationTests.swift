import Foundation
import Testing
import Wire

/// The examples in the protocol's documentation: all of them are what this module reads and writes.
struct DocumentationTests {
    enum Speaker: String {
        case client = "Client"
        case broker = "Broker"
    }

    /// One message in a block of JSON; the line above the block says whose it is.
    struct Example: CustomTestStringConvertible {
        var speaker: Speaker?
        var line: Int
        /// The message without the line breaks that the page has for its readers.
        var text: String

        var testDescription: String { "line \(line)" }

        var type: String? {
            let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            return object?["type"] as? String
        }
    }

    static let page = (try? String(contentsOf: place, encoding: .utf8)) ?? ""
    static let place = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Wire/Documentation.docc/Protocol.md").standardized
    static let examples = examples(in: page)

    /// A message begins with its brace at a line's start; a line that begins otherwise goes on.
    static func examples(in page: String) -> [Example] {
        var examples: [Example] = []
        var speaker: Speaker?
        var isInside = false
        for (index, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("```") {
                isInside = line == "```json"
            } else if isInside, line.hasPrefix("{") {
                examples.append(Example(speaker: speaker, line: index + 1, text: String(line)))
            } else if isInside, !examples.isEmpty {
                examples[examples.count - 1].text += line.drop { $0 == " " }
            } else if !line.isEmpty {
                speaker = line.hasSuffix(":") ? Speaker(rawValue: String(line.prefix(6))) : nil
            }
        }
        return examples
    }

    @Test("Each example says who speaks", arguments: examples)
    func speaker(_ example: Example) {
        #expect(example.speaker != nil)
    }

    @Test("What the client says is read as a request", arguments: examples.filter { $0.speaker == .client })
    func request(_ example: Example) throws {
        #expect(throws: Never.self) { try decode(example.text) }
    }

    @Test(
        "What the broker says is read, and written byte for byte so",
        arguments: examples.filter { $0.speaker == .broker })
    func brokerMessage(_ example: Example) throws {
        let message = try decodeMessage(example.text)
        if case .unknown(let type) = message { Issue.record("\(type) is no type of this version") }
        #expect(text(message) == example.text)
    }

    @Test("Every type has an example")
    func types() {
        let types = Dictionary(grouping: Self.examples, by: \.speaker).mapValues { Set($0.compactMap(\.type)) }
        #expect(
            types[.client] == [
                "auth", "subscribe", "watch", "unsubscribe", "add", "remove", "toggle", "set", "clear", "delete",
                "freeze", "reactors", "list", "ping",
            ])
        #expect(
            types[.broker] == [
                "welcome", "ack", "subscribed", "watched", "unsubscribed", "added", "removed", "updated", "replaced",
                "cleared", "frozen", "summary", "own", "occupancy", "burst", "lagged", "reactors", "list", "pong",
                "error", "goodbye",
            ])
    }

    @Test("Every error code is explained, with its HTTP status", arguments: ErrorCode.allCases)
    func errorCode(_ code: ErrorCode) {
        let rows = Self.page.split(separator: "\n").filter { $0.hasPrefix("| `") && $0.contains("`\(code.rawValue)`") }
        let isOverHTTP = code != .notSubscribed && code != .tooManySubscriptions
        let status = isOverHTTP ? String(code.httpStatus) : "–"
        #expect(rows.contains { $0.contains(status) }, "no row of \(code.rawValue) has \(status)")
    }
}
