/// Base64 with the URL-safe alphabet and no padding (RFC 4648 section 5; RFC 7515 section 2), as tokens and keys have it.
enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Writes bytes as text.
    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var (bits, width) = (UInt32(0), 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            width += 8
            while width >= 6 {
                width -= 6
                text.append(alphabet[Int(bits >> UInt32(width) & 0x3F)])
            }
        }
        if width > 0 { text.append(alphabet[Int(bits << UInt32(6 - width) & 0x3F)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads a text; `nil` for anything that ``encode(_:)`` would not write.
    ///
    /// So padding, other alphabets, and last digits whose unused bits are set are refused: each value has one spelling.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        guard text.utf8.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 3 / 4)
        var (bits, width) = (UInt32(0), 0)
        for byte in text.utf8 {
            guard let digit = value(of: byte) else { return nil }
            bits = (bits << 6 | digit) & 0xFFFF
            width += 6
            if width >= 8 {
                width -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(width)))
            }
        }
        return bits & (1 << UInt32(width) - 1) == 0 ? bytes : nil
    }

    private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
