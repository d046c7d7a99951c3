import Foundation
import HTTP
import Testing
import Transport

@testable import Broker

/// Where requests go and what they are signed with.
@Suite struct SigningTests {
    @Test("a signature is the one of the Standard Webhooks specification")
    func signature() throws {
        let secret = try #require(SigningSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        #expect(
            secret.signature(
                id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: "1614265330",
                body: Array(#"{"test": 2432232314}"#.utf8))
                == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test("a secret without whsec_ and Base64 is the bytes of its text")
    func plainSecret() {
        let encoded = "whsec_" + Data("a secret".utf8).base64EncodedString()
        #expect(SigningSecret("a secret") == SigningSecret(encoded))
    }

    @Test("whsec_ without Base64 behind it is no secret", arguments: ["whsec_", "whsec_!", "whsec_ab="])
    func noSecret(text: String) {
        #expect(SigningSecret(text) == nil)
    }

    @Test("the same body has the same id, another another")
    func messageID() throws {
        let secret = try #require(SigningSecret("a secret"))
        #expect(secret.messageID(of: [1]) == secret.messageID(of: [1]))
        #expect(secret.messageID(of: [1]) != secret.messageID(of: [2]))
        #expect(secret.messageID(of: [1]).hasPrefix("msg_"))
        #expect(secret.messageID(of: [1]).utf8.count == 36)
    }

    @Test(
        "URLs that can be posted to",
        arguments: [
            ("http://example.org", false, "example.org:80", "example.org", "/"),
            ("HTTPS://example.org/a/b?c=d", true, "example.org:443", "example.org", "/a/b?c=d"),
            ("http://127.0.0.1:8080/x", false, "127.0.0.1:8080", "127.0.0.1:8080", "/x"),
            ("https://[::1]:9/", true, "[::1]:9", "[::1]:9", "/"),
            ("https://[::1]?q", true, "[::1]:443", "[::1]", "/?q"),
        ])
    func urls(text: String, isSecure: Bool, address: String, authority: String, target: String) throws {
        let url = try #require(OutboundURL(text))
        #expect(url.isSecure == isSecure)
        #expect(url.address == (try SocketAddress.parse(address)))
        #expect(url.authority == authority)
        #expect(url.target == target)
    }

    @Test(
        "what is no such URL",
        arguments: [
            "", "example.org", "/x", "ftp://example.org/", "http://", "http:///x", "http://:80/", "http://a:b@c/",
            "http://a@b/", "http://a/#b", "http://a:0/", "http://a:65536/", "http://a:x/", "http://a b/", "http://ä/",
            "http://[::1/", "http://[a]/", "unix:/tmp/a", "http://a:/",
        ])
    func noURLs(text: String) {
        #expect(OutboundURL(text) == nil)
    }

    @Test("a URL's description keeps its query for itself")
    func description() {
        #expect(OutboundURL("https://a.example/b?key=secret")?.description == "https://a.example/b")
    }

    @Test("the wait before a retry doubles up to a bound, with jitter of a half")
    func delays() {
        var delay = RetryDelay()
        let longest = (0..<8).map { _ in delay.next(most: 20_000, asked: nil, chance: 1) }
        #expect(longest == [500, 1_000, 2_000, 4_000, 8_000, 16_000, 20_000, 20_000])
        delay.reset()
        #expect(delay.next(most: 20_000, asked: nil, chance: 0) == 250)
        for _ in 0..<1_000 {
            #expect((10_000...20_000).contains(delay.next(most: 20_000, asked: nil, chance: 0.5)) || delay.failures < 8)
        }
    }

    @Test("a server may ask for a longer wait, up to an hour")
    func askedDelays() {
        var delay = RetryDelay()
        #expect(delay.next(most: 20_000, asked: 30_000, chance: 0) == 30_000)
        #expect(delay.next(most: 20_000, asked: .max, chance: 0) == 3_600_000)
        #expect(delay.next(most: 20_000, asked: 0, chance: 1) == 2_000)
    }

    @Test(
        "Retry-After in seconds or as a date",
        arguments: [
            ("0", 0), ("120", 120_000), ("Sun, 06 Nov 1994 08:49:37 GMT", 7_000),
            ("Sun, 06 Nov 1994 08:49:00 GMT", 0), ("soon", nil), ("-1", nil), ("+1", nil), ("", nil),
            ("18446744073709551615", .max), ("99999999999999999999", nil),
        ] as [(String, Int64?)])
    func retryAfter(text: String, milliseconds: Int64?) {
        let headers = HTTPHeaders([("Retry-After", text)])
        #expect(headers.retryAfterMilliseconds(now: 784_111_770_000) == milliseconds)
    }
}
