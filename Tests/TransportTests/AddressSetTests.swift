import TestSupport
import Testing

@testable import Transport

@Suite struct AddressSetTests {
    private static func peer(_ text: String) throws -> SocketAddress {
        try #require(SocketAddress(ip: text, port: 9))
    }

    @Test(
        "who is in a set, whatever the port",
        arguments: [
            (["192.0.2.1"], "192.0.2.1", true), (["192.0.2.1"], "192.0.2.2", false), ([], "192.0.2.1", false),
            (["10.0.0.0/8"], "10.255.255.255", true), (["10.0.0.0/8"], "11.0.0.0", false),
            (["10.0.0.0/9"], "10.127.0.1", true), (["10.0.0.0/9"], "10.128.0.1", false),
            (["0.0.0.0/0"], "203.0.113.7", true), (["0.0.0.0/0"], "2001:db8::1", false),
            (["::/0"], "2001:db8::1", true), (["::/0"], "192.0.2.1", true), (["192.0.2.1/32"], "192.0.2.1", true),
            (["2001:db8::/32"], "2001:db8:ffff::1", true), (["2001:db8::/32"], "2001:db9::1", false),
            (["::1"], "::1", true), (["::1"], "127.0.0.1", false), (["::ffff:192.0.2.1"], "192.0.2.1", true),
            (["::ffff:10.0.0.0/104"], "10.1.1.1", true), (["unix"], "127.0.0.1", false),
            (["unix", "127.0.0.1"], "127.0.0.1", true),
        ])
    func members(texts: [String], peer: String, isMember: Bool) throws {
        #expect(try AddressSet(texts).contains(Self.peer(peer)) == isMember)
    }

    @Test("those who come by a Unix socket are in it by a word of their own")
    func unix() throws {
        #expect(try AddressSet(["unix"]).contains(.unix(path: "")))
        #expect(try !AddressSet(["0.0.0.0/0", "::/0"]).contains(.unix(path: "")))
        #expect(try !AddressSet(["unix"]).isEmpty)
        #expect(AddressSet().isEmpty)
    }

    @Test(
        "a network is wide that is larger than any of private addresses",
        arguments: [
            ("0.0.0.0/0", true), ("::/0", true), ("0.0.0.0/1", true), ("10.0.0.0/7", true), ("10.0.0.0/8", false),
            ("172.16.0.0/12", false), ("192.0.2.1", false), ("::ffff:0.0.0.0/96", true), ("::ffff:10.0.0.0/104", false),
            ("2000::/3", true), ("fc00::/6", true), ("fc00::/7", false), ("2001:db8::/32", false), ("::1", false),
            ("unix", false), ("nonsense", false),
        ])
    func wide(text: String, isWide: Bool) {
        #expect(AddressSet.isWide(text) == isWide)
    }

    @Test(
        "what is no address, network or word is refused",
        arguments: [
            "", "localhost", "127.1", "0x7f.0.0.1", "192.0.2.1:80", "[::1]", "::1%lo", "192.0.2.1/", "192.0.2.1/33",
            "::1/129", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0.0/ 8", "10.0.0.1/8", "2001:db8::1/32",
            "::ffff:10.0.0.1/104", "192.0.2.1\u{0}", "Unix", " 192.0.2.1", "10.0.0.0/08888",
        ])
    func malformed(text: String) {
        #expect(throws: AddressSet.Malformed.self) { try AddressSet([text]) }
    }

    @Test("a network has those whose first bits it has, beside a bit by bit comparison")
    func property() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let length = Int.random(in: 0...32, using: &random)
            let mask: UInt32 = length == 0 ? 0 : UInt32.max << UInt32(32 - length)
            let network = UInt32.random(in: .min ... .max, using: &random) & mask
            // Mostly near: a random address is hardly ever in a small network.
            let flip: UInt32 = 1 << UInt32.random(in: 0..<32, using: &random)
            let address = (network | UInt32.random(in: .min ... .max, using: &random) & ~mask) ^ flip
            let set = try AddressSet(["\(SocketAddress.ipv4(network, port: 0).host)/\(length)"])
            let expected = (0..<32).allSatisfy { bit in
                bit < 32 - length || (address >> UInt32(bit)) & 1 == (network >> UInt32(bit)) & 1
            }
            #expect(set.contains(.ipv4(address, port: 1)) == expected, "seed \(seed)")
        }
    }
}
