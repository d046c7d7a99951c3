import Testing

@testable import HTTP

@Suite("Targets (RFC 3986)")
struct TargetTests {
    @Test(
        "Paths",
        arguments: zip(
            [
                "/", "/a", "/a/b", "/a/", "//", "/a%2Fb/c", "/%F0%9F%91%8D", "/chat%3A42/m+1", "/a:b@c!$&'()*+,;=-._~",
                "/%25", "/..",
            ],
            [
                [], ["a"], ["a", "b"], ["a", ""], ["", ""], ["a/b", "c"], ["👍"], ["chat:42", "m+1"],
                ["a:b@c!$&'()*+,;=-._~"], ["%"], [".."],
            ]))
    func paths(target: String, path: [String]) {
        #expect(Target(target)?.path == path)
        #expect(Target(target + "?q=/%2F")?.path == path)
    }

    @Test("The query's parameters in order; a plus is a plus")
    func query() throws {
        let target = try #require(Target("/p?a=1&b=&c&=d&&a=2%263&e=f=g&h=x+y%20z?&%C3%BC=%E2%82%AC"))
        #expect(target.query.map(\.name) == ["a", "b", "c", "", "a", "e", "h", "ü"])
        #expect(target.query.map(\.value) == ["1", "", "", "d", "2&3", "f=g", "x+y z?", "€"])
        #expect(target.first("a") == "1")
        #expect(target.all("a") == ["1", "2&3"])
        #expect(target.first("missing") == nil)
        #expect(target.path == ["p"])
        #expect(Target("/?")?.query.isEmpty == true)
    }

    @Test(
        "What is not a path, or does not decode to UTF-8, is none",
        arguments: [
            "", "a", "*", "http://a/", "?a", "/ ", "/ü", "/a#b", "/\u{0}", "/%", "/%4", "/%4g", "/%g4", "/%%41", "/%FF",
            "/%C3", "/%C3/%BC", "/%ED%A0%80", "/%C0%AF", "/?a=%FF", "/?%FF=a", "/?a=%", "/?%C3=%BC",
        ])
    func refused(target: String) {
        #expect(Target(target) == nil)
    }
}
