import Testing

@testable import HTTP

private let line = "GET / HTTP/1.1\r\n"
private let host = "Host: a\r\n"

/// A head that is refused, and with which status.
struct Refusal: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var text: String
    var status: Int

    init(_ name: String, _ text: String, _ status: Int = 400) {
        (testDescription, self.text, self.status) = (name, text, status)
    }
}

let requestLineRefusals: [Refusal] = [
    Refusal("bare LF after the request line", "GET / HTTP/1.1\nHost: a\r\n\r\n"),
    Refusal("bare LF alone", "\n"),
    Refusal("bare CR in the request line", "GET /\ra HTTP/1.1\r\n\(host)\r\n"),
    Refusal("two CR", "GET / HTTP/1.1\r\r\n\(host)\r\n"),
    Refusal("NUL in the target", "GET /\u{0} HTTP/1.1\r\n"),
    Refusal("tab instead of a space", "GET\t/ HTTP/1.1\r\n\(host)\r\n"),
    Refusal("DEL in the target", "GET /\u{7F} HTTP/1.1\r\n"),
    Refusal("TLS", "\u{16}\u{3}\u{1}"),
    Refusal("two blank lines first", "\r\n\r\n"),
    Refusal("no version", "GET /\r\n\(host)\r\n"),
    Refusal("no target", "GET  HTTP/1.1\r\n\(host)\r\n"),
    Refusal("two spaces", "GET  / HTTP/1.1\r\n\(host)\r\n"),
    Refusal("space at the end", "GET / HTTP/1.1 \r\n\(host)\r\n"),
    Refusal("space first", " GET / HTTP/1.1\r\n\(host)\r\n"),
    Refusal("space in the target", "GET /a b HTTP/1.1\r\n\(host)\r\n"),
    Refusal("method with a colon", "GE:T / HTTP/1.1\r\n\(host)\r\n"),
    Refusal("target without a slash", "GET a HTTP/1.1\r\n\(host)\r\n"),
    Refusal("target with a fragment", "GET /a#b HTTP/1.1\r\n\(host)\r\n"),
    Refusal("target not ASCII", "GET /ü HTTP/1.1\r\n\(host)\r\n"),
    Refusal("asterisk for GET", "GET * HTTP/1.1\r\n\(host)\r\n"),
    Refusal("authority form", "CONNECT a:80 HTTP/1.1\r\n\(host)\r\n"),
    Refusal("absolute target without host", "GET http:///a HTTP/1.1\r\n\(host)\r\n"),
    Refusal("absolute target with a user", "GET http://u@a/ HTTP/1.1\r\n\(host)\r\n"),
    Refusal("absolute target of another scheme", "GET ftp://a/ HTTP/1.1\r\n\(host)\r\n"),
    Refusal("absolute target does not replace Host", "GET http://a/ HTTP/1.1\r\n\r\n"),
    Refusal("lower-case version", "GET / http/1.1\r\n\(host)\r\n"),
    Refusal("version of two digits", "GET / HTTP/1.10\r\n\(host)\r\n"),
    Refusal("version without a dot", "GET / HTTP/11\r\n\(host)\r\n"),
    Refusal("HTTP/2.0", "GET / HTTP/2.0\r\n\(host)\r\n", 505),
    Refusal("HTTP/0.9", "GET / HTTP/0.9\r\n\(host)\r\n", 505),
    Refusal("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    Refusal("target too long", "GET /\(String(repeating: "a", count: 8_192)) HTTP/1.1\r\n\(host)\r\n", 414),
    Refusal("method too long", "\(String(repeating: "A", count: 65)) / HTTP/1.1\r\n\(host)\r\n", 501),
]

let fieldRefusals: [Refusal] = [
    Refusal("bare LF after a field", "\(line)Host: a\n\r\n"),
    Refusal("bare LF at the end", "\(line)\(host)\n"),
    Refusal("bare CR in a field", "\(line)Host: a\rX: b\r\n\r\n"),
    Refusal("NUL in a value", "\(line)Host: a\u{0}b\r\n\r\n"),
    Refusal("control character in a value", "\(line)X: \u{1B}[0m\r\n\(host)\r\n"),
    Refusal("folded field", "\(line)Host: a\r\n b\r\n\r\n"),
    Refusal("folded by a tab", "\(line)Host: a\r\n\tb\r\n\r\n"),
    Refusal("space before the first field", "\(line) Host: a\r\n\r\n"),
    Refusal("space before the colon", "\(line)Host : a\r\n\r\n"),
    Refusal("tab before the colon", "\(line)Host\t: a\r\n\r\n"),
    Refusal("no colon", "\(line)Host\r\n\r\n"),
    Refusal("no name", "\(line): a\r\n\(host)\r\n"),
    Refusal("name not ASCII", "\(line)Hößt: a\r\n\(host)\r\n"),
    Refusal("name with a bracket", "\(line)X[1]: a\r\n\(host)\r\n"),
    Refusal("no Host", "\(line)X: a\r\n\r\n"),
    Refusal("two Hosts", "\(line)\(host)\(host)\r\n"),
    Refusal("two Hosts in HTTP/1.0", "GET / HTTP/1.0\r\n\(host)host: b\r\n\r\n"),
    Refusal("Host with a space", "\(line)Host: a b\r\n\r\n"),
    Refusal("Host as a list", "\(line)Host: a, b\r\n\r\n"),
    Refusal("Host with a path", "\(line)Host: a/b\r\n\r\n"),
    Refusal("Host with a user", "\(line)Host: u@a\r\n\r\n"),
    Refusal("Host with a port that is none", "\(line)Host: a:b\r\n\r\n"),
    Refusal("Host with an open bracket", "\(line)Host: [::1\r\n\r\n"),
    Refusal("head too large", "\(line)\(host)X: \(String(repeating: "a", count: 16_384))\r\n\r\n", 431),
    Refusal("too many fields", "\(line)\(String(repeating: host, count: 101))\r\n", 431),
]

let framingRefusals: [Refusal] = [
    Refusal("length and chunks", "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"),
    Refusal("chunks and length", "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n"),
    Refusal("unknown coding and length", "Transfer-Encoding: x\r\nContent-Length: 1\r\n"),
    Refusal("the same length twice", "Content-Length: 5\r\ncontent-length: 5\r\n"),
    Refusal("differing lengths", "Content-Length: 1\r\nContent-Length: 2\r\n"),
    Refusal("lengths that differ in form", "Content-Length: 1\r\nContent-Length: 01\r\n"),
    Refusal("length as a list", "Content-Length: 1, 1\r\n"),
    Refusal("negative length", "Content-Length: -1\r\n"),
    Refusal("length with a sign", "Content-Length: +1\r\n"),
    Refusal("hexadecimal length", "Content-Length: 0x1\r\n"),
    Refusal("length with a fraction", "Content-Length: 1.0\r\n"),
    Refusal("length with a space", "Content-Length: 1 1\r\n"),
    Refusal("empty length", "Content-Length:\r\n"),
    Refusal("length in other digits", "Content-Length: ١\r\n"),
    Refusal("length past 63 bits", "Content-Length: 9223372036854775808\r\n", 413),
    Refusal("gzip", "Transfer-Encoding: gzip\r\n", 501),
    Refusal("identity", "Transfer-Encoding: identity\r\n", 501),
    Refusal("gzip, chunked", "Transfer-Encoding: gzip, chunked\r\n", 501),
    Refusal("chunked, identity", "Transfer-Encoding: chunked, identity\r\n", 501),
    Refusal("chunked twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 501),
    Refusal("xchunked", "Transfer-Encoding: xchunked\r\n", 501),
    Refusal("quoted chunked", "Transfer-Encoding: \"chunked\"\r\n", 501),
    Refusal("empty coding", "Transfer-Encoding:\r\n", 501),
    Refusal("vertical tab before chunked", "Transfer-Encoding: \u{B}chunked\r\n"),
]

@Suite("Request heads (RFC 9112)")
struct RequestHeadTests {
    @Test("Malformed request lines are refused", arguments: requestLineRefusals)
    func requestLine(_ refusal: Refusal) {
        #expect(parse(refusal.text).status == refusal.status)
    }

    @Test("Malformed fields are refused", arguments: fieldRefusals)
    func fields(_ refusal: Refusal) {
        #expect(parse(refusal.text).status == refusal.status)
    }

    @Test(
        "Bodies whose length two readers could take differently are refused (RFC 9112 section 11.2)",
        arguments: framingRefusals)
    func framing(_ refusal: Refusal) {
        #expect(parse("\(line)\(host)\(refusal.text)\r\n").status == refusal.status)
    }

    @Test("Transfer-Encoding in HTTP/1.0 is refused")
    func chunksInOldVersion() {
        #expect(parse("PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n").status == 400)
    }

    @Test("A head is read, and what follows is left")
    func wholeHead() throws {
        let text =
            "PUT /v1/x?y=1 HTTP/1.1\r\nhost: h:80\r\nX-Empty:\r\nX-Two:  a \t b\t \r\nx-two: c,d , ,\r\nContent-Length: 3\r\n\r\n"
        guard case .head(let head, let consumed) = parse("\(text)abc") else {
            Issue.record("not read")
            return
        }
        #expect(consumed == text.utf8.count)
        #expect(head.method == "PUT")
        #expect(head.target == "/v1/x?y=1")
        #expect(head.minorVersion == 1)
        #expect(head.host == "h:80")
        #expect(head.contentLength == 3)
        #expect(!head.isChunked)
        #expect(head.keepsAlive)
        #expect(head.headers["HOST"] == "h:80")
        #expect(head.headers["X-EMPTY"] == "")
        #expect(head.headers["missing"] == nil)
        #expect(head.headers.all("X-Two") == ["a \t b", "c,d , ,"])
        #expect(head.headers.elements("X-Two") == ["a \t b", "c", "d"])
        #expect(head.headers.pairs.map(\.name) == ["host", "X-Empty", "X-Two", "x-two", "Content-Length"])
    }

    @Test(
        "Forms of the target",
        arguments: zip(
            ["/", "/a?b", "//a", "http://h", "http://h?q", "HTTPS://h:1/a?b", "http://[::1]:80/", "/http://x/"],
            [
                ("/", "a"), ("/a?b", "a"), ("//a", "a"), ("/", "h"), ("/?q", "h"), ("/a?b", "h:1"), ("/", "[::1]:80"),
                ("/http://x/", "a"),
            ]))
    func target(target: String, expected: (String, String)) throws {
        let head = try #require(parse("GET \(target) HTTP/1.1\r\n\(host)\r\n").head)
        #expect(head.target == expected.0)
        #expect(head.host == expected.1)
    }

    @Test("OPTIONS may ask for everything")
    func asterisk() {
        #expect(parse("OPTIONS * HTTP/1.1\r\n\(host)\r\n").head?.target == "*")
    }

    @Test("Hosts", arguments: ["", "a.example", "127.0.0.1:8080", "[2001:db8::1]", "[::1]:9", "a:", "x_y~z-%41"])
    func hosts(value: String) {
        #expect(parse("\(line)Host: \(value)\r\n\r\n").head?.host == value)
    }

    @Test("A host's name is made of letters, digits and fifteen marks")
    func hostCharacters() {
        let marks = Set("-._~%!$&'()*+;=".utf8)
        for byte in UInt8(0x21)...0x7E where byte != UInt8(ascii: ":") {
            let name = String(decoding: [UInt8(ascii: "a"), byte], as: UTF8.self)
            let isPart = Byte.isLetter(byte) || Byte.isDigit(byte) || marks.contains(byte)
            #expect((parse("\(line)Host: \(name)\r\n\r\n").head != nil) == isPart, "\(name)")
        }
    }

    @Test(
        "Whether the connection goes on",
        arguments: zip(
            ["HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/1.0", "HTTP/1.2"],
            [
                "X: y", "Connection: close", "Connection: Upgrade, CLOSE", "Connection: closed", "X: y",
                "Connection: keep-alive", "X: y",
            ]))
    func keepsAlive(version: String, field: String) {
        let expected = version != "HTTP/1.0" && (field == "X: y" || field.hasSuffix("closed"))
        #expect(parse("GET / \(version)\r\n\(host)\(field)\r\n\r\n").head?.keepsAlive == expected)
    }

    @Test("HTTP/1.0 needs no Host")
    func oldVersion() throws {
        let head = try #require(parse("GET / HTTP/1.0\r\n\r\n").head)
        #expect(head.minorVersion == 0)
        #expect(head.host == nil)
    }

    @Test("Chunks and lengths are known")
    func framings() {
        #expect(parse("\(line)\(host)Transfer-Encoding: Chunked\r\n\r\n").head?.isChunked == true)
        #expect(parse("\(line)\(host)content-length: 5\r\n\r\n").head?.contentLength == 5)
        #expect(parse("\(line)\(host)Content-Length: 9223372036854775807\r\n\r\n").head?.contentLength == .max)
        #expect(parse("\(line)\(host)\r\n").head?.contentLength == nil)
    }

    @Test("A client that waits for 100 Continue is known")
    func expectsContinue() {
        #expect(parse("\(line)\(host)Expect: 100-Continue\r\nContent-Length: 5\r\n\r\n").head?.expectsContinue == true)
        #expect(parse("\(line)\(host)Expect: 100-continue\r\n\r\n").head?.expectsContinue == false)
        #expect(parse("\(line)\(host)Content-Length: 5\r\n\r\n").head?.expectsContinue == false)
    }

    @Test("One blank line before a request is passed over")
    func blankLineFirst() {
        guard case .head(_, let consumed) = parse("\r\n\(line)\(host)\r\n") else {
            Issue.record("not read")
            return
        }
        #expect(consumed == 2 + line.utf8.count + host.utf8.count + 2)
    }

    @Test("Each request of a connection may have one blank line before it, and no more")
    func blankLineBeforeEach() throws {
        let request = "\r\n\(line)\(host)\r\n"
        let bytes = [UInt8](request + request + "\r\n\r\n\(line)")
        var parser = RequestHeadParser()
        var rest = bytes[...]
        for _ in 0..<2 {
            let found = try #require(try parser.parse(Array(rest).span))
            #expect(found.consumed == request.utf8.count)
            rest = rest.dropFirst(found.consumed)
        }
        #expect(throws: HTTPError.self) { _ = try parser.parse(Array(rest).span) }
    }

    @Test("A blank line first loosens nothing else", arguments: requestLineRefusals + fieldRefusals)
    func blankLineBeforeRefusals(refusal: Refusal) {
        #expect(parse("\r\n" + refusal.text).status == refusal.status)
    }

    @Test("Limits are inclusive")
    func limits() {
        let longTarget = "/" + String(repeating: "a", count: 8_191)
        #expect(parse("GET \(longTarget) HTTP/1.1\r\n\(host)\r\n").head?.target == longTarget)
        let rest = 16_384 - line.utf8.count - host.utf8.count - 7
        #expect(parse("\(line)\(host)X: \(String(repeating: "a", count: rest))\r\n\r\n").head != nil)
        #expect(parse("\(line)\(host)X: \(String(repeating: "a", count: rest + 1))\r\n\r\n").status == 431)
        #expect(parse("\(line)\(host)\(String(repeating: "X: y\r\n", count: 99))\r\n").head?.headers.pairs.count == 100)
    }

    @Test("Endless input is refused before it is kept")
    func endless() {
        #expect(parse("GET /\(String(repeating: "a", count: 9_000))").status == 414)
        #expect(parse("\(line)X: \(String(repeating: "a", count: 17_000))").status == 431)
        #expect(parse("GET / \(String(repeating: "a", count: 17_000))").status == 431)
        #expect(parse(String(repeating: "A", count: 100)).status == 501)
    }

    @Test("A value that is not UTF-8 is repaired")
    func repaired() {
        #expect(parse([UInt8]("\(line)\(host)X: ") + [0xFF] + [UInt8]("\r\n\r\n")).head?.headers["x"] == "\u{FFFD}")
    }

    @Test("One parser reads one request after the other")
    func pipelined() throws {
        var parser = RequestHeadParser()
        let bytes = [UInt8]("GET /1 HTTP/1.1\r\n\(host)\r\nGET /2 HTTP/1.1\r\n\(host)\r\n")
        let first = try #require(try parser.parse(bytes.span))
        let second = try #require(try parser.parse(bytes.span.extracting(first.consumed...)))
        #expect(first.head.target == "/1")
        #expect(second.head.target == "/2")
        #expect(first.consumed + second.consumed == bytes.count)
    }
}
