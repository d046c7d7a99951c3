import TestSupport
import Testing

@testable import HTTP

@Suite("Classes of bytes (RFC 9110 section 5.6)")
struct ByteTests {
    @Test("A token's characters are the letters, the digits and fifteen marks")
    func tokens() {
        let marks = Set("!#$%&'*+-.^_`|~".utf8)
        for byte in UInt8.min ... .max {
            #expect(Byte.isToken(byte) == (Byte.isLetter(byte) || Byte.isDigit(byte) || marks.contains(byte)))
        }
    }

    @Test("The first control character or tab among eight bytes is found, wherever it stands and whatever is around it")
    func controls() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            // Bytes beside the bounds of the class are the ones that a carry would spoil.
            let bytes = (0..<8).map { _ in
                let plain: [UInt8] = [0x20, 0x21, 0x7E, 0x80, 0xA0, 0xFF, 0x61]
                let control: [UInt8] = [0x00, 0x09, 0x0A, 0x0D, 0x1F, 0x7F]
                return (random.next() % 5 == 0 ? control : plain).randomElement(using: &random) ?? 0
            }
            let word = bytes.enumerated().reduce(UInt64(0)) { $0 | UInt64($1.element) << UInt64(8 * $1.offset) }
            let expected = bytes.firstIndex { Byte.isControl($0) || $0 == 0x09 } ?? 8
            #expect(Byte.controls(in: word).trailingZeroBitCount / 8 == expected, "seed \(seed): \(bytes)")
        }
    }
}
