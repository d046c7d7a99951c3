/// Reads one response to a request other than `HEAD` and `CONNECT`, up to bounds (RFC 9112 section 6.3).
///
/// Every form that two readers could take differently is refused. Interim responses are passed over.
public struct ResponseReader: Sendable {
    /// How the end of the body is known.
    private enum Framing {
        case length(Int)
        case chunks(ChunkedDecoder)
        case untilClose
    }

    /// The most interim responses before the final one.
    private static let maxInterim = 8

    /// The final response's head, once it is there.
    public private(set) var head: ResponseHead?
    /// The body as far as it is there.
    public private(set) var body: [UInt8] = []
    /// Whether the response is all there.
    public private(set) var isComplete = false

    private let limits: HTTPLimits
    private let maxBodyBytes: Int
    private var framing = Framing.length(0)
    /// The head under way; `nil` before its first line.
    private var arriving: ResponseHead?
    private var line: [UInt8] = []
    private var endsWithCarriageReturn = false
    private var headBytes = 0
    private var interimCount = 0

    /// Makes a reader.
    ///
    /// - Parameters:
    ///   - limits: The bounds of all heads together, interim ones included.
    ///   - maxBodyBytes: The most bytes of body that are taken.
    public init(limits: HTTPLimits = HTTPLimits(), maxBodyBytes: Int) {
        self.limits = limits
        self.maxBodyBytes = maxBodyBytes
    }

    /// Takes the next bytes.
    ///
    /// - Returns: How many of them belong to the response; fewer than there are only where it is complete.
    /// - Throws: ``ResponseError`` where it is malformed or past a bound; the reader is then of no more use.
    public mutating func receive(_ bytes: Span<UInt8>) throws(ResponseError) -> Int {
        var offset = 0
        while offset < bytes.count, !isComplete {
            if head == nil {
                try receiveHead(bytes[offset])
                offset += 1
            } else {
                offset += try receiveBody(bytes.extracting(offset...))
            }
        }
        return offset
    }

    /// Notes that the peer will send nothing more.
    ///
    /// - Throws: ``ResponseError`` where the response needs more.
    public mutating func end() throws(ResponseError) {
        if case .untilClose = framing, head != nil { isComplete = true }
        guard isComplete else {
            throw ResponseError(
                head == nil && headBytes == 0
                    ? "the connection was closed without an answer" : "the answer is cut short")
        }
    }

    /// Whether another request may follow on the connection (RFC 9112 section 9.3).
    public var keepsAlive: Bool {
        guard isComplete, let head, head.minorVersion >= 1 else { return false }
        if case .untilClose = framing { return false }
        return !head.headers.hasElement("connection", "close")
    }

    // MARK: The head

    private mutating func receiveHead(_ byte: UInt8) throws(ResponseError) {
        headBytes += 1
        guard headBytes <= limits.maxHeadBytes else { throw ResponseError("the answer's head is too large") }
        if byte == Byte.lineFeed {
            guard endsWithCarriageReturn else { throw ResponseError("a line feed without carriage return") }
            endsWithCarriageReturn = false
            try takeLine()
            line.removeAll(keepingCapacity: true)
            return
        }
        guard !endsWithCarriageReturn else { throw ResponseError("a carriage return without line feed") }
        if byte == Byte.carriageReturn {
            endsWithCarriageReturn = true
            return
        }
        guard !Byte.isControl(byte) else { throw ResponseError("a control character in the answer's head") }
        line.append(byte)
    }

    private mutating func takeLine() throws(ResponseError) {
        guard let current = arriving else {
            arriving = try StatusLine.parse(line.span)
            return
        }
        guard !line.isEmpty else { return try finishHead(current) }
        guard current.headers.count < limits.maxFields else {
            throw ResponseError("the answer has too many fields")
        }
        do throws(HTTPError) {
            let place = try FieldLine.parse(line.span)
            let (name, value) = (line.span.extracting(place.name).text, line.span.extracting(place.value).text)
            arriving?.headers.append(name, value)
        } catch {
            throw ResponseError(error.reason)
        }
    }

    private mutating func finishHead(_ head: ResponseHead) throws(ResponseError) {
        arriving = nil
        if head.status < 200 {
            guard head.status != 101 else { throw ResponseError("the answer changes the protocol unasked") }
            interimCount += 1
            guard interimCount <= Self.maxInterim else { throw ResponseError("too many interim answers") }
            return
        }
        framing = try framing(of: head)
        self.head = head
        if case .length(0) = framing { isComplete = true }
    }

    /// Either a plain length, or chunks, or neither; never what could be read as both.
    private func framing(of head: ResponseHead) throws(ResponseError) -> Framing {
        if head.status == 204 || head.status == 304 { return .length(0) }
        let lengths = head.headers.all("content-length")
        let codings = head.headers.all("transfer-encoding")
        if !codings.isEmpty {
            guard lengths.isEmpty else { throw ResponseError("both Content-Length and Transfer-Encoding") }
            guard head.minorVersion >= 1 else { throw ResponseError("Transfer-Encoding in HTTP/1.0") }
            guard codings.count == 1, HTTPHeaders.isSame(codings[0], "chunked") else {
                throw ResponseError("only the transfer coding chunked is known")
            }
            return .chunks(ChunkedDecoder())
        }
        guard let length = lengths.first else { return .untilClose }
        guard lengths.allSatisfy({ $0 == length }) else { throw ResponseError("differing Content-Lengths") }
        guard !length.isEmpty, length.utf8.allSatisfy(Byte.isDigit) else {
            throw ResponseError("a malformed Content-Length")
        }
        // Digits alone fail only where the number is past `Int.max`.
        guard let count = Int(length), count <= maxBodyBytes else { throw Self.tooLarge }
        return .length(count)
    }

    // MARK: The body

    private static let tooLarge = ResponseError("the answer is too large")

    private mutating func receiveBody(_ bytes: Span<UInt8>) throws(ResponseError) -> Int {
        switch framing {
        case .length(let remaining):
            let part = bytes.extracting(first: remaining)
            append(part)
            framing = .length(remaining - part.count)
            isComplete = remaining == part.count
            return part.count
        case .chunks(var chunks):
            defer { framing = .chunks(chunks) }
            return try receive(bytes, &chunks)
        case .untilClose:
            guard bytes.count <= maxBodyBytes - body.count else { throw Self.tooLarge }
            append(bytes)
            return bytes.count
        }
    }

    private mutating func receive(
        _ bytes: Span<UInt8>, _ chunks: inout ChunkedDecoder
    ) throws(ResponseError) -> Int {
        do throws(HTTPError) {
            switch try chunks.next(bytes, room: maxBodyBytes - body.count) {
            case .framing(let count): return count
            case .data(let count):
                append(bytes.extracting(first: count))
                return count
            case .end(let count):
                isComplete = true
                return count
            }
        } catch {
            throw error.status == 413 ? Self.tooLarge : ResponseError(error.reason)
        }
    }

    private mutating func append(_ bytes: Span<UInt8>) {
        // The buffer is valid for the closure, and `append(contentsOf:)` keeps no reference to it.
        unsafe bytes.withUnsafeBufferPointer { unsafe body.append(contentsOf: $0) }
    }
}
