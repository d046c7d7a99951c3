import Testing

@testable import WebSocket

private typealias Field = (name: String, value: String)

private func request(_ changes: [String: [String]] = [:]) -> [(name: String, value: String)] {
    var fields: [(String, [String])] = [
        ("Host", ["server.example.com"]), ("Upgrade", ["websocket"]), ("Connection", ["Upgrade"]),
        ("Sec-WebSocket-Key", ["dGhlIHNhbXBsZSBub25jZQ=="]), ("Sec-WebSocket-Version", ["13"]),
        ("Sec-WebSocket-Protocol", []),
    ]
    for index in fields.indices {
        if let values = changes[fields[index].0] { fields[index].1 = values }
    }
    return fields.flatMap { name, values in values.map { (name, $0) } }
}

private func answer(
    _ changes: [String: [String]] = [:], method: String = "GET", minorVersion: Int = 1
) -> ServerHandshake.Answer {
    ServerHandshake.answer(
        method: method, minorVersion: minorVersion, headers: request(changes),
        subprotocols: ["fanfare.v1.json", "second"])
}

@Suite("The server's opening handshake (RFC 6455 section 4.2)")
struct ServerHandshakeTests {
    @Test("The example of section 1.3")
    func example() throws {
        guard case .accept(let response, let subprotocol, nil) = answer() else {
            Issue.record("not accepted")
            return
        }
        let text = try #require(String(validating: response, as: UTF8.self))
        #expect(
            text == """
                HTTP/1.1 101 Switching Protocols\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r
                \r

                """)
        #expect(subprotocol == nil)
    }

    @Test(
        "Lists, repeated fields and case do not matter where they must not",
        arguments: [
            ["Connection": ["keep-alive, Upgrade"]], ["Connection": ["keep-alive", "upgrade"]],
            ["Upgrade": ["WebSocket"]], ["Upgrade": ["h2c, websocket"]], ["Connection": [" ,UPGRADE\t,"]],
        ])
    func accepted(changes: [String: [String]]) {
        guard case .accept = answer(changes) else {
            Issue.record("not accepted")
            return
        }
    }

    @Test("A field's name is compared without case")
    func nameCase() {
        let headers = request().map { (name: $0.name.uppercased(), value: $0.value) }
        let answer = ServerHandshake.answer(method: "GET", minorVersion: 1, headers: headers, subprotocols: [])
        guard case .accept = answer else {
            Issue.record("not accepted")
            return
        }
    }

    @Test(
        "A subprotocol is chosen in the server's order; unknown ones alone are accepted without",
        arguments: zip(
            [
                [], ["fanfare.v1.json"], ["second, fanfare.v1.json"], ["other", "second"], ["other"],
                ["Fanfare.v1.JSON"], [""],
            ],
            [nil, "fanfare.v1.json", "fanfare.v1.json", "second", nil, nil, nil]))
    func subprotocol(offered: [String], expected: String?) throws {
        guard case .accept(let response, let chosen, nil) = answer(["Sec-WebSocket-Protocol": offered]) else {
            Issue.record("not accepted")
            return
        }
        let text = try #require(String(validating: response, as: UTF8.self))
        #expect(chosen == expected)
        #expect(text.contains("Sec-WebSocket-Protocol") == (expected != nil))
        if let expected { #expect(text.contains("\r\nSec-WebSocket-Protocol: \(expected)\r\n")) }
        #expect(!text.lowercased().contains("extensions"))
    }

    @Test(
        "What is wrong is refused with 400",
        arguments: [
            ["Host": []], ["Host": ["a", "b"]], ["Connection": ["keep-alive"]], ["Connection": []],
            ["Sec-WebSocket-Key": []], ["Sec-WebSocket-Key": ["dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ=="]],
            ["Sec-WebSocket-Key": ["dGhlIHNhbXBsZSBub25j"]], ["Sec-WebSocket-Key": ["dGhlIHNhbXBsZSBub25jZQ="]],
            ["Sec-WebSocket-Key": ["dGhlIHNhbXBsZSBub25jZSE="]], ["Sec-WebSocket-Key": ["!!hlIHNhbXBsZSBub25jZQ=="]],
            ["Sec-WebSocket-Key": ["===================x===="]], ["Sec-WebSocket-Key": [""]],
            ["Sec-WebSocket-Version": ["13", "13"]],
        ])
    func badRequest(changes: [String: [String]]) {
        guard case .reject(let status, let reason, _) = answer(changes) else {
            Issue.record("not refused")
            return
        }
        #expect(status == 400)
        #expect(!reason.isEmpty)
    }

    @Test(
        "Another version is refused with 426 and the version spoken",
        arguments: [["12"], ["8"], [], ["13, 8"], ["013"]])
    func wrongVersion(versions: [String]) {
        guard case .reject(let status, _, let headers) = answer(["Sec-WebSocket-Version": versions]) else {
            Issue.record("not refused")
            return
        }
        #expect(status == 426)
        #expect(headers.map(\.0) == ["Sec-WebSocket-Version"])
        #expect(headers.map(\.1) == ["13"])
    }

    @Test("HTTP/1.0 and other methods are refused")
    func wrongRequestLine() {
        guard case .reject(405, _, let headers) = answer(method: "POST"),
            case .reject(400, _, _) = answer(minorVersion: 0)
        else {
            Issue.record("not refused")
            return
        }
        #expect(headers.map(\.1) == ["GET"])
    }

    @Test("A plain request is told apart", arguments: [[], ["h2c"], ["websockets"], ["web socket"]])
    func notAnUpgrade(upgrade: [String]) {
        guard case .notAnUpgrade = answer(["Upgrade": upgrade]) else {
            Issue.record("taken for an upgrade")
            return
        }
    }

    private func digest(_ bytes: [UInt8]) -> String {
        let hash = SHA1.hash(bytes.span)
        return Base64.encode(hash.span)
    }

    @Test("SHA-1: the examples of RFC 3174")
    func sha1Examples() {
        let long = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
        #expect(digest(Array("abc".utf8)) == "qZk+NkcGgWq6PiVxeFDCbJzQ2J0=")
        #expect(digest(Array(long.utf8)) == "hJg+RBw70m66rkqh+VEp5eVGcPE=")
    }

    @Test(
        "SHA-1 around the ends of its blocks",
        arguments: zip(
            [0, 55, 56, 64, 119, 1_000],
            [
                "2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "wci73CJ5bijA4VFj0giZtlYh1lo=", "wtszD2CDhUyZ1LW/tujynyAb5pk=",
                "AJi6gktcFkJ716ESKlpEKiXsZE0=", "7pcQZaqgF+BjKoymx3uzv4sd/FY=", "KR6abGaZSUm1e6XmUDYemPw2sbo=",
            ]))
    func sha1(count: Int, digest: String) {
        #expect(self.digest([UInt8](repeating: UInt8(ascii: "a"), count: count)) == digest)
    }

    @Test(
        "Base64 (RFC 4648 section 10)",
        arguments: zip(
            ["", "f", "fo", "foo", "foob", "fooba", "foobar"],
            ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]))
    func base64(text: String, encoded: String) {
        #expect(Base64.encode(text.utf8.span) == encoded)
        #expect(Base64.decodedCount(encoded.utf8.span) == text.utf8.count)
    }
}
