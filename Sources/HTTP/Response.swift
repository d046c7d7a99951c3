/// An answer to a request (RFC 9112 section 4).
public struct Response: Sendable {
    /// The status, 200–599.
    public var status: Int
    /// The fields; `Content-Length`, `Transfer-Encoding` and `Connection` are the writer's own and are left out.
    public var headers: HTTPHeaders
    /// The body.
    public var body: [UInt8]

    /// Makes an answer.
    public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Appends the whole answer, with its length save where a status has no body (RFC 9110 section 8.6).
    ///
    /// - Parameters:
    ///   - output: Where it goes.
    ///   - keepAlive: Whether another answer may follow; else it says `Connection: close`.
    ///   - omitsBody: Whether the request was a `HEAD`: the length is told, the body left out.
    public func append(to output: inout [UInt8], keepAlive: Bool, omitsBody: Bool) {
        let hasNoBody = status < 200 || status == 204 || status == 304
        appendFields(to: &output)
        if !hasNoBody { output.append(contentsOf: "Content-Length: \(body.count)\r\n".utf8) }
        // Whoever sends Upgrade has to name it here (RFC 9110 section 7.8).
        let options = (headers["upgrade"] == nil ? [] : ["Upgrade"]) + (keepAlive ? [] : ["close"])
        if !options.isEmpty {
            output.append(contentsOf: "Connection: \(options.joined(separator: ", "))\r\n".utf8)
        }
        output.append(contentsOf: "\r\n".utf8)
        if !hasNoBody && !omitsBody { output.append(contentsOf: body) }
    }

    /// Appends the head of an answer without known length and what there is of its body; the body goes on until the
    /// connection is closed (RFC 9112 section 6.3).
    public func appendUnbounded(to output: inout [UInt8]) {
        appendFields(to: &output)
        output.append(contentsOf: "Connection: close\r\n\r\n".utf8)
        output.append(contentsOf: body)
    }

    /// Appends the interim answer that asks for a body which the client holds back (RFC 9110 section 15.2.1).
    public static func appendContinue(to output: inout [UInt8]) {
        output.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8)
    }

    private func appendFields(to output: inout [UInt8]) {
        output.append(contentsOf: "HTTP/1.1 \(status) \(Self.phrase(status))\r\n".utf8)
        for (name, value) in headers.pairs where !Self.isWritersOwn(name) {
            Self.append(name, to: &output)
            output.append(contentsOf: ": ".utf8)
            Self.append(value, to: &output)
            output.append(contentsOf: "\r\n".utf8)
        }
    }

    /// Appends text without control characters, which could begin a field of their own.
    private static func append(_ text: String, to output: inout [UInt8]) {
        output.append(contentsOf: text.utf8.lazy.filter { !Byte.isControl($0) })
    }

    private static func isWritersOwn(_ name: String) -> Bool {
        ["content-length", "transfer-encoding", "connection"].contains { HTTPHeaders.isSame($0, name) }
    }

    /// The words beside a status (RFC 9110 section 15); empty for one without.
    static func phrase(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 422: "Unprocessable Content"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: ""
        }
    }
}
