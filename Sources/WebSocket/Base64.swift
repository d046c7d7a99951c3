/// Base64 with padding (RFC 4648 section 4), for the handshake's short keys.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: Span<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the digits that stand for the bytes.
    static func append(_ bytes: Span<UInt8>, to text: inout [UInt8]) {
        let alphabet = alphabet.span
        func digit(_ bits: UInt32) -> UInt8 { alphabet[Int(bits & 0x3F)] }
        text.append(addingCapacity: (bytes.count + 2) / 3 * 4) { text in
            for start in stride(from: 0, to: bytes.count, by: 3) {
                let first = UInt32(bytes[start])
                let second = start + 1 < bytes.count ? UInt32(bytes[start + 1]) : nil
                let third = start + 2 < bytes.count ? UInt32(bytes[start + 2]) : nil
                text.append(digit(first >> 2))
                text.append(digit(first << 4 | (second ?? 0) >> 4))
                text.append(second.map { digit($0 << 2 | (third ?? 0) >> 6) } ?? UInt8(ascii: "="))
                text.append(third.map(digit) ?? UInt8(ascii: "="))
            }
        }
    }

    /// How many bytes a text stands for; `nil` where it is not base64.
    static func decodedCount(_ digits: Span<UInt8>) -> Int? {
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
