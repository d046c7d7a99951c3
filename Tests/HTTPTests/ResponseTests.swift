import Testing

@testable import HTTP

private func written(_ response: Response, keepAlive: Bool = true, omitsBody: Bool = false) -> String {
    var output: [UInt8] = []
    response.append(to: &output, keepAlive: keepAlive, omitsBody: omitsBody)
    return String(validating: output, as: UTF8.self) ?? "not UTF-8"
}

@Suite("Responses (RFC 9112 section 4)")
struct ResponseTests {
    private let response = Response(
        status: 200, headers: HTTPHeaders([("Content-Type", "text/plain"), ("Date", "today")]), body: [UInt8]("héllo"))

    @Test("An answer carries its length")
    func whole() {
        #expect(
            written(response)
                == "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nDate: today\r\nContent-Length: 6\r\n\r\nhéllo")
        #expect(written(Response(status: 404)) == "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    }

    @Test("The last answer says so")
    func close() {
        #expect(
            written(Response(status: 503), keepAlive: false)
                == "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    }

    @Test("What Upgrade offers is named in Connection as well (RFC 9110 section 7.8)")
    func upgrade() {
        let response = Response(status: 426, headers: HTTPHeaders([("Upgrade", "websocket")]))
        #expect(written(response).contains("\r\nConnection: Upgrade\r\n"))
        #expect(written(response, keepAlive: false).contains("\r\nConnection: Upgrade, close\r\n"))
    }

    @Test("HEAD gets the length without the body")
    func head() {
        #expect(written(response, omitsBody: true).hasSuffix("Content-Length: 6\r\n\r\n"))
    }

    @Test("204 and 304 have no body and no length", arguments: [204, 304])
    func noBody(status: Int) {
        let text = written(Response(status: status, body: [UInt8]("x")))
        #expect(text == "HTTP/1.1 \(status) \(Response.phrase(status))\r\n\r\n")
    }

    @Test("The writer's own fields are left out, and no value can begin another field")
    func fields() {
        let headers = HTTPHeaders([
            ("content-length", "99"), ("Transfer-Encoding", "chunked"), ("CONNECTION", "x"),
            ("A\r\n", "b\r\nC: d\u{0}\u{7F}\te"),
        ])
        #expect(
            written(Response(status: 299, headers: headers))
                == "HTTP/1.1 299 \r\nA: bC: d\te\r\nContent-Length: 0\r\n\r\n")
    }

    @Test("An answer without known length ends with the connection")
    func unbounded() {
        var output: [UInt8] = []
        Response(status: 200, headers: HTTPHeaders([("Content-Type", "text/event-stream")]), body: [UInt8](":\n"))
            .appendUnbounded(to: &output)
        let expected = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n:\n"
        #expect(output == [UInt8](expected))
    }

    @Test("100 Continue")
    func interim() {
        var output: [UInt8] = []
        Response.appendContinue(to: &output)
        #expect(output == [UInt8]("HTTP/1.1 100 Continue\r\n\r\n"))
    }

    @Test(
        "Statuses that the broker uses have their words",
        arguments: [400, 401, 403, 404, 405, 409, 413, 414, 422, 426, 429, 431, 501, 503, 505])
    func phrases(status: Int) {
        #expect(!Response.phrase(status).isEmpty)
    }
}
