/// The place of a request in a trace: the field `traceparent` (W3C Trace Context, section 3.2).
public struct TraceContext: Sendable, Equatable {
    /// The trace, 32 lower-case hexadecimal digits, not all of them 0.
    public let traceID: String
    /// The span that sent the request, 16 lower-case hexadecimal digits, not all of them 0.
    public let parentID: String
    /// Whether the caller may have recorded its span.
    public let isSampled: Bool

    /// Reads the field of a request; `nil` where there is none, more than one, or one that is not of its form.
    public init?(_ headers: HTTPHeaders) {
        let fields = headers.all("traceparent")
        guard fields.count == 1, let context = TraceContext(fields[0]) else { return nil }
        self = context
    }

    /// Reads a value such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`; `nil`: it is not of this form.
    ///
    /// Of versions above 00 the same parts are read, and what may follow them, behind another `-`, is ignored.
    public init?(_ value: String) {
        let bytes = Array(value.utf8)
        guard bytes.count >= 55, bytes[2] == 0x2D, bytes[35] == 0x2D, bytes[52] == 0x2D,
            let version = TraceContext.byte(bytes[0..<2]), version != 0xFF,
            bytes.count == 55 || (version > 0 && bytes[55] == 0x2D),
            let trace = TraceContext.identifier(bytes[3..<35]), let parent = TraceContext.identifier(bytes[36..<52]),
            let flags = TraceContext.byte(bytes[53..<55])
        else { return nil }
        traceID = trace
        parentID = parent
        isSampled = flags & 1 == 1
    }

    private static func byte(_ digits: ArraySlice<UInt8>) -> UInt8? {
        guard digits.allSatisfy(isDigit) else { return nil }
        return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private static func identifier(_ digits: ArraySlice<UInt8>) -> String? {
        guard digits.allSatisfy(isDigit), digits.contains(where: { $0 != UInt8(ascii: "0") }) else { return nil }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Capital letters are none.
    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
