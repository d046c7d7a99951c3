import Dispatch
import Transport

/// Finds the addresses behind names, off the loop, for the system's resolver blocks.
enum NameLookup {
    /// How many names may be looked up at once; each takes a thread for as long as the resolver likes.
    private static let most = 32
    private static let underWay = Locked(0)

    /// Hands the addresses over on the loop: at once where no name is to be looked up, else later.
    static func addresses(
        of address: SocketAddress, on loop: EventLoop,
        then: @escaping (Result<[SocketAddress], TransportError>) -> Void
    ) {
        guard case .name = address else { return then(.success([address])) }
        let isAdmitted = underWay.withLock { count in
            guard count < most else { return false }
            count += 1
            return true
        }
        guard isAdmitted else { return then(.failure(.timedOut("looking up names"))) }
        // Other threads only carry it: it is made and called on the loop.
        nonisolated(unsafe) let then = then
        DispatchQueue.global(qos: .utility).async {
            let found = Result { () throws(TransportError) in try address.resolved() }
            underWay.withLock { $0 -= 1 }
            loop.execute { unsafe then(found) }
        }
    }
}
