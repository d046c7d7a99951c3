import Foundation
import Testing

@testable import Server

/// The modules for browsers, as they are served.
@Suite(.timeLimit(.minutes(5))) struct BrowserKitTests {
    /// The names of the modules in Sources/Web/Generated, where scripts/kit makes them.
    private static let modules: [String] = {
        let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let kit = repository.appending(path: "Sources/Web/Generated").path()
        return (try? FileManager.default.contentsOfDirectory(atPath: kit).filter { $0.hasSuffix(".js") }.sorted()) ?? []
    }()

    private let server: TestServer

    init() throws { server = try TestServer() }

    @Test("there are modules")
    func present() {
        #expect(Self.modules.contains("fanfare.js") && Self.modules.contains("components.js"))
    }

    @Test("every module is served as a script, for pages of every origin", arguments: modules)
    func served(name: String) throws {
        let answer = try server.call("GET", "/kit/" + name, headers: ["Origin": "https://elsewhere.example"])
        #expect(answer.status == 200)
        #expect(answer["content-type"] == "text/javascript; charset=utf-8")
        #expect(answer["access-control-allow-origin"] == "*")
        #expect(answer["x-content-type-options"] == "nosniff")
        #expect(try server.call("POST", "/kit/" + name).status == 405)
    }

    @Test("a browser that has a module already is told so", arguments: ["/kit/fanfare.js", "/"])
    func tagged(path: String) throws {
        let answer = try server.call("GET", path)
        #expect(answer["cache-control"] == "no-cache")
        let tag = try #require(answer["etag"])
        let again = try server.call("GET", path, headers: ["If-None-Match": tag])
        #expect(again.status == 304)
        #expect(again.body.isEmpty)
        #expect(try server.call("GET", path, headers: ["If-None-Match": "\"other\""]).status == 200)
    }

    @Test("what a module imports is there", arguments: modules)
    func imports(name: String) throws {
        let text = try server.call("GET", "/kit/" + name).text
        let imported = text.matches(of: /(?:from\s*|import\s*\(?\s*)["']([^"']+)["']/).map { String($0.output.1) }
        for other in imported {
            #expect(
                other.hasPrefix("./") && Self.modules.contains(String(other.dropFirst(2))), "\(name) imports \(other)")
        }
        #expect(!["fanfare.js", "components.js", "overview.js"].contains(name) || !imported.isEmpty)
    }

    @Test(
        "there is nothing else",
        arguments: ["/kit", "/kit/", "/kit/package.json", "/kit/state.js", "/kit/state.d.ts", "/fanfare.js"])
    func absent(path: String) throws {
        #expect(try server.call("GET", path).status == 404)
    }
}
