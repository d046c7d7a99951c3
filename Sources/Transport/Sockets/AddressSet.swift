/// A set of peers: single addresses, networks, and those who come by a Unix socket.
public struct AddressSet: Sendable, Equatable {
    /// All addresses whose first bits are these; an IPv4 one stands as `::ffff:a.b.c.d` (RFC 4291 section 2.5.5.2).
    private struct Network: Sendable, Equatable {
        var bits: UInt128
        var length: Int

        /// Whether it is larger than any network of private addresses: 10.0.0.0/8 (RFC 1918) and fc00::/7 (RFC 4193).
        var isWide: Bool { bits >> 32 == 0xFFFF && length >= 96 ? length < 96 + 8 : length < 7 }

        func contains(_ address: UInt128) -> Bool { (address ^ bits) >> UInt128(128 - length) == 0 }
    }

    /// Why a text names no peers: what was meant, in words for a person.
    public struct Malformed: Error, Sendable, Equatable {
        /// A part of a sentence, such as `is an address, …`.
        public let reason: String
    }

    private var networks: [Network] = []
    private var hasUnix = false

    /// Makes the set without members.
    public init() {}

    /// Makes the set of what the texts name: `192.0.2.1`, `10.0.0.0/8`, `2001:db8::/32`, or `unix`.
    public init(_ texts: [String]) throws(Malformed) {
        for text in texts { try insert(text) }
    }

    /// Whether nobody is in it.
    public var isEmpty: Bool { networks.isEmpty && !hasUnix }

    /// Whether a text names a network that is larger than any of private addresses.
    public static func isWide(_ text: String) -> Bool {
        (try? AddressSet([text]))?.networks.contains(where: \.isWide) ?? false
    }

    /// Adds what a text names; see ``init(_:)``.
    public mutating func insert(_ text: String) throws(Malformed) {
        guard text != "unix" else {
            hasUnix = true
            return
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = SocketAddress(ip: String(parts[0])), let bits = address.bits else {
            throw Malformed(
                reason: "is an address such as 192.0.2.1 or 2001:db8::1, a network such as 10.0.0.0/8, or unix")
        }
        guard parts.count == 2 else { return networks.append(Network(bits: bits, length: 128)) }
        // `::ffff:a.b.c.d` was read as IPv4, but its length would be of IPv6.
        let width = parts[0].contains(":") ? 128 : 32
        let digits = parts[1].utf8
        guard (1...3).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let length = Int(parts[1]), length <= width
        else { throw Malformed(reason: "has a length from 0 to \(width) behind its /") }
        let network = Network(bits: bits, length: 128 - width + length)
        let hostBits: UInt128 = network.length == 128 ? 0 : UInt128.max >> UInt128(network.length)
        guard bits & hostBits == 0 else {
            throw Malformed(reason: "is no network: behind the first \(length) bits all must be 0")
        }
        networks.append(network)
    }

    /// Whether a peer is in it; its port does not matter.
    public func contains(_ peer: SocketAddress) -> Bool {
        if case .unix = peer { return hasUnix }
        guard let bits = peer.bits else { return false }
        return networks.contains { $0.contains(bits) }
    }
}

extension SocketAddress {
    /// The address in the form of IPv6; `nil` for what is no single address.
    fileprivate var bits: UInt128? {
        switch self {
        case .ipv4(let number, _): UInt128(0xFFFF) << 32 | UInt128(number)
        case .ipv6(let high, let low, _, _): UInt128(high) << 64 | UInt128(low)
        case .any, .name, .unix: nil
        }
    }
}
