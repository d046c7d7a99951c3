/// One field of a head (RFC 9112 section 5).
enum FieldLine {
    /// Parses a line without its end; control characters have been refused before.
    static func parse(_ line: Span<UInt8>) throws(HTTPError) -> (name: String, value: String) {
        guard !Byte.isBlank(line[0]) else { throw .badRequest("a folded field") }
        var colon = 0
        while colon < line.count && Byte.isToken(line[colon]) { colon += 1 }
        guard colon > 0 && colon < line.count && line[colon] == UInt8(ascii: ":") else {
            throw .badRequest("a malformed field name")
        }
        var start = colon + 1
        var end = line.count
        while start < end && Byte.isBlank(line[start]) { start += 1 }
        while end > start && Byte.isBlank(line[end - 1]) { end -= 1 }
        return (line.extracting(..<colon).text, line.extracting(start..<end).text)
    }
}

extension Span<UInt8> {
    /// The bytes as text; what is not UTF-8 becomes U+FFFD, which no value that matters holds.
    var text: String {
        // The buffer is valid for the closure, and the string copies it.
        unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
