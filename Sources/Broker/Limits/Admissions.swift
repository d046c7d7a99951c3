public import Transport

/// Counts who is connected, in the whole process and from each address, and admits up to the limits.
///
/// It is asked once a connection; the lock is held for one look.
public final class Admissions: Sendable {
    /// A place among the connections; it is free again when nobody holds this any more.
    public final class Place: Sendable {
        private let admissions: Admissions
        private let source: Source?

        fileprivate init(_ admissions: Admissions, _ source: Source?) {
            self.admissions = admissions
            self.source = source
        }

        deinit {
            admissions.leave(source)
        }
    }

    /// Who counts as one address: an IPv4 address, or an IPv6 network of 64 bits, which is what one household has.
    fileprivate enum Source: Hashable {
        case ipv4(UInt32)
        case ipv6(UInt64)

        /// `nil` for a Unix socket, whose peers have no addresses.
        init?(_ address: SocketAddress) {
            switch address {
            case .ipv4(let number, _): self = .ipv4(number)
            case .ipv6(let network, _, _, _): self = .ipv6(network)
            case .any, .name, .unix: return nil
            }
        }
    }

    private struct Counts {
        var all = 0
        var sources: [Source: Int] = [:]
    }

    private let counts = Locked(Counts())

    /// Makes a count of nobody.
    public init() {}

    /// How many are connected.
    public var count: Int { counts.withLock { $0.all } }

    /// Takes a place for a connection from an address; `nil` where there is none.
    public func admit(_ address: SocketAddress, _ limits: BrokerSettings.Limits) -> Place? {
        let source = Source(address)
        let isAdmitted = counts.withLock { counts in
            guard counts.all < limits.connections else { return false }
            if let source {
                let there = counts.sources[source, default: 0]
                guard there < limits.connectionsPerAddress else { return false }
                counts.sources[source] = there + 1
            }
            counts.all += 1
            return true
        }
        return isAdmitted ? Place(self, source) : nil
    }

    private func leave(_ source: Source?) {
        counts.withLock { counts in
            counts.all -= 1
            guard let source, let there = counts.sources[source] else { return }
            counts.sources[source] = there > 1 ? there - 1 : nil
        }
    }
}
