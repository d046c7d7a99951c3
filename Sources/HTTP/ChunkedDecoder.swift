/// Takes chunks apart: which bytes are data, and where the last chunk and its trailer end (RFC 9112 section 7.1).
///
/// Extensions are checked for their line ends, trailers for being field lines; both are bounded and otherwise ignored.
struct ChunkedDecoder: Sendable {
    /// What the bytes that were looked at are; each is at least one.
    enum Step {
        /// Sizes, line ends, extensions, trailers.
        case framing(Int)
        /// Content.
        case data(Int)
        /// The end of the body, and of the framing that led to it.
        case end(Int)
    }

    private enum State {
        /// In the digits of a size.
        case size
        /// After the semicolon of a size line.
        case chunkExtension
        /// After the carriage return of a size line.
        case sizeEnd
        case data
        /// After the data: a carriage return, then a line feed.
        case dataEnd
        case dataLineFeed
        /// At the start of a line of the trailer.
        case trailer
        /// In the name of a field of the trailer.
        case trailerName
        /// Behind its colon.
        case trailerValue
        /// After a carriage return in the trailer.
        case trailerLineFeed(isBlank: Bool)
    }

    /// The most bytes of all extensions and trailers of a body.
    private static let maxIgnoredBytes = 4_096

    private var state = State.size
    private var size = 0
    private var digitCount = 0
    private var ignoredBytes = 0

    /// Judges the bytes at hand, up to the first change between framing and data.
    ///
    /// - Parameters:
    ///   - bytes: At least one byte, the next of the body.
    ///   - room: How many bytes of data may still come.
    /// - Returns: What they are.
    /// - Throws: ``HTTPError`` with 413 past the room, 400 where the framing is malformed.
    mutating func next(_ bytes: Span<UInt8>, room: Int) throws(HTTPError) -> Step {
        if case .data = state {
            let count = min(size, bytes.count)
            size -= count
            if size == 0 { state = .dataEnd }
            return .data(count)
        }
        for index in 0..<bytes.count {
            if try isEnd(bytes[index], room: room) { return .end(index + 1) }
            if case .data = state { return .framing(index + 1) }
        }
        return .framing(bytes.count)
    }

    /// Takes a byte of framing, and says whether it ends the body.
    private mutating func isEnd(_ byte: UInt8, room: Int) throws(HTTPError) -> Bool {
        switch state {
        case .size: try takeSize(byte, room: room)
        case .chunkExtension: state = try ignore(byte) ? .sizeEnd : .chunkExtension
        case .sizeEnd:
            try expect(Byte.lineFeed, byte)
            state = size == 0 ? .trailer : .data
            digitCount = 0
        case .data: break
        case .dataEnd:
            try expect(Byte.carriageReturn, byte)
            state = .dataLineFeed
        case .dataLineFeed:
            try expect(Byte.lineFeed, byte)
            state = .size
        case .trailer where byte == Byte.carriageReturn: state = .trailerLineFeed(isBlank: true)
        case .trailer: try takeName(byte, isFirst: true)
        case .trailerName: try takeName(byte, isFirst: false)
        case .trailerValue: if try ignore(byte) { state = .trailerLineFeed(isBlank: false) }
        case .trailerLineFeed(let isBlank):
            try expect(Byte.lineFeed, byte)
            state = .trailer
            return isBlank
        }
        return false
    }

    private mutating func takeSize(_ byte: UInt8, room: Int) throws(HTTPError) {
        if let digit = Byte.hexadecimal(byte) {
            // `size` is at most `room` before each digit, and 16 digits hold every size that could be meant.
            digitCount += 1
            guard digitCount <= 16 else { throw .badRequest("a malformed chunk size") }
            let (product, overflow) = size.multipliedReportingOverflow(by: 16)
            guard !overflow, product <= room - Int(digit) else { throw .bodyTooLarge }
            size = product + Int(digit)
            return
        }
        guard digitCount > 0 else { throw .badRequest("a malformed chunk size") }
        switch byte {
        case Byte.carriageReturn: state = .sizeEnd
        case UInt8(ascii: ";"): state = .chunkExtension
        default: throw .badRequest("a malformed chunk size")
        }
    }

    private mutating func takeName(_ byte: UInt8, isFirst: Bool) throws(HTTPError) {
        let isColon = byte == UInt8(ascii: ":")
        guard isColon ? !isFirst : Byte.isToken(byte) else { throw .badRequest("a malformed trailer") }
        _ = try ignore(byte)
        state = isColon ? .trailerValue : .trailerName
    }

    /// Passes over a byte of an extension or trailer, and says whether it is the carriage return at the line's end.
    private mutating func ignore(_ byte: UInt8) throws(HTTPError) -> Bool {
        if byte == Byte.carriageReturn { return true }
        guard !Byte.isControl(byte) else { throw .badRequest("a control character in the body's framing") }
        ignoredBytes += 1
        guard ignoredBytes <= Self.maxIgnoredBytes else { throw .badRequest("too much besides the body's data") }
        return false
    }

    private func expect(_ expected: UInt8, _ byte: UInt8) throws(HTTPError) {
        guard byte == expected else { throw .badRequest("a malformed chunk") }
    }
}
