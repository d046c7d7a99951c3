/// The head of a response (RFC 9112 sections 4 and 5).
public struct ResponseHead: Sendable {
    /// The status, 100–599.
    public var status: Int
    /// The minor version of HTTP/1, 0–9.
    public var minorVersion: Int
    /// The fields.
    public var headers: HTTPHeaders

    /// Makes a head.
    public init(status: Int, minorVersion: Int = 1, headers: HTTPHeaders = HTTPHeaders()) {
        self.status = status
        self.minorVersion = minorVersion
        self.headers = headers
    }
}

/// Why a response cannot be read; the connection must be closed.
public struct ResponseError: Error, Sendable, Equatable {
    /// Words for a person; they repeat nothing of the response.
    public let reason: String

    /// Makes an error.
    public init(_ reason: String) {
        self.reason = reason
    }
}

/// The first line of a response (RFC 9112 section 4).
enum StatusLine {
    /// Parses a line without its end; control characters have been refused before.
    ///
    /// A line that ends behind the status, without the space that belongs there, is taken as well.
    static func parse(_ line: Span<UInt8>) throws(ResponseError) -> ResponseHead {
        let pattern = Array("HTTP/1.0 000".utf8)
        guard line.count >= pattern.count, line.count == pattern.count || line[pattern.count] == Byte.space else {
            throw ResponseError("the answer is not HTTP/1.0 or HTTP/1.1")
        }
        for (index, expected) in pattern.enumerated() {
            let fits = expected == 0x30 ? Byte.isDigit(line[index]) : line[index] == expected
            guard fits else { throw ResponseError("the answer is not HTTP/1.0 or HTTP/1.1") }
        }
        let status = (9...11).reduce(0) { $0 * 10 + Int(line[$1] - 0x30) }
        guard (100...599).contains(status) else { throw ResponseError("the answer's status is out of range") }
        return ResponseHead(status: status, minorVersion: Int(line[7] - 0x30))
    }
}
