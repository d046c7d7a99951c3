import Foundation
import HTTP
import Testing
import Web
import Wire

@testable import Server

/// `openapi.json`: it tells of exactly the addresses that this server answers at, and how.
@Suite(.timeLimit(.minutes(5))) struct OpenAPITests {
    private static let documentNames = ["openapi.json", "asyncapi.json", "schemas.json"]
    private static let verbs = ["get", "put", "post", "delete", "patch", "head", "options", "trace"]

    private let server: TestServer
    private let document: [String: Any]

    init() throws {
        server = try TestServer()
        let page = try #require(WebPages.all[["v1", "openapi.json"]])
        document = try #require(try JSONSerialization.jsonObject(with: Data(page.bytes)) as? [String: Any])
    }

    private func paths() throws -> [String: [String: Any]] {
        try #require(document["paths"] as? [String: [String: Any]])
    }

    /// All operations, with their paths and methods.
    private func operations() throws -> [(path: String, method: String, operation: [String: Any])] {
        try paths().flatMap { path, item in
            Self.verbs.compactMap { verb in (item[verb] as? [String: Any]).map { (path, verb.uppercased(), $0) } }
        }
    }

    /// A response, what it refers to put in its place.
    private func response(_ response: [String: Any]) throws -> [String: Any] {
        guard let reference = response["$ref"] as? String else { return response }
        let components = try #require(document["components"] as? [String: [String: [String: Any]]])
        return try #require(components["responses"]?[String(reference.split(separator: "/").last ?? "")])
    }

    private func codes(of response: [String: Any]) -> [String] {
        let content = response["content"] as? [String: [String: Any]]
        let parts = (content?["application/json"]?["schema"] as? [String: Any])?["allOf"] as? [[String: Any]]
        let properties = parts?.last?["properties"] as? [String: [String: Any]]
        return properties?["code"]?["enum"] as? [String] ?? []
    }

    @Test("every path of the document has its route, with the same methods")
    func pathsAreRoutes() throws {
        for (path, item) in try paths() {
            let parts = path.split(separator: "/").map { $0.hasPrefix("{") ? "x" : String($0) }
            let route = try #require(Route(parts, server.server.context), "\(path)")
            let methods = Self.verbs.filter { item[$0] != nil }.map { $0.uppercased() }
            #expect(Set(route.methods) == Set(methods), "\(path)")
        }
    }

    @Test("every route is in the document")
    func routesArePaths() throws {
        let words =
            [
                "v1", "channels", "messages", "reactors", "reactions", "toggle", "stream", "ws", "metrics", "healthz",
                "readyz", "users", "revoke", "status", "settings", "dashboard", "dashboard.js",
            ]
            + Self.documentNames + ["kit", "fanfare.js", "x"]
        let known = Set(
            try paths().keys.map { path in path.split(separator: "/").map { $0.hasPrefix("{") ? "x" : String($0) } })
        // All paths that can be made of the words; behind "v1/channels" and "v1/users" each second part is a name, here "x".
        var paths: [[String]] = [[]] + words.map { [$0] } + words.flatMap { first in words.map { [first, $0] } }
        var longest = [["v1", "channels"], ["v1", "users"]]
        for length in 2..<8 {
            longest = longest.flatMap { path in (length % 2 == 0 ? ["x"] : words).map { path + [$0] } }
            paths += longest
        }
        let found = Set(paths.filter { Route($0, server.server.context) != nil })
        #expect(found == known)
    }

    @Test("each code stands with its status, and every code that HTTP has is there")
    func codesAndStatuses() throws {
        // What the connection itself refuses has the code of what it is most like.
        let others = [408: "bad_request", 426: "bad_request"]
        var seen: Set<String> = []
        for (path, method, operation) in try operations() {
            let responses = try #require(operation["responses"] as? [String: [String: Any]])
            for (status, response) in responses where (Int(status) ?? 0) >= 400 {
                let codes = codes(of: try self.response(response))
                #expect(!codes.isEmpty, "\(method) \(path) \(status)")
                for code in codes {
                    seen.insert(code)
                    let expected = ErrorCode(rawValue: code)?.httpStatus
                    #expect(expected == Int(status) || others[Int(status) ?? 0] == code, "\(code) with \(status)")
                }
            }
        }
        let components = try #require(document["components"] as? [String: [String: [String: Any]]])
        for response in components["responses"]?.values ?? [:].values { seen.formUnion(codes(of: response)) }
        #expect(
            seen == Set(ErrorCode.allCases.map(\.rawValue)).subtracting(["not_subscribed", "too_many_subscriptions"]))
    }

    @Test("the documents are served as JSON", arguments: documentNames)
    func served(name: String) throws {
        let answer = try server.call("GET", "/v1/" + name)
        #expect(answer.status == 200)
        #expect(answer["content-type"] == "application/json")
        #expect(!answer.json.isEmpty)
        #expect(try server.call("POST", "/v1/" + name).status == 405)
    }
}
