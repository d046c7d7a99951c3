public import Transport

/// Counts who is connected, in the whole process and from each address, and admits up to the limits.
///
/// It is asked once a connection; the lock is held for one look.
public final class Admissions: Sendable {
    /// A place among the connections; it is free again when nobody holds this any more.
    public final class Place: Sendable {
        private let admissions: Admissions
        /// From where the connection comes; `nil` where that has no address.
        let source: ClientAddress?

        fileprivate init(_ admissions: Admissions, _ source: ClientAddress?) {
            self.admissions = admissions
            self.source = source
        }

        deinit {
            admissions.leave(source)
        }
    }

    private struct Counts {
        var all = 0
        var sources: [ClientAddress: Int] = [:]
    }

    private let counts = Locked(Counts())

    /// Makes a count of nobody.
    public init() {}

    /// How many are connected.
    public var count: Int { counts.withLock { $0.all } }

    /// Takes a place for a connection from an address; `nil` where there is none.
    public func admit(_ address: SocketAddress, _ limits: BrokerSettings.Limits) -> Place? {
        let source = ClientAddress(address)
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

    private func leave(_ source: ClientAddress?) {
        counts.withLock { counts in
            counts.all -= 1
            guard let source, let there = counts.sources[source] else { return }
            counts.sources[source] = there > 1 ? there - 1 : nil
        }
    }
}
