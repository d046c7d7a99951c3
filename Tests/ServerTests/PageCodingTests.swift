import Testing

@testable import Server

/// The files that are part of the program, as they are or in gzip (RFC 9110 sections 8.4, 8.8.3 and 12.5.3).
@Suite(.timeLimit(.minutes(5))) struct PageCodingTests {
    static let pages = ServedPage.all.keys.map { "/" + $0.joined(separator: "/") }.sorted()

    private let server: TestServer

    init() throws { server = try TestServer() }

    private func get(_ path: String, _ coding: String?, tag: String? = nil, method: String = "GET") throws -> Answer {
        var headers: [String: String] = [:]
        headers["Accept-Encoding"] = coding
        headers["If-None-Match"] = tag
        return try server.call(method, path, headers: headers)
    }

    @Test("every page comes in gzip where the request takes it, and says that this depends on it", arguments: pages)
    func gzip(path: String) throws {
        let (plain, coded) = (try get(path, nil), try get(path, "gzip, br"))
        #expect(plain.status == 200 && coded.status == 200)
        #expect(plain["content-encoding"] == nil && coded["content-encoding"] == "gzip")
        #expect(coded["content-type"] == plain["content-type"])
        #expect(coded.body.starts(with: [0x1F, 0x8B, 8]))
        #expect(coded.body.count < plain.body.count)
        for answer in [plain, coded] { #expect(answer.all("vary").contains("Accept-Encoding")) }
    }

    @Test("a request that refuses gzip gets the page as it is", arguments: ["gzip;q=0", "identity", "*;q=0", "br"])
    func plain(coding: String) throws {
        let answer = try get("/kit/fanfare.js", coding)
        #expect(answer["content-encoding"] == nil)
        #expect(answer.text.contains("export{"))
    }

    @Test("HEAD tells what GET would send", arguments: ["gzip", "identity"])
    func head(coding: String) throws {
        for path in Self.pages {
            let (got, told) = (try get(path, coding), try get(path, coding, method: "HEAD"))
            for name in ["content-length", "content-encoding", "content-type", "etag", "vary", "cache-control"] {
                #expect(told.all(name) == got.all(name), "\(path) \(name)")
            }
            #expect(told.body.isEmpty)
        }
    }

    @Test("the two forms have tags of their own, and each is known by its own alone", arguments: pages)
    func tags(path: String) throws {
        let plain = try #require(try get(path, nil)["etag"])
        let coded = try #require(try get(path, "gzip")["etag"])
        #expect(plain != coded)
        #expect(try get(path, nil, tag: plain).status == 304)
        #expect(try get(path, "gzip", tag: coded).status == 304)
        #expect(try get(path, nil, tag: coded).status == 200)
        #expect(try get(path, "gzip", tag: plain).status == 200)
        #expect(try get(path, "gzip", tag: "\(plain), W/\(coded)").status == 304)
    }

    @Test("304 has the fields by which a cache finds its copy, and no body's", arguments: ["GET", "HEAD"])
    func notModified(method: String) throws {
        let tag = try #require(try get("/", "gzip")["etag"])
        let answer = try get("/", "gzip", tag: tag, method: method)
        #expect(answer.status == 304)
        #expect(answer["etag"] == tag)
        #expect(answer.all("vary").contains("Accept-Encoding"))
        #expect(answer["cache-control"] == "no-cache")
        #expect(answer["content-encoding"] == nil && answer["content-length"] == nil)
    }

    @Test("what is said of people's reactions is never compressed, whatever is asked for")
    func notTheAPI() throws {
        for path in ["/v1/channels/chat:1/messages?user=ada", "/v1/channels/chat:1/messages/m1?user=ada", "/metrics"] {
            let answer = try get(path, "gzip")
            #expect(answer.status == 200)
            #expect(answer["content-encoding"] == nil, "\(path)")
        }
    }
}
