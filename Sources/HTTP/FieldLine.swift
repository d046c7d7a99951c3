/// One field of a head (RFC 9112 section 5).
enum FieldLine {
    /// Says where a line without its end has its name and its value; control characters have been refused before.
    static func parse(_ line: Span<UInt8>) throws(HTTPError) -> HTTPHeaders.Place {
        guard !Byte.isBlank(line[0]) else { throw .badRequest("a folded field") }
        var colon = 0
        while colon < line.count && Byte.isToken(line[colon]) { colon += 1 }
        guard colon > 0 && colon < line.count && line[colon] == UInt8(ascii: ":") else {
            throw .badRequest("a malformed field name")
        }
        return HTTPHeaders.Place(name: 0..<colon, value: trim(line, colon + 1..<line.count))
    }

    /// A range of bytes without the blanks at its ends.
    static func trim(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end && Byte.isBlank(bytes[start]) { start += 1 }
        while end > start && Byte.isBlank(bytes[end - 1]) { end -= 1 }
        return start..<end
    }
}

extension HTTPHeaders.Place {
    /// The same in bytes of which the line is the part from `start` on.
    func moved(by start: Int) -> HTTPHeaders.Place {
        HTTPHeaders.Place(
            name: name.lowerBound + start..<name.upperBound + start,
            value: value.lowerBound + start..<value.upperBound + start)
    }
}

extension Span<UInt8> {
    /// A copy of the bytes.
    var array: [UInt8] {
        // The buffer is valid for the closure, and the array copies it.
        unsafe withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// The bytes as text; what is not UTF-8 becomes U+FFFD, which no value that matters holds.
    var text: String {
        // The buffer is valid for the closure, and the string copies it.
        unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
