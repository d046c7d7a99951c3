import Foundation
import Testing

@testable import Wire

/// `asyncapi.json` and `schemas.json`: they tell of exactly the messages that this module reads and writes.
@Suite struct APIDocumentTests {
    private static func document(_ name: String) throws -> [String: Any] {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/Web/\(name)")
        return try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: path)) as? [String: Any])
    }

    /// The messages of the one channel, by their names in the document.
    private static func messages() throws -> [String: [String: Any]] {
        let channels = try #require(try document("asyncapi.json")["channels"] as? [String: [String: Any]])
        #expect(channels.count == 1)
        return try #require(channels["webSocket"]?["messages"] as? [String: [String: Any]])
    }

    private static func names(of messages: [String: [String: Any]], _ prefix: String) -> Set<String> {
        Set(messages.filter { $0.key.hasPrefix(prefix) }.compactMap { $0.value["name"] as? String })
    }

    @Test func `Every type of a request is in it, and no other`() throws {
        let messages = try Self.messages()
        #expect(Self.names(of: messages, "request") == Set(RequestType.allCases.map(\.name)))
        let operations = try #require(try Self.document("asyncapi.json")["operations"] as? [String: Any])
        #expect(Set(operations.keys) == Set(RequestType.allCases.map(\.name)).union(["tell"]))
    }

    @Test func `Every type of a broker's message is in it, and no other`() throws {
        #expect(Self.names(of: try Self.messages(), "message") == Set(MessageType.allCases.map(\.name)))
    }

    @Test func `Every error code is in the schemas, and no other`() throws {
        let schemas = try #require(try Self.document("schemas.json")["$defs"] as? [String: [String: Any]])
        #expect(schemas["ErrorCode"]?["enum"] as? [String] == ErrorCode.allCases.map(\.rawValue))
    }

    @Test func `Every example is what this module reads`() throws {
        for (name, message) in try Self.messages() {
            let examples = try #require(message["examples"] as? [[String: Any]])
            #expect(!examples.isEmpty, "\(name)")
            for example in examples {
                let payload = try #require(example["payload"])
                let bytes = Array(try JSONSerialization.data(withJSONObject: payload))
                if name.hasPrefix("request") {
                    #expect(throws: Never.self, "\(name)") { try Request.decode(bytes.span) }
                } else if case .unknown = try BrokerMessage.decode(bytes.span) {
                    Issue.record("\(name) is unknown")
                }
            }
        }
    }

    @Test(arguments: ["openapi.json", "asyncapi.json", "schemas.json"])
    func `Every reference leads somewhere`(_ name: String) throws {
        let text = String(decoding: try JSONSerialization.data(withJSONObject: try Self.document(name)), as: UTF8.self)
        let references = text.replacing("\\/", with: "/").matches(of: /"\$ref":"([^"#]*)#([^"]*)"/)
        #expect(!references.isEmpty)
        for reference in references {
            let file = reference.1.isEmpty ? name : String(reference.1)
            var place: Any? = try Self.document(file)
            for part in reference.2.split(separator: "/") {
                let step = String(part).replacing("~1", with: "/").replacing("~0", with: "~")
                place = (place as? [String: Any])?[step]
            }
            #expect(place != nil, "\(reference.0)")
        }
    }
}
