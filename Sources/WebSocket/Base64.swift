/// Base64 with padding (RFC 4648 section 4), for the handshake's short keys.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var bits: UInt32 = 0
            for index in 0..<3 { bits = bits << 8 | (index < count ? UInt32(bytes[start + index]) : 0) }
            for index in 0..<4 {
                let digit = alphabet[Int(bits >> UInt32(18 - 6 * index) & 0x3F)]
                text.append(index <= count ? digit : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// How many bytes a text stands for; `nil` where it is not base64.
    static func decodedCount(_ text: String) -> Int? {
        let digits = text.utf8.span
        var end = digits.count
        while end > 0, digits[end - 1] == UInt8(ascii: "=") { end -= 1 }
        let padding = digits.count - end
        guard digits.count % 4 == 0, padding <= 2 else { return nil }
        for index in 0..<end where !isDigit(digits[index]) { return nil }
        return digits.count / 4 * 3 - padding
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}
