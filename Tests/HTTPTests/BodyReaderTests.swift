import Testing

@testable import HTTP

/// Chunks that are refused, and with which status.
private let chunkRefusals: [(String, Int)] = [
    ("x\r\n", 400), ("\r\n", 400), (";a\r\n", 400), (" 1\r\n", 400), ("1 \r\n", 400), ("+1\r\n", 400), ("0x1\r\n", 400),
    ("-1\r\n", 400), ("1\na\r\n", 400), ("1\r\r\n", 400), ("1\r\nab", 400), ("1\r\na\n", 400), ("1\r\na\r\r", 400),
    ("1;\u{0}\r\n", 400), ("1;a\n", 400), ("00000000000000000", 400), ("0\r\nX: \u{0}\r\n", 400), ("0\r\n\r\r", 400),
    ("0\r\n\n", 400), ("0\r\nX: a\n", 400), ("3E9\r\n", 413), ("ffffffffffffffff\r\n", 413),
    ("7fffffffffffffff\r\n", 413),
    ("3E8\r\n\(String(repeating: "a", count: 1_000))\r\n1\r\n", 413),
    ("0\r\nGET /x HTTP/1.1\r\n\r\n", 400), ("0\r\n: a\r\n\r\n", 400), ("0\r\nX : a\r\n\r\n", 400),
    ("0\r\nX: a\r\n b\r\n\r\n", 400), ("0\r\nX\r\n\r\n", 400),
    ("1;\(String(repeating: "a", count: 5_000))", 400), ("0\r\n\(String(repeating: "X: y\r\n", count: 2_000))", 400),
]

@Suite("Bodies (RFC 9112 sections 6 and 7)")
struct BodyReaderTests {
    private let lengthHead = RequestHead(method: "PUT", target: "/", contentLength: 5)

    @Test("Without length or chunks there is no body")
    func noBody() {
        let body = read([[UInt8]("GET")], after: RequestHead(method: "GET", target: "/"))
        #expect(body == Body(isComplete: true))
    }

    @Test("A plain length is read exactly, whole or in pieces")
    func plainLength() {
        let whole = read([[UInt8]("helloGET")], after: lengthHead)
        #expect(whole == Body(bytes: [UInt8]("hello"), consumed: 5, isComplete: true))
        #expect(read([[UInt8]("hel"), [], [UInt8]("loGET")], after: lengthHead) == whole)
        #expect(read([[UInt8]("hel")], after: lengthHead) == Body(bytes: [UInt8]("hel"), consumed: 3))
    }

    @Test("A length past the limit is refused before the body comes")
    func tooLong() {
        #expect(read([], after: lengthHead, limit: 4).status == 413)
        #expect(read([[UInt8]("hello")], after: lengthHead, limit: 5).isComplete)
    }

    @Test("Chunks are joined, extensions and trailers ignored, what follows is left")
    func chunks() {
        let text = "5\r\nhello\r\n006;a=\"b\"\r\n world\r\nA\r\n0123456789\r\n0;x\r\nX-Sum: 1\r\nY:\r\n\r\n"
        let expected = Body(bytes: [UInt8]("hello world0123456789"), consumed: text.utf8.count, isComplete: true)
        #expect(read([[UInt8](text + "GET /")], after: chunkedHead) == expected)
        #expect(read([UInt8](text + "GET /").map { [$0] }, after: chunkedHead) == expected)
        #expect(read([[UInt8]("0\r\n\r\n")], after: chunkedHead) == Body(consumed: 5, isComplete: true))
        #expect(read([[UInt8]("1\r\na\r\n")], after: chunkedHead) == Body(bytes: [UInt8]("a"), consumed: 6))
    }

    @Test("Malformed and oversized chunks are refused, whole or byte by byte", arguments: chunkRefusals)
    func refusedChunks(text: String, status: Int) {
        let bytes = [UInt8](text)
        #expect(read([bytes], after: chunkedHead).status == status)
        #expect(read(bytes.map { [$0] }, after: chunkedHead).status == status)
    }

    @Test("A chunked body may be as long as the limit")
    func chunkedLimit() {
        let text = "3E7\r\n\(String(repeating: "a", count: 999))\r\n1\r\nb\r\n0\r\n\r\n"
        #expect(read([[UInt8](text)], after: chunkedHead).bytes.count == 1_000)
        #expect(read([[UInt8]("0\r\n\r\n")], after: chunkedHead, limit: 0).isComplete)
    }
}
