import Testing

@testable import WebSocket

private let nonce = [UInt8]("the sample nonce")
private let accept = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
private let head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"

private func handshake(_ subprotocols: [String] = ["chat", "superchat"]) -> ClientHandshake {
    ClientHandshake(host: "server.example.com", path: "/chat", subprotocols: subprotocols, nonce: nonce)
}

private func outcome(of response: String) -> Result<Int?, HandshakeError> {
    var handshake = handshake()
    let bytes = [UInt8](response)
    do throws(HandshakeError) {
        return .success(try handshake.receive(bytes.span))
    } catch {
        return .failure(error)
    }
}

struct WrongAnswer: Sendable {
    var response: String
    var error: HandshakeError
}

private let protocolField = "\r\nSec-WebSocket-Protocol: "

let wrongAnswers: [WrongAnswer] = [
    WrongAnswer(response: "\(head)\r\n", error: .wrongAcceptKey),
    WrongAnswer(response: "\(head)\(accept.dropLast())\r\n\r\n", error: .wrongAcceptKey),
    WrongAnswer(response: "\(head)\(accept)\r\n\(accept)\r\n\r\n", error: .wrongAcceptKey),
    WrongAnswer(response: "HTTP/1.1 101 S\r\nConnection: Upgrade\r\n\(accept)\r\n\r\n", error: .notUpgraded),
    WrongAnswer(response: "HTTP/1.1 101 S\r\nUpgrade: websocket\r\n\(accept)\r\n\r\n", error: .notUpgraded),
    WrongAnswer(
        response: "\(head)\(accept)\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
        error: .unexpectedExtension),
    WrongAnswer(response: "\(head)\(accept)\(protocolField)other\r\n\r\n", error: .unexpectedSubprotocol),
    WrongAnswer(
        response: "\(head)\(accept)\(protocolField)chat\(protocolField)chat\r\n\r\n", error: .unexpectedSubprotocol),
    WrongAnswer(response: "\(head)\(accept)\(protocolField)chat, superchat\r\n\r\n", error: .unexpectedSubprotocol),
]

