import TestSupport
import Testing

@testable import Transport

/// The header of the PROXY protocol, versions 1 and 2.
@Suite struct ProxyHeaderTests {
    /// Reads a header in pieces, never more than it asks for.
    ///
    /// It gives the source, and how many bytes were taken.
    private func read(
        _ bytes: [UInt8], most: () -> Int = { .max }
    ) throws(ProxyHeader.Malformed) -> (source: ProxyHeader.Source?, taken: Int) {
        var header = ProxyHeader()
        var taken = 0
        while taken < bytes.count {
            let count = min(header.missing, bytes.count - taken, max(1, most()))
            let source = try header.take(bytes[taken..<taken + count].span)
            taken += count
            if let source { return (source, taken) }
        }
        return (nil, taken)
    }

    private static let signature: [UInt8] = Array("\r\n\r\n\0\r\nQUIT\n".utf8)

    private static func binary(_ command: UInt8, _ family: UInt8, _ payload: [UInt8]) -> [UInt8] {
        signature + [0x20 | command, family, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
    }

    private static let four: [UInt8] = [192, 0, 2, 1, 127, 0, 0, 1, 0x12, 0x67, 0x1F, 0x90]
    private static let six: [UInt8] =
        [0x20, 0x01, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [1] + Array(repeating: 0, count: 15) + [1]
        + [0x12, 0x67, 0x1F, 0x90]
    private static let client = SocketAddress.ipv4(0xC000_0201, port: 4711)

    static let headers: [([UInt8], ProxyHeader.Source)] = [
        (binary(1, 0x11, four), .client(client)),
        (binary(1, 0x11, four + [4, 0, 1, 0xFF]), .client(client)),
        (binary(1, 0x21, six), .client(.ipv6(0x2001_0DB8_0000_0000, 1, scope: 0, port: 4711))),
        (binary(1, 0x31, Array(repeating: 0x2F, count: 216)), .client(.unix(path: ""))),
        (binary(1, 0x00, []), .unknown), (binary(0, 0x00, []), .proxy), (binary(0, 0x11, four), .proxy),
        (binary(0, 0xFF, [1, 2, 3]), .proxy), (binary(1, 0x00, Array(repeating: 1, count: 4_080)), .unknown),
        (Array("PROXY TCP4 192.0.2.1 127.0.0.1 4711 8080\r\n".utf8), .client(client)),
        (
            Array("PROXY TCP6 2001:db8::1 ::1 0 65535\r\n".utf8),
            .client(.ipv6(0x2001_0DB8_0000_0000, 1, scope: 0, port: 0))
        ),
        (Array("PROXY UNKNOWN\r\n".utf8), .unknown), (Array("PROXY UNKNOWN a b c d\r\n".utf8), .unknown),
    ]

    @Test("it says whose connection it is, and leaves what comes behind it", arguments: headers)
    func source(bytes: [UInt8], expected: ProxyHeader.Source) throws {
        let (source, taken) = try read(bytes + Array("GET / HTTP/1.1\r\n\r\n".utf8))
        #expect(source == expected)
        #expect(taken == bytes.count)
    }

    @Test("cut anywhere it says the same", arguments: headers)
    func cuts(bytes: [UInt8], expected: ProxyHeader.Source) throws {
        let seed = UInt64.random(in: .min ... .max)
        for width in [1, 2, 5, 13] {
            var random = SeededGenerator(seed: seed)
            let (source, taken) = try read(bytes + [0x0A]) { Int.random(in: 1...width, using: &random) }
            #expect(source == expected && taken == bytes.count, "seed \(seed)")
        }
        let (source, _) = try read(Array(bytes.dropLast()))
        #expect(source == nil)
    }

    @Test(
        "what is none, or is not as it must be, is refused, and why",
        arguments: [
            (Array("GET / HTTP/1.1\r\n".utf8), .noHeader), ([0x16, 3, 1], .noHeader), ([0], .noHeader),
            (Array("\r\nGET".utf8), .noHeader), (Array("PROXX".utf8), .noHeader),
            (signature + [0x11, 0x11, 0, 12] + four, .version), (signature + [0x31, 0x11, 0xFF, 0xFF], .version),
            (binary(2, 0x11, four), .command), (binary(15, 0x00, []), .command),
            (binary(1, 0x12, four), .family), (binary(1, 0x22, six), .family), (binary(1, 0x41, four), .family),
            (binary(1, 0x11, Array(four.dropLast())), .short), (binary(1, 0x21, Array(six.dropLast())), .short),
            (binary(1, 0x31, Array(repeating: 0, count: 215)), .short),
            (binary(1, 0x00, Array(repeating: 1, count: 4_081)), .long),
            (Array("PROXY UNKNOWN \(String(repeating: "x", count: 100))".utf8), .long),
            (Array("PROXY TCP4 192.0.2.1 127.0.0.1 4711\r\n".utf8), .line), (Array("PROXY TCP4\r\n".utf8), .line),
            (Array("PROXY \r\n".utf8) + [0, 0, 0, 0], .line),
            (Array("PROXY TCP4 192.0.2.1 127.0.0.1 4711 8080 1\r\n".utf8), .line),
            (Array("PROXY TCP4 192.0.2.1 127.0.0.1 +1 8080\r\n".utf8), .line),
            (Array("PROXY TCP4 192.0.2.1 127.0.0.1 65536 8080\r\n".utf8), .line),
            (Array("PROXY TCP4 192.0.2.1 h 1 8080\r\n".utf8), .line),
            (Array("PROXY TCP6 192.0.2.1 127.0.0.1 1 2\r\n".utf8), .line),
            (Array("PROXY TCP4 192.0.2.1 127.0.0.1 1 2\n".utf8), .line),
            (Array("PROXY UDP4 192.0.2.1 127.0.0.1 1 2\r\n".utf8), .line),
        ] as [([UInt8], ProxyProtocol.Fault)])
    func malformed(bytes: [UInt8], fault: ProxyProtocol.Fault) {
        #expect(throws: ProxyHeader.Malformed(fault)) { try read(bytes) }
        #expect(throws: ProxyHeader.Malformed(fault)) { try read(bytes) { 1 } }
    }

    @Test("bytes by chance are refused or not whole, and nothing else happens")
    func chance() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<3_000 {
            var bytes = Self.headers[Int.random(in: 0..<Self.headers.count, using: &random)].0
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            let whole = try? read(bytes)
            let cut = try? read(bytes) { 1 }
            #expect(whole?.source == cut?.source, "seed \(seed)")
        }
    }
}
