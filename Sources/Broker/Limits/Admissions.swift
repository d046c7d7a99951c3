public import Transport

/// Counts who is connected, in the whole process and from each address, and admits up to the limits.
///
/// It is asked once a connection; the lock is held for one look.
public final class Admissions: Sendable {
    /// What a connection is.
    public enum Kind: Sendable {
        /// Plain HTTP, or not through with its handshake.
        case passing
        /// A WebSocket, or a stream of events.
        case staying
    }

    /// A place among the connections; it is free again when nobody holds this any more.
    public final class Place: Sendable {
        private let admissions: Admissions
        /// From where the connection comes; `nil` where that has no address, or many share it.
        let source: ClientAddress?
        private let kind: Kind

        fileprivate init(_ admissions: Admissions, _ kind: Kind, _ source: ClientAddress?) {
            self.admissions = admissions
            self.kind = kind
            self.source = source
        }

        deinit {
            admissions.leave(kind, source)
        }
    }

    private struct Counts {
        var all = 0
        var sources: [ClientAddress: Int] = [:]

        mutating func admit(
            _ source: ClientAddress?, most: (Int, LimitName), fromEach mostFromEach: Int
        ) throws(LimitName) {
            guard all < most.0 else { throw most.1 }
            if let source {
                let there = sources[source, default: 0]
                guard there < mostFromEach else { throw .connectionsPerAddress }
                sources[source] = there + 1
            }
            all += 1
        }

        mutating func leave(_ source: ClientAddress?) {
            all -= 1
            guard let source, let there = sources[source] else { return }
            sources[source] = there > 1 ? there - 1 : nil
        }
    }

    private let staying = Locked(Counts())
    private let passing = Locked(Counts())

    /// Makes a count of nobody.
    public init() {}

    /// How many are connected and stay.
    public var count: Int { staying.withLock { $0.all } }

    /// How many are connected and do not, or not yet.
    public var passingCount: Int { passing.withLock { $0.all } }

    /// Takes a place for a connection; each kind has its own, in all and from each address.
    ///
    /// - Parameters:
    ///   - kind: What the connection is.
    ///   - address: Where it comes from; `nil`: from somewhere that many share, such as a proxy.
    ///   - limits: The bounds.
    /// - Returns: The place.
    /// - Throws: The bound that was hit: ``LimitName/connections`` or ``LimitName/httpConnections``, or
    ///   ``LimitName/connectionsPerAddress``.
    public func admit(
        _ kind: Kind, _ address: SocketAddress?, _ limits: BrokerSettings.Limits
    ) throws(LimitName) -> Place {
        let source = address.flatMap(ClientAddress.init)
        let fromEach = limits.connectionsPerAddress
        switch kind {
        case .staying:
            let most = (limits.connections, LimitName.connections)
            try staying.withLock { counts throws(LimitName) in
                try counts.admit(source, most: most, fromEach: fromEach)
            }
        case .passing:
            let most = (limits.httpConnections, LimitName.httpConnections)
            try passing.withLock { counts throws(LimitName) in
                try counts.admit(source, most: most, fromEach: fromEach)
            }
        }
        return Place(self, kind, source)
    }

    private func leave(_ kind: Kind, _ source: ClientAddress?) {
        switch kind {
        case .staying: staying.withLock { $0.leave(source) }
        case .passing: passing.withLock { $0.leave(source) }
        }
    }
}
