import Testing

@testable import Server

/// What comes to a port before anything is understood.
@Suite struct HandshakeTests {
    @Test(
        "TLS is known by the head of its first record",
        arguments: [
            ([0x16, 0x03, 0x01, 0x02], true), ([0x16, 0x03], true), ([0x16], false), ([], false),
            (Array("GET / HTTP/1.1".utf8), false),
        ] as [([UInt8], Bool)])
    func head(bytes: [UInt8], expected: Bool) {
        #expect(isTLS(bytes[...]) == expected)
    }
}
