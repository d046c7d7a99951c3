import TestSupport
import Testing

@testable import HTTP

/// What became of a response that was fed to a reader.
private struct Answer: Equatable {
    var status: Int?
    var body = ""
    var consumed = 0
    var isComplete = false
    var keepsAlive = false
    var reason: String?
}

/// Feeds a response in pieces, and its end where `closes`.
private func read(_ pieces: [[UInt8]], closes: Bool = false, limits: HTTPLimits = HTTPLimits(), most: Int = 100)
    -> Answer
{
    var reader = ResponseReader(limits: limits, maxBodyBytes: most)
    var answer = Answer()
    do throws(ResponseError) {
        for piece in pieces { answer.consumed += try reader.receive(piece.span) }
        if closes { try reader.end() }
    } catch {
        answer.reason = error.reason
    }
    answer.status = reader.head?.status
    answer.body = String(decoding: reader.body, as: UTF8.self)
    answer.isComplete = reader.isComplete
    answer.keepsAlive = reader.keepsAlive
    return answer
}

private func read(_ text: String, closes: Bool = false, most: Int = 100) -> Answer {
    read([[UInt8](text)], closes: closes, most: most)
}

private let refused: [(String, String)] = [
    ("HTTP/2.0 200 OK\r\n\r\n", "another version"), ("ICY 200 OK\r\n\r\n", "no HTTP"),
    ("HTTP/1.1 20 OK\r\n\r\n", "two digits"), ("HTTP/1.1 2000\r\n\r\n", "four digits"),
    ("HTTP/1.1 600 OK\r\n\r\n", "a status above 599"), ("HTTP/1.1 099 OK\r\n\r\n", "a status below 100"),
    ("http/1.1 200 OK\r\n\r\n", "small letters"), ("HTTP/1.1  200 OK\r\n\r\n", "two spaces"),
    ("HTTP/1.1 200 OK\n\n", "bare line feeds"), ("HTTP/1.1 200 OK\r\r\n", "a bare carriage return"),
    ("\r\nHTTP/1.1 200 OK\r\n\r\n", "a blank line first"), ("HTTP/1.1 200 \u{0}\r\n\r\n", "a control character"),
    ("HTTP/1.1 200 OK\r\nA b: c\r\n\r\n", "a space in a name"), ("HTTP/1.1 200 OK\r\n: c\r\n\r\n", "no name"),
    ("HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", "a folded field"), ("HTTP/1.1 200 OK\r\nA\r\n\r\n", "no colon"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "two lengths"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\n", "a list of lengths"),
    ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "a negative length"),
    ("HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n", "a signed length"),
    ("HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n", "an empty length"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n", "a length past the bound"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", "a length past all numbers"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "length and chunks"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "another coding"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "two codings"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", "chunked twice"),
    ("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "chunks in HTTP/1.0"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", "a malformed chunk size"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n", "a chunk past the bound"),
    (
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n60\r\n\(String(repeating: "a", count: 96))\r\n5\r\n",
        "chunks past the bound"
    ),
    ("HTTP/1.1 101 Switching Protocols\r\n\r\n", "another protocol"),
    ("HTTP/1.1 200 OK\r\n\r\n\(String(repeating: "a", count: 101))", "a body without length past the bound"),
    (String(repeating: "HTTP/1.1 103 Early\r\n\r\n", count: 9), "interim answers without end"),
    ("HTTP/1.1 200 \(String(repeating: "a", count: 20_000))", "a head past the bound"),
    ("HTTP/1.1 200 OK\r\n\(String(repeating: "A: b\r\n", count: 101))", "too many fields"),
]

@Suite("Responses (RFC 9112 sections 4 to 7)")
struct ResponseReaderTests {
    @Test("A plain length is read exactly, and another request may follow")
    func length() {
        let text = "HTTP/1.1 200 OK\r\nContent-Type: a\r\nContent-Length: 5\r\n\r\nhello"
        let expected = Answer(
            status: 200, body: "hello", consumed: text.utf8.count, isComplete: true, keepsAlive: true)
        #expect(read(text) == expected)
        #expect(read([UInt8](text).map { [$0] }) == expected)
        #expect(read(text + "HTTP/1.1") == expected, "what follows is left")
    }

    @Test("Chunks are joined, trailers ignored")
    func chunks() {
        let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n3;x\r\nhel\r\n2\r\nlo\r\n0\r\nA: b\r\n\r\n"
        let expected = Answer(
            status: 200, body: "hello", consumed: text.utf8.count, isComplete: true, keepsAlive: true)
        #expect(read(text) == expected)
        #expect(read([UInt8](text).map { [$0] }) == expected)
    }

    @Test("Without length or chunks the body goes on until the close")
    func untilClose() {
        let text = "HTTP/1.1 200 OK\r\n\r\nhello"
        #expect(read(text) == Answer(status: 200, body: "hello", consumed: text.utf8.count))
        #expect(
            read(text, closes: true)
                == Answer(status: 200, body: "hello", consumed: text.utf8.count, isComplete: true))
    }

    @Test(
        "Some answers have no body, whatever their fields say",
        arguments: [
            ("HTTP/1.1 204 No Content\r\n\r\n", 204), ("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", 304),
            ("HTTP/1.1 500\r\nContent-Length: 0\r\n\r\n", 500),
        ])
    func noBody(text: String, status: Int) {
        let expected = Answer(status: status, consumed: text.utf8.count, isComplete: true, keepsAlive: true)
        #expect(read(text) == expected)
    }

    @Test("Interim answers are passed over")
    func interim() {
        let text =
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 429 Slow\r\nContent-Length: 0\r\n\r\n"
        #expect(read(text).status == 429)
        #expect(read(text).isComplete)
    }

    @Test(
        "Another request follows only where both sides let it",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true),
            ("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", false),
            ("HTTP/1.1 200 OK\r\nConnection: a, Close\r\nContent-Length: 0\r\n\r\n", false),
            ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", false),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n", false),
        ])
    func keepsAlive(text: String, keepsAlive: Bool) {
        #expect(read(text).keepsAlive == keepsAlive)
    }

    @Test(
        "An answer that ends too early is none",
        arguments: [
            "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n", "HTTP/1.1 100 Continue\r\n\r\n",
        ])
    func cutShort(text: String) {
        let answer = read(text, closes: true)
        #expect(answer.reason != nil)
        #expect(!answer.isComplete)
    }

    @Test("What could be read in two ways, or is past a bound, is refused, whole or byte by byte", arguments: refused)
    func refusals(text: String, what: String) {
        #expect(read(text).reason != nil, "\(what)")
        #expect(read([UInt8](text).map { [$0] }).reason != nil, "\(what)")
        #expect(read(text).reason == read([UInt8](text).map { [$0] }).reason, "\(what)")
    }

    @Test("However the bytes are cut, the outcome is the same")
    func cuts() {
        var random = SeededGenerator()
        let texts =
            [
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloX",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n1\r\nz\r\n0\r\n\r\nX",
            ] + refused.map(\.0)
        for _ in 0..<500 {
            let bytes = [UInt8](texts[Int.random(in: 0..<texts.count, using: &random)])
            var pieces: [[UInt8]] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...40, using: &random))
                pieces.append(Array(piece))
                rest = rest.dropFirst(piece.count)
            }
            var (whole, cut) = (read([bytes]), read(pieces))
            // Of what is refused, more or less may have been taken before.
            if whole.reason != nil { (whole.consumed, whole.body, cut.consumed, cut.body) = (0, "", 0, "") }
            #expect(whole == cut)
        }
    }

    @Test(
        "Dates are read in the one preferred form",
        arguments: [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("Sun Nov  6 08:49:37 1994", nil), ("", nil), ("120", nil),
            ("Sun, 06 Nov 1994 08:49:37 CET", nil), ("Sun, 06 Nov 1994 24:00:00 GMT", nil),
            ("Sun, 32 Nov 1994 08:49:37 GMT", nil), ("Sun, 06 Foo 1994 08:49:37 GMT", nil),
            ("Sun, 06 Nov 1969 08:49:37 GMT", nil), ("Sun, +6 Nov 1994 08:49:37 GMT", nil),
        ] as [(String, Int64?)])
    func dates(text: String, seconds: Int64?) {
        #expect(HTTPDate.unixSeconds(text) == seconds)
    }
}
