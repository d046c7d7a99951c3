import HTTP
import WebSocket

/// Any requests are read the same however they are cut, and a head that was taken means what a plain reader sees in it.
///
/// Input: a byte of options, a seed for the cutting, the bytes of a connection.
enum HTTPRules {
    static let maxBodyBytes = 300

    static func check(_ input: [UInt8]) throws(Broken) {
        guard input.count > 2 else { return }
        let limits =
            input[0] & 1 == 0
            ? HTTPLimits() : HTTPLimits(maxHeadBytes: 300, maxFields: 6, maxTargetBytes: 60)
        let bytes = Array(input[2...])
        var whole = Reader(limits)
        whole.feed([bytes])
        var cut = Reader(limits)
        cut.feed(bytes.cut(by: input[1]))
        try expectSame(whole.requests, cut.requests, "the cutting changes the requests")
        try expectSame(whole.error, cut.error, "the cutting changes the error")
        try expect((400..<600).contains(whole.error?.status ?? 400), "an error with a status that is none")
        for (head, request) in zip(whole.heads, whole.requests) {
            try HeadRules.check(head, limits)
            try expect(request.body.count <= maxBodyBytes, "a body is past the limit")
            if let length = head.contentLength, request.isComplete {
                try expectSame(request.body.count, length, "the body's length")
            }
            try checkHandshake(head)
        }
    }

    /// An acceptance is a head of its own lines only, whatever was in the request.
    private static func checkHandshake(_ head: RequestHead) throws(Broken) {
        let answer = ServerHandshake.answer(
            method: head.method, minorVersion: head.minorVersion, headers: head.headers.pairs,
            subprotocols: ["fanfare.v1.json"], deflate: DeflateSettings())
        guard case .accept(let response, let subprotocol, let deflate) = answer else { return }
        let text = response.text
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        try expect(text.utf8.allSatisfy { $0 < 127 }, "an acceptance is not ASCII")
        try expect(text.hasPrefix("HTTP/1.1 101 ") && text.hasSuffix("\r\n\r\n"), "an acceptance is not a head")
        let expected = 6 + (subprotocol == nil ? 0 : 1) + (deflate == nil ? 0 : 1)
        try expectSame(lines.count, expected, "an acceptance has other lines")
        if let deflate { try check(deflate) }
    }

    /// What is agreed on can be done.
    static func check(_ deflate: DeflateParameters) throws(Broken) {
        try expect((8...15).contains(deflate.ownWindowBits), "a window of our own of \(deflate.ownWindowBits) bits")
        try expect(
            (8...15).contains(deflate.peerWindowBits), "a window of the other's of \(deflate.peerWindowBits) bits")
    }
}

/// A request in a form that can be compared.
struct ReadRequest: Equatable {
    let head: PlainHead
    /// What was read of it; nothing where it is not complete.
    var body: [UInt8] = []
    var isComplete = false
}

/// A connection's reader: head, body, head, until something is wrong.
private struct Reader {
    private(set) var heads: [RequestHead] = []
    private(set) var requests: [ReadRequest] = []
    private(set) var error: HTTPError?

    private var parser: RequestHeadParser
    private var body: BodyReader?
    private var buffer: [UInt8] = []

    init(_ limits: HTTPLimits) {
        parser = RequestHeadParser(limits: limits)
    }

    mutating func feed(_ pieces: [[UInt8]]) {
        for piece in pieces where error == nil {
            buffer += piece
            do throws(HTTPError) {
                while try step() {}
            } catch {
                self.error = error
            }
        }
    }

    /// Takes one head, or what there is of a body; `false`: more bytes are needed.
    private mutating func step() throws(HTTPError) -> Bool {
        let bytes = buffer
        guard var body else {
            guard let (head, consumed) = try parser.parse(bytes.span) else { return false }
            heads.append(head)
            requests.append(ReadRequest(head: PlainHead(head)))
            buffer.removeFirst(consumed)
            self.body = try BodyReader(for: head, limit: HTTPRules.maxBodyBytes)
            return true
        }
        buffer.removeFirst(try body.receive(bytes.span))
        if body.isComplete {
            requests[requests.count - 1].body = body.body
            requests[requests.count - 1].isComplete = true
        }
        self.body = body.isComplete ? nil : body
        return body.isComplete
    }
}