@Suite("The client's opening handshake (RFC 6455 section 4.1)")
struct ClientHandshakeTests {
    @Test("The request")
    func request() throws {
        let handshake = ClientHandshake(
            host: "server.example.com:81", path: "/chat?user=ada", subprotocols: ["chat", "superchat"],
            headers: [("Authorization", "Bearer t")], nonce: nonce)
        let text = try #require(String(validating: handshake.request, as: UTF8.self))
        #expect(
            text == """
                GET /chat?user=ada HTTP/1.1\r
                Host: server.example.com:81\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
                Sec-WebSocket-Version: 13\r
                Sec-WebSocket-Protocol: chat, superchat\r
                Authorization: Bearer t\r
                \r

                """)
    }

    @Test("Nothing handed in can break out of its line")
    func noInjection() throws {
        let handshake = ClientHandshake(
            host: "a\r\nX: 1", path: "chat ü\r\n\r\nGET /", headers: [("N\n", "v\r\nY: 2\u{0}")], nonce: nonce)
        let text = try #require(String(validating: handshake.request, as: UTF8.self))
        #expect(text.hasPrefix("GET /chat%20%C3%BCGET%20/ HTTP/1.1\r\nHost: aX: 1\r\nUpgrade"))
        #expect(text.hasSuffix("\r\nN: vY: 2\r\n\r\n"))
        let empty = ClientHandshake(host: "a", path: "", nonce: nonce)
        #expect(empty.request.starts(with: [UInt8]("GET / HTTP/1.1\r\n")))
        #expect(!(String(validating: empty.request, as: UTF8.self) ?? "").contains("Protocol"))
    }

    @Test("The answer is read however it is cut, and what follows is left", arguments: [1, 2, 7, 1_000])
    func response(length: Int) throws {
        let response = [UInt8](head + accept + "\r\nSec-WebSocket-Protocol: chat\r\n\r\n")
        var handshake = handshake()
        var consumed = 0
        for piece in (response + [0x81, 0x00]).pieces(of: length) {
            if let count = try handshake.receive(piece.span) {
                consumed += count
                break
            }
            consumed += piece.count
        }
        #expect(consumed == response.count)
        #expect(handshake.subprotocol == "chat")
    }

    @Test("A server need not choose a subprotocol, and may spell names as it likes")
    func lenientWhereAllowed() throws {
        let response =
            "HTTP/1.1 101\r\nUPGRADE:WebSocket\r\nconnection: keep-alive, upgrade \r\n" + accept.lowercased().prefix(20)
            + ":\t" + accept.dropFirst(22) + "\t\r\n\r\n"
        #expect(try outcome(of: String(response)).get() == response.utf8.count)
    }

    @Test("What is wrong is refused", arguments: wrongAnswers)
    func refused(_ answer: WrongAnswer) {
        #expect(outcome(of: answer.response) == .failure(answer.error))
    }

    @Test(
        "An answer that is not HTTP/1.1 is refused",
        arguments: [
            "HTTP/1.0 101 S\r\n\r\n", "HTTP/2 101 S\r\n\r\n", "HTTP/1.1 1x1 S\r\n\r\n", "HTTP/1.1 1010 S\r\n\r\n",
            "HTTP/1.1  101 S\r\n\r\n", "\r\n\r\n", "SSH-2.0\r\n\r\n", "HTTP/1.1 101 S\r\nA : b\r\n\r\n",
            "HTTP/1.1 101 S\r\n folded\r\n\r\n", "HTTP/1.1 101 S\r\nnothing\r\n\r\n", "HTTP/1.1 101 S\r\n: a\r\n\r\n",
            "HTTP/1.1 101 S\r\nA: b\nB: c\r\n\r\n", "HTTP/1.1 101 S\r\nA: \u{0}\r\n\r\n",
            "HTTP/1.1 101 S\nA: b\r\n\r\n",
        ])
    func malformed(response: String) {
        #expect(outcome(of: response) == .failure(.malformedResponse))
    }

    @Test("A refusal tells its status and the start of its body")
    func refusal() {
        let response = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 9\r\n\r\nbad token"
        #expect(outcome(of: response) == .failure(.refused(status: 401, body: "bad token")))
        let long = "HTTP/1.1 503 X\r\n\r\n" + String(repeating: "x", count: 5_000)
        #expect(outcome(of: long) == .failure(.refused(status: 503, body: String(repeating: "x", count: 1_024))))
    }

    @Test(
        "A refusal tells the seconds of Retry-After, and nothing where there are none",
        arguments: [
            ("Retry-After: 3", 3), ("retry-after:0", 0), ("Retry-After: 999999999 ", 999_999_999), ("X: 3", nil),
            ("Retry-After: 1000000000", nil), ("Retry-After: -1", nil), ("Retry-After: 1.5", nil),
            ("Retry-After:", nil), ("Retry-After: Fri, 31 Dec 1999 23:59:59 GMT", nil),
        ] as [(String, Int?)])
    func retryAfter(field: String, seconds: Int?) {
        let response = "HTTP/1.1 503 Service Unavailable\r\n\(field)\r\n\r\n"
        #expect(outcome(of: response) == .failure(.refused(status: 503, body: "", retryAfter: seconds)))
    }

    @Test("A head without end is refused")
    func endless() {
        let endless = head + String(repeating: "A: b\r\n", count: 4_000)
        #expect(outcome(of: endless) == .failure(.responseTooLong))
    }

    @Test("A client and a server agree")
    func bothEnds() throws {
        var client = handshake(["fanfare.v1.json"])
        let text = try #require(String(validating: client.request, as: UTF8.self))
        let headers = text.split(separator: "\r\n").dropFirst().map { line in
            let parts = line.split(separator: ": ", maxSplits: 1)
            return (name: String(parts[0]), value: String(parts[1]))
        }
        let answer = ServerHandshake.answer(
            method: "GET", minorVersion: 1, headers: headers, subprotocols: ["fanfare.v1.json"])
        guard case .accept(let response, "fanfare.v1.json", nil) = answer else {
            Issue.record("not accepted")
            return
        }
        #expect(try client.receive(response.span) == response.count)
        #expect(client.subprotocol == "fanfare.v1.json")
    }
}
