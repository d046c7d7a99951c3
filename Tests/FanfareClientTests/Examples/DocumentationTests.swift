import Foundation
import Testing

@testable import FanfareClient

/// A page with examples in Swift.
struct DocumentationPage: Sendable, CustomTestStringConvertible {
    static let repository = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static let all: [DocumentationPage] = {
        let catalog = "Sources/FanfareClient/Documentation.docc"
        let pages =
            (try? FileManager.default.contentsOfDirectory(atPath: repository.appending(path: catalog).path())) ?? []
        return (["README.md"] + pages.filter { $0.hasSuffix(".md") }.map { "\(catalog)/\($0)" })
            .map(DocumentationPage.init(path:))
    }()

    var path: String
    var testDescription: String { path }

    /// The lines of a file without indentation and empty ones.
    static func lines(of path: String) throws -> [String] {
        try String(contentsOf: repository.appending(path: path), encoding: .utf8)
            .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// The examples in Swift that use this library, each as lines; what an example imports is left out.
    func examples() throws -> [[String]] {
        var examples: [[String]] = []
        var isInside = false
        for line in try Self.lines(of: path) {
            if isInside, line == "```" {
                isInside = false
            } else if isInside {
                if !line.hasPrefix("import ") { examples[examples.count - 1].append(line) }
            } else if line == "```swift" {
                isInside = true
                examples.append([])
            }
        }
        return examples.filter { $0.first?.hasPrefix("// swift-tools-version") != true }
    }

    /// The code in the midst of a sentence: what stands in backquotes and has parentheses; no links.
    func phrases() throws -> [String] {
        let text = try String(contentsOf: Self.repository.appending(path: path), encoding: .utf8)
        let prose = text.split(separator: "```").enumerated().filter { $0.offset.isMultiple(of: 2) }
        return prose.flatMap { _, part in
            part.replacing(/``.+?``/, with: "").matches(of: /`([^`]+)`/).map { String($0.1) }
        }.filter { $0.contains("(") }
    }
}

@Suite("The documentation")
struct DocumentationTests {
    @Test("has no example in Swift that does not compile", arguments: DocumentationPage.all)
    func examples(_ page: DocumentationPage) throws {
        let compiled = try Self.compiled()
        for example in try page.examples() {
            #expect(
                compiled.contains(example.joined(separator: "\n")), "\(page.path) has an example that is not compiled")
        }
    }

    // The README's sentences are about other languages, too.
    @Test("has no code in a sentence that does not compile", arguments: DocumentationPage.all.dropFirst())
    func phrases(_ page: DocumentationPage) throws {
        let compiled = try Self.compiled()
        for phrase in try page.phrases() {
            #expect(compiled.contains(phrase), "\(page.path) has `\(phrase)`, which is not compiled")
        }
    }

    private static func compiled() throws -> String {
        let folder = "Tests/FanfareClientTests/Examples"
        return try ["DocumentedExamples.swift", "DocumentedViews.swift"].flatMap {
            try DocumentationPage.lines(of: "\(folder)/\($0)")
        }.joined(separator: "\n")
    }

    @Test("has examples")
    func count() throws {
        #expect(try DocumentationPage.all.flatMap { try $0.examples() }.count >= 16)
        #expect(try DocumentationPage.all.dropFirst().flatMap { try $0.phrases() }.count >= 2)
    }

    @MainActor
    @Test("feeds a chat library in a few lines")
    func bridge() async throws {
        let client = try ReactionClient(url: "ws://127.0.0.1:1", identity: .user("ada"))
        let channel = ChannelReactions("chat:42", of: client)
        let bridge = Bridge(channel)
        let rules = DocumentedExamples.delegating(channel)
        let message = ChatLibrary.Message(id: "m1")
        #expect(bridge.canReact(to: message) && !bridge.canReact(to: ChatLibrary.Message(id: "system-1")))
        #expect(bridge.reactions(for: message) == [.emoji("👍"), .emoji("❤️"), .emoji("party_parrot")])
        bridge.didReact(
            to: message,
            reaction: .init(id: "d1", messageID: "m1", createdAt: Date(timeIntervalSince1970: 0), type: .emoji("👍")))
        #expect(channel["m1"].own == ["👍"] && bridge.shouldShowOverview(for: message))
        #expect(bridge.allowEmojiSearch(for: message))
        await client.close()
        withExtendedLifetime(rules) {}
    }
}
