/// The characters that the grammar of JSON and the names of the contract speak of.
extension UInt8 {
    static var quote: UInt8 { 0x22 }
    static var plus: UInt8 { 0x2B }
    static var comma: UInt8 { 0x2C }
    static var hyphen: UInt8 { 0x2D }
    static var fullStop: UInt8 { 0x2E }
    static var solidus: UInt8 { 0x2F }
    static var zero: UInt8 { 0x30 }
    static var nine: UInt8 { 0x39 }
    static var colon: UInt8 { 0x3A }
    static var capitalE: UInt8 { 0x45 }
    static var openBracket: UInt8 { 0x5B }
    static var backslash: UInt8 { 0x5C }
    static var closeBracket: UInt8 { 0x5D }
    static var letterB: UInt8 { 0x62 }
    static var letterE: UInt8 { 0x65 }
    static var letterF: UInt8 { 0x66 }
    static var letterN: UInt8 { 0x6E }
    static var letterR: UInt8 { 0x72 }
    static var letterT: UInt8 { 0x74 }
    static var letterU: UInt8 { 0x75 }
    static var openBrace: UInt8 { 0x7B }
    static var closeBrace: UInt8 { 0x7D }

    var isDigit: Bool { self &- .zero <= 9 }

    /// White space between JSON's tokens: space, tab, line feed, carriage return (RFC 8259 section 2).
    var isWhiteSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }

    /// The value of a hexadecimal digit; `nil` for any other character.
    var hexDigitValue: UInt16? {
        switch self {
        case 0x30...0x39: UInt16(self &- 0x30)
        case 0x41...0x46: UInt16(self &- 0x41 &+ 10)
        case 0x61...0x66: UInt16(self &- 0x61 &+ 10)
        default: nil
        }
    }

    /// The character of a value below 16, lower case.
    static func hexDigit(_ value: UInt16) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: value & 0xF)
        return value < 10 ? .zero &+ value : 0x61 &+ value &- 10
    }
}
