import Testing

@testable import HTTP

@Suite("Origins of pages (RFC 6454)")
struct WebOriginTests {
    @Test(
        "Origins are the same where scheme, host and port are, however they are written",
        arguments: [
            ("https://example.org", "https://EXAMPLE.org:443"), ("http://a", "HTTP://a:80"),
            ("http://[::1]:5", "http://[::1]:05"), ("wss://a:443", "wss://a"), ("https://a:", "https://a"),
        ])
    func same(one: String, other: String) throws {
        let origin = try #require(WebOrigin(one))
        #expect(origin == WebOrigin(other))
    }

    @Test(
        "Others are not",
        arguments: [
            ("https://example.org", "http://example.org"), ("https://example.org", "https://example.org.evil.com"),
            ("https://example.org", "https://www.example.org"), ("https://example.org", "https://example.org."),
            ("http://a:1", "http://a:2"), ("https://a", "https://a:80"), ("chrome-extension://a", "https://a"),
        ])
    func others(one: String, other: String) throws {
        let (first, second) = (try #require(WebOrigin(one)), try #require(WebOrigin(other)))
        #expect(first != second)
    }

    @Test(
        "What is no origin is none",
        arguments: [
            "", "null", "example.org", "//example.org", "://a", "https://", "https://:443", "https://a/", "https://a/b",
            "https://a?b", "https://a#b", "https://u@a", "https://a b", "https://a:65536", "https://a:x",
            "https://[::1",
            "1http://a", "ht tp://a", "https://a,https://b", "https://[]", "https://a:443:443",
        ])
    func none(text: String) {
        #expect(WebOrigin(text) == nil)
    }

    @Test("A Host field and a scheme make an origin")
    func host() {
        #expect(WebOrigin(scheme: "https", host: "A.example:443") == WebOrigin("https://a.example"))
        #expect(WebOrigin(scheme: "http", host: "[2001:DB8::1]") == WebOrigin("http://[2001:db8::1]:80"))
        #expect(WebOrigin(scheme: "http", host: "") == nil)
    }
}
