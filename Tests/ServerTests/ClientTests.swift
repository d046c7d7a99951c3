import HTTP
import Testing
import Transport

@testable import Server

/// Whom the broker takes a request to come from.
@Suite struct ClientTests {
    private func client(
        _ fields: [(String, String)], peer: String = "127.0.0.1", isPassedOn: Bool = false, isTLS: Bool = false,
        trusted: [String] = ["127.0.0.1", "10.0.0.0/8"]
    ) throws -> Client {
        Client(
            HTTPHeaders(fields.map { (name: $0.0, value: $0.1) }), peer: try #require(SocketAddress(ip: peer, port: 9)),
            isPassedOn: isPassedOn, isTLS: isTLS, trusted: try AddressSet(trusted))
    }

    private static let ways: [([(String, String)], String)] = [
        ([], "http 127.0.0.1"), ([("X-Forwarded-For", "192.0.2.1")], "http 192.0.2.1"),
        ([("X-Forwarded-For", "198.51.100.1, 192.0.2.1")], "http 192.0.2.1"),
        ([("X-Forwarded-For", "198.51.100.1, 192.0.2.1, 10.0.0.9, 127.0.0.1")], "http 192.0.2.1"),
        ([("X-Forwarded-For", "10.0.0.2, 10.0.0.1")], "http 10.0.0.2"),
        ([("X-Forwarded-For", "192.0.2.1, nonsense, 10.0.0.1")], "http unknown"),
        ([("X-Forwarded-For", "127.0.0.1, nonsense")], "http unknown"),
        ([("X-Forwarded-For", "127.1")], "http unknown"), ([("X-Forwarded-For", "localhost")], "http unknown"),
        ([("X-Forwarded-For", "")], "http unknown"), ([("X-Forwarded-For", ", ,")], "http unknown"),
        ([("X-Forwarded-For", "\u{0}127.0.0.1")], "http unknown"), ([("Forwarded", "")], "http unknown"),
        ([("Forwarded", "for=192.0.2.1;proto=https, for=10.0.0.1;proto=http")], "https 192.0.2.1"),
        ([("Forwarded", "for=192.0.2.1;proto=https, for=_x;proto=http")], "http unknown"),
        ([("Forwarded", "for=192.0.2.1;proto=https, proto=http")], "http unknown"),
        ([("X-Forwarded-Proto", "https")], "https unknown"), ([("Via", "1.1 cache")], "http unknown"),
        ([("X-Real-IP", "192.0.2.1")], "http unknown"), ([("x-forwarded-host", "h")], "http unknown"),
        ([("Forwarded", "for=192.0.2.1"), ("X-Forwarded-Proto", "https")], "https 192.0.2.1"),
        ([("Forwarded", "for=192.0.2.1"), ("X-Forwarded-For", "192.0.2.1")], "http 192.0.2.1"),
        ([("Forwarded", "for=192.0.2.1"), ("X-Forwarded-For", "192.0.2.2")], "http unknown"),
        ([("Forwarded", "for=_hidden"), ("X-Forwarded-For", "192.0.2.2")], "http unknown"),
        ([("Forwarded", "nonsense"), ("X-Forwarded-For", "192.0.2.2")], "http unknown"),
        ([("X-Forwarded-Proto", "ftp")], "http unknown"), ([("Forwarding", "for=192.0.2.1")], "http 127.0.0.1"),
    ]

    @Test("the way is followed back to the first who is not trusted, and no further than it is told", arguments: ways)
    func way(fields: [(String, String)], expected: String) throws {
        func words(_ client: Client) -> String { "\(client.scheme) \(client.address.host)" }
        #expect(words(try client(fields)) == expected)
        #expect(words(try client(fields, peer: "127.0.0.2")) == "http 127.0.0.2")
        #expect(words(try client(fields, trusted: [])) == "http 127.0.0.1")
        #expect(words(try client(fields, peer: "127.0.0.2", isTLS: true)) == "https 127.0.0.2")
    }

    @Test("what says that it was passed on is never this machine's, whoever says it", arguments: ways)
    func local(fields: [(String, String)], words: String) throws {
        let isPlain = words == "http 127.0.0.1"
        #expect(try client(fields).isLocal == isPlain)
        #expect(try client(fields, trusted: []).isLocal == isPlain)
        #expect(try client(fields, peer: "::1", trusted: ["::1"]).isLocal == isPlain)
        #expect(try !client(fields, isPassedOn: true).isLocal)
        #expect(try !client(fields, peer: "10.0.0.1").isLocal)
    }

    @Test("not even where it is said to come from here", arguments: ["127.0.0.1", "127.0.0.1, 127.0.0.1", "::1"])
    func toldLocal(way: String) throws {
        let client = try client([("X-Forwarded-For", way)], trusted: ["127.0.0.0/8", "::1"])
        #expect(client.address.isLoopback && !client.isLocal)
    }

    @Test("an address that is not told is nowhere")
    func untold() throws {
        #expect(!SocketAddress.untold.isLoopback)
        #expect(try !AddressSet(["0.0.0.0/0", "::/0", "unix"]).contains(.untold))
    }
}
