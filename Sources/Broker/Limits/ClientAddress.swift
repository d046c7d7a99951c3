import Transport

/// Who counts as one address: an IPv4 address, or an IPv6 network of 64 bits, which is what one household has.
enum ClientAddress: Sendable, Hashable {
    case ipv4(UInt32)
    case ipv6(UInt64)
    /// All of whom a proxy does not tell where they are.
    case untold

    /// `nil` for a Unix socket, whose peers have no addresses.
    init?(_ address: SocketAddress) {
        switch address {
        case .ipv4(let number, _): self = .ipv4(number)
        case .ipv6(let network, _, _, _): self = .ipv6(network)
        case .name: self = .untold
        case .any, .unix: return nil
        }
    }
}
