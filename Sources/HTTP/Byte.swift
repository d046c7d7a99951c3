/// The classes of bytes that HTTP's grammar is written in (RFC 9110 section 5.6, RFC 5234 appendix B).
enum Byte {
    static let carriageReturn: UInt8 = 0x0D
    static let lineFeed: UInt8 = 0x0A
    static let space: UInt8 = 0x20

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    /// Printable ASCII without the space.
    static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }

    /// A control character other than the tab.
    static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x09 || byte == 0x7F }

    /// Marks the control characters, and here the tab too, among eight bytes by the highest bit of each.
    ///
    /// Of those behind the first, in the order of the bits, some that are none may be marked as well.
    static func controls(in word: UInt64) -> UInt64 {
        let (ones, highest): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let deleted = word ^ 0x7F * ones
        return ((word &- 0x20 * ones) & ~word | (deleted &- ones) & ~deleted) & highest
    }

    /// A character of methods and field names.
    static func isToken(_ byte: UInt8) -> Bool {
        guard byte < 0x80 else { return false }
        return (byte < 0x40 ? lowTokens : highTokens) >> UInt64(byte & 0x3F) & 1 == 1
    }

    // One bit for each character below and from `@` on: digits and letters, and !#$%&'*+-. and ^_`|~.
    private static let lowTokens: UInt64 = 0x03FF_6CFA_0000_0000
    private static let highTokens: UInt64 = 0x57FF_FFFF_C7FF_FFFE

    static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }

    /// The value of a hexadecimal digit, 0–15.
    static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
