/// Reads the little that is needed of most deliveries, without decoding them.
///
/// In JSON text the bytes `"seq":` can only be a member's name: inside a string each quote is escaped. An event's own
/// `seq` stands before its `data`, which is the only place for another one, in what a broker sends; where the order is
/// another, or a space stands before the colon, the whole message is decoded instead.
enum EventScanner {
    /// The `seq` of a change's event, or `nil` where the text is anything else or looks unusual.
    static func seq(of text: Span<UInt8>) -> UInt64? {
        guard isChange(text) else { return nil }
        var position = 14
        while position + 6 < text.count {
            if text[position] == UInt8(ascii: "{") { return nil }
            if text[position] == UInt8(ascii: "\""), isSeqName(text, position) {
                return number(text, at: position + 6)
            }
            position += 1
        }
        return nil
    }

    /// The number behind `"name":` in a short JSON object, or `nil`.
    static func number(named name: StaticString, in object: String.UTF8View) -> UInt64? {
        let wanted = Array("\"\(name)\":".utf8)
        let bytes = Array(object)
        guard bytes.count > wanted.count else { return nil }
        for start in 0...(bytes.count - wanted.count)
        where bytes[start..<start + wanted.count].elementsEqual(wanted) {
            return number(bytes.span, at: start + wanted.count)
        }
        return nil
    }

    /// Whether the text begins as an event of section 4 of PROTOCOL.md does.
    private static func isChange(_ text: Span<UInt8>) -> Bool {
        guard text.count > 32, begins(text, "{\"type\":\"", at: 0) else { return false }
        switch text[9] {
        case UInt8(ascii: "a"): return begins(text, "added\"", at: 9)
        case UInt8(ascii: "r"): return begins(text, "removed\"", at: 9) || begins(text, "replaced\"", at: 9)
        case UInt8(ascii: "u"): return begins(text, "updated\"", at: 9)
        case UInt8(ascii: "c"): return begins(text, "cleared\"", at: 9)
        default: return false
        }
    }

    private static func begins(_ text: Span<UInt8>, _ word: StaticString, at start: Int) -> Bool {
        guard start + word.utf8CodeUnitCount <= text.count else { return false }
        return word.withUTF8Buffer { buffer in
            // Both indices are below the counts that were compared above.
            for offset in buffer.indices where unsafe buffer[offset] != text[start + offset] { return false }
            return true
        }
    }

    private static func isSeqName(_ text: Span<UInt8>, _ start: Int) -> Bool {
        text[start + 1] == UInt8(ascii: "s") && text[start + 2] == UInt8(ascii: "e")
            && text[start + 3] == UInt8(ascii: "q") && text[start + 4] == UInt8(ascii: "\"")
            && text[start + 5] == UInt8(ascii: ":")
    }

    /// The digits at a place, if they are a whole number below 2^53 with something behind.
    private static func number(_ text: Span<UInt8>, at start: Int) -> UInt64? {
        var value: UInt64 = 0
        var position = start
        while position < text.count, case let digit = text[position] &- UInt8(ascii: "0"), digit < 10 {
            guard value < 900_719_925_474_099 else { return nil }
            value = value * 10 + UInt64(digit)
            position += 1
        }
        return position > start && position < text.count ? value : nil
    }
}
