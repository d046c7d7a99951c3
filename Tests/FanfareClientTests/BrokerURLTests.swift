import Testing

@testable import FanfareClient

@Suite("The URL of a broker")
struct BrokerURLTests {
    struct Good: Sendable, CustomTestStringConvertible {
        var text: String
        var isSecure = false
        var host: String
        var port: UInt16
        var target = "/v1/ws"
        var authority: String
        var testDescription: String { text }
    }

    @Test(
        "is read part by part",
        arguments: [
            Good(text: "ws://127.0.0.1:8080/v1/ws", host: "127.0.0.1", port: 8080, authority: "127.0.0.1:8080"),
            Good(text: "ws://example.org", host: "example.org", port: 80, authority: "example.org"),
            Good(text: "http://example.org/", host: "example.org", port: 80, authority: "example.org"),
            Good(text: "https://example.org", isSecure: true, host: "example.org", port: 443, authority: "example.org"),
            Good(
                text: "wss://example.org:443", isSecure: true, host: "example.org", port: 443, authority: "example.org"),
            Good(
                text: "WSS://example.org:8443/room", isSecure: true, host: "example.org", port: 8443, target: "/room",
                authority: "example.org:8443"),
            Good(text: "ws://[::1]:8080", host: "::1", port: 8080, authority: "[::1]:8080"),
            Good(text: "ws://[fe80::1]", host: "fe80::1", port: 80, authority: "[fe80::1]"),
            Good(text: "ws://host:/x", host: "host", port: 80, target: "/x", authority: "host"),
            Good(
                text: "ws://host?token=a.b.c", host: "host", port: 80, target: "/v1/ws?token=a.b.c", authority: "host"),
            Good(text: "ws://host/p?a=/b?c#part", host: "host", port: 80, target: "/p?a=/b?c", authority: "host"),
        ])
    func reading(_ good: Good) throws {
        let url = try BrokerURL(good.text)
        #expect(url.isSecure == good.isSecure)
        #expect(url.host == good.host)
        #expect(url.port == good.port)
        #expect(url.target(for: .none) == good.target)
        #expect(url.authority == good.authority)
    }

    @Test(
        "is refused with words for a person",
        arguments: [
            "", "127.0.0.1:8080", "ftp://host", "ws://", "ws:///path", "ws://host:0", "ws://host:65536", "ws://host:+1",
            "ws://host:8080x", "ws://user:secret@host", "ws://ho st", "ws://host/pa th", "ws://[::1", "ws://[::1]x",
            "ws://[host]", "ws://höst", "ws://host/\u{7}", "://host",
        ])
    func refusing(_ text: String) {
        let error = #expect(throws: ClientError.self) { try BrokerURL(text) }
        #expect(error?.code == .invalidURL)
        #expect(error?.message.contains("is no URL of a broker: ") == true)
    }

    @Test(
        "carries a user's name percent-encoded",
        arguments: [
            ("ws://h", "ada", "/v1/ws?user=ada"),
            ("ws://h/x?y=1", "ada", "/x?y=1&user=ada"),
            ("ws://h/x?", "a&b=c d", "/x?user=a%26b%3Dc%20d"),
            ("ws://h", "ü+%", "/v1/ws?user=%C3%BC%2B%25"),
        ])
    func user(_ text: String, _ name: String, _ target: String) throws {
        #expect(try BrokerURL(text).target(for: .user(name)) == target)
    }

    @Test("keeps its query out of what people read, since that may hold a token")
    func description() throws {
        #expect(try BrokerURL("https://h:8443/x?token=secret").description == "wss://h:8443/x")
    }
}
