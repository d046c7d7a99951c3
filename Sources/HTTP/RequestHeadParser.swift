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
    /// Where the spaces of the request line are, two at most.
    private var spaces: [Int] = []
    private var skippedBlankLine = false
    private var head: RequestHead?

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
            guard scanned < limits.maxHeadBytes else { throw .headTooLarge("the head is too large") }
            let byte = bytes[scanned]
            scanned += 1
            if byte == Byte.lineFeed {
                guard endsWithCarriageReturn else { throw .badRequest("a line feed without carriage return") }
                endsWithCarriageReturn = false
                let line = bytes.extracting(lineStart..<(scanned - 2))
                lineStart = scanned
                if let head = try take(line) {
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

    /// Judges a byte by itself, so that what cannot become a head is refused before its end.
    private mutating func look(at byte: UInt8) throws(HTTPError) {
        guard !endsWithCarriageReturn else { throw .badRequest("a carriage return without line feed") }
        if byte == Byte.carriageReturn {
            endsWithCarriageReturn = true
            return
        }
        guard !Byte.isControl(byte) else { throw .badRequest("a control character") }
        guard head == nil else { return }
        if byte == Byte.space {
            guard spaces.count < 2 else { throw .badRequest("the request line is malformed") }
            spaces.append(scanned - 1 - lineStart)
            return
        }
        switch spaces.count {
        case 0:
            guard scanned - lineStart <= Self.maxMethodBytes else {
                throw HTTPError(status: 501, reason: "the method is not known")
            }
        case 1:
            guard scanned - lineStart - spaces[0] - 1 <= limits.maxTargetBytes else {
                throw HTTPError(status: 414, reason: "the target is too long")
            }
        default:
            break
        }
    }

    /// Takes a line without its end.
    ///
    /// - Returns: The head, where the line was the blank one at its end.
    private mutating func take(_ line: Span<UInt8>) throws(HTTPError) -> RequestHead? {
        guard let fields = head?.headers.pairs.count else {
            // A client may send one blank line too many after a body (RFC 9112 section 2.2).
            if line.isEmpty && !skippedBlankLine {
                skippedBlankLine = true
                return nil
            }
            guard spaces.count == 2 else { throw .badRequest("the request line is malformed") }
            head = try RequestLine.parse(line, spaces: (spaces[0], spaces[1]))
            return nil
        }
        if line.isEmpty, var whole = head {
            try HeadRules.apply(to: &whole)
            return whole
        }
        guard fields < limits.maxFields else { throw .headTooLarge("there are too many fields") }
        let (name, value) = try FieldLine.parse(line)
        head?.headers.append(name, value)
        return nil
    }
}
