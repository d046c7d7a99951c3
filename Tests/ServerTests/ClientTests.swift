import HTTP
import Testing
import Transport

@testable import Server

/// Whom the broker takes a request to come from.
@Suite struct ClientTests {
    private func client(
        _ fields: [(String, String)], peer: String = "127.0.0.1", isTLS: Bool = false,
        trusted: [String] = ["127.0.0.1", "10.0.0.0/8"]
    ) throws -> String {
        let peer = try #require(SocketAddress(ip: peer, port: 9))
        let client = Client(
            HTTPHeaders(fields.map { (name: $0.0, value: $0.1) }), peer: peer, isTLS: isTLS,
            trusted: try AddressSet(trusted))
        return "\(client.scheme) \(client.address.host)"
    }

    @Test(
        "the way is followed back to the first who is not trusted",
        arguments: [
            ([], "http 127.0.0.1"), ([("X-Forwarded-For", "192.0.2.1")], "http 192.0.2.1"),
            ([("X-Forwarded-For", "198.51.100.1, 192.0.2.1")], "http 192.0.2.1"),
            ([("X-Forwarded-For", "198.51.100.1, 192.0.2.1, 10.0.0.9, 127.0.0.1")], "http 192.0.2.1"),
            ([("X-Forwarded-For", "10.0.0.2, 10.0.0.1")], "http 10.0.0.2"),
            ([("X-Forwarded-For", "192.0.2.1, nonsense, 10.0.0.1")], "http 10.0.0.1"),
            ([("Forwarded", "for=192.0.2.1;proto=https, for=10.0.0.1;proto=http")], "https 192.0.2.1"),
            ([("Forwarded", "for=192.0.2.1;proto=https, for=_x;proto=http")], "http 127.0.0.1"),
            ([("X-Forwarded-Proto", "https")], "https 127.0.0.1"),
            ([("Forwarded", "for=192.0.2.1"), ("X-Forwarded-Proto", "https")], "https 192.0.2.1"),
            ([("Forwarded", "for=192.0.2.1"), ("X-Forwarded-For", "192.0.2.1")], "http 192.0.2.1"),
            ([("Forwarded", "for=192.0.2.1"), ("X-Forwarded-For", "192.0.2.2")], "http 127.0.0.1"),
            ([("Forwarded", "for=_hidden"), ("X-Forwarded-For", "192.0.2.2")], "http 127.0.0.1"),
            ([("Forwarded", "nonsense"), ("X-Forwarded-For", "192.0.2.2")], "http 127.0.0.1"),
            ([("X-Forwarded-Proto", "ftp")], "http 127.0.0.1"),
        ] as [([(String, String)], String)])
    func way(fields: [(String, String)], expected: String) throws {
        #expect(try client(fields) == expected)
        #expect(try client(fields, peer: "127.0.0.2") == "http 127.0.0.2")
        #expect(try client(fields, trusted: []) == "http 127.0.0.1")
        #expect(try client(fields, peer: "127.0.0.2", isTLS: true) == "https 127.0.0.2")
    }
}
