/// The head of a request: its line and fields (RFC 9112 sections 3 and 5).
public struct RequestHead: Sendable {
    /// The method, in the case in which it came.
    public var method: String
    /// The path and query, beginning with `/`; of an absolute target that part alone; `*` for `OPTIONS *`.
    public var target: String
    /// The minor version of HTTP/1, 0–9.
    public var minorVersion: Int
    /// The fields.
    public var headers: HTTPHeaders
    /// Who the request is for: from an absolute target, else from `Host`; `nil`: not said, which only HTTP/1.0 may do.
    public var host: String?
    /// How many bytes of body follow; `nil`: none, or chunks.
    public var contentLength: Int?
    /// Whether the body follows in chunks (RFC 9112 section 7.1).
    public var isChunked: Bool

    /// Makes a head.
    public init(
        method: String, target: String, minorVersion: Int = 1, headers: HTTPHeaders = HTTPHeaders(),
        host: String? = nil, contentLength: Int? = nil, isChunked: Bool = false
    ) {
        self.method = method
        self.target = target
        self.minorVersion = minorVersion
        self.headers = headers
        self.host = host
        self.contentLength = contentLength
        self.isChunked = isChunked
    }

    /// Whether another request may follow on the connection; never with HTTP/1.0 (RFC 9112 section 9.3).
    public var keepsAlive: Bool {
        minorVersion >= 1 && !headers.hasElement("connection", "close")
    }

    /// Whether the client holds its body back until it is asked for with ``Response/appendContinue(to:)`` (RFC 9110 section 10.1.1).
    public var expectsContinue: Bool {
        minorVersion >= 1 && headers.hasElement("expect", "100-continue") && (isChunked || (contentLength ?? 0) > 0)
    }
}
