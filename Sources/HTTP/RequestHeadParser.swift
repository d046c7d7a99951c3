/// Reads request heads, and refuses every form that two readers could take differently (RFC 9112 section 11).
///
/// What is wrong is judged in the order of the bytes, so the outcome does not depend on how they were cut.
public struct RequestHeadParser: Sendable {
    /// The longest method that is looked at; a longer one is not known here (RFC 9112 section 3).
    private static let maxMethodBytes = 64

    private let limits: HTTPLimits
    /// How many bytes were looked at.
    private var scanned = 0
    private var lineStart = 0
    private var endsWithCarriageReturn = false
    private var skippedBlankLine = false
    /// How many spaces the request line has so far, two at most, and where in it they are.
    private var spaceCount = 0
    private var spaces = (0, 0)
    /// What the request line says, once it has come.
    private var head: RequestHead?
    private var fields: [HTTPHeaders.Place] = []

    /// Makes a parser, which serves one connection's requests one after the other.
    public init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
    }

    /// Looks for a whole head.
    ///
    /// - Parameter bytes: All bytes so far from the start of this head; those looked at before are not read again.
    /// - Returns: The head and how many bytes it took, after which the parser is ready for the next one; `nil`: more are
    ///   needed.
    /// - Throws: ``HTTPError`` with 400, 414, 431, 501 or 505; the parser is then of no more use.
    public mutating func parse(_ bytes: Span<UInt8>) throws(HTTPError) -> (head: RequestHead, consumed: Int)? {
        while scanned < bytes.count {
            if !endsWithCarriageReturn { if head == nil { skipVisible(bytes) } else { skipPlain(bytes) } }
            guard scanned < bytes.count else { return nil }
            guard scanned < limits.maxHeadBytes else { throw .headTooLarge("the head is too large") }
            let byte = bytes[scanned]
            scanned += 1
            if byte == Byte.lineFeed {
                guard endsWithCarriageReturn else { throw .badRequest("a line feed without carriage return") }
                endsWithCarriageReturn = false
                let line = lineStart..<scanned - 2
                lineStart = scanned
                if let head = try take(line, of: bytes) {
                    let consumed = scanned
                    self = RequestHeadParser(limits: limits)
                    return (head, consumed)
                }
            } else {
                try look(at: byte)
            }
        }
        return nil
    }

    /// Passes what in the request line can only be part of it, and is not too long for that.
    private mutating func skipVisible(_ bytes: Span<UInt8>) {
        let (start, longest) =
            switch spaceCount {
            case 0: (lineStart, Self.maxMethodBytes)
            case 1: (lineStart + spaces.0 + 1, limits.maxTargetBytes)
            default: (lineStart, Int.max)
            }
        var end = min(bytes.count, limits.maxHeadBytes)
        if longest < end - start { end = start + longest }
        var next = scanned
        while next < end, Byte.isVisible(bytes[next]) { next += 1 }
        scanned = next
    }

    /// Passes what in a field can only be part of it, or all but the last few bytes of that.
    private mutating func skipPlain(_ bytes: Span<UInt8>) {
        let end = min(bytes.count, limits.maxHeadBytes)
        let raw = unsafe bytes.bytes  // bytes are their own form in memory
        var next = scanned
        while next + 8 <= end {
            // All eight are inside, as was seen to.
            let word = unsafe UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: next, as: UInt64.self))
            let controls = Byte.controls(in: word)
            guard controls == 0 else {
                next += controls.trailingZeroBitCount / 8
                break
            }
            next += 8
        }
        scanned = next
    }

    /// Judges a byte by itself, so that what cannot become a head is refused before its end.
    private mutating func look(at byte: UInt8) throws(HTTPError) {
        guard !endsWithCarriageReturn else { throw .badRequest("a carriage return without line feed") }
        if byte == Byte.carriageReturn {
            endsWithCarriageReturn = true
            return
        }
        guard !Byte.isControl(byte) else { throw .badRequest("a control character") }
        guard head == nil else { return }
        let place = scanned - 1 - lineStart
        if byte == Byte.space {
            guard spaceCount < 2 else { throw .badRequest("the request line is malformed") }
            if spaceCount == 0 { spaces.0 = place } else { spaces.1 = place }
            spaceCount += 1
            return
        }
        switch spaceCount {
        case 0:
            guard place < Self.maxMethodBytes else {
                throw HTTPError(status: 501, reason: "the method is not known")
            }
        case 1:
            guard place - spaces.0 <= limits.maxTargetBytes else {
                throw HTTPError(status: 414, reason: "the target is too long")
            }
        default:
            break
        }
    }

    /// Takes a line without its end.
    ///
    /// - Returns: The head, where the line was the blank one at its end.
    private mutating func take(_ line: Range<Int>, of bytes: Span<UInt8>) throws(HTTPError) -> RequestHead? {
        if line.isEmpty, var whole = head {
            whole.headers = HTTPHeaders(head: bytes.extracting(..<line.lowerBound).array, fields)
            try HeadRules.apply(to: &whole)
            return whole
        }
        if head != nil {
            guard fields.count < limits.maxFields else { throw .headTooLarge("there are too many fields") }
            fields.append(try FieldLine.parse(bytes.extracting(line)).moved(by: line.lowerBound))
        } else if line.isEmpty && !skippedBlankLine {
            // A client may send one blank line too many after a body (RFC 9112 section 2.2).
            skippedBlankLine = true
        } else {
            guard spaceCount == 2 else { throw .badRequest("the request line is malformed") }
            head = try RequestLine.parse(bytes.extracting(line), spaces: spaces)
            fields.reserveCapacity(16)
        }
        return nil
    }
}
