import Broker
import HTTP
import Synchronization
import Transport

/// What an HTTP connection needs to know of the server.
final class Context: Sendable {
    let broker: Broker
    /// Who may come in, and who is believed.
    var access: AccessRules {
        get { accessInForce.withLock { $0 } }
        set { accessInForce.withLock { $0 = newValue } }
    }
    let log: BrokerLog
    /// The settings in force, for those who look at the broker.
    var report: [SettingRow] {
        get { reported.withLock { $0 } }
        set { reported.withLock { $0 = newValue } }
    }
    /// What a status tells that the broker does not know.
    let facts: @Sendable () -> StatusFacts
    private let reported: Locked<[SettingRow]>
    private let accessInForce: Locked<AccessRules>
    /// Whether it is about to stop, so that nobody should be sent here any more.
    let isLeaving = Atomic(false)
    /// Whether it lets nobody in any more.
    let isDraining = Atomic(false)
    /// The certificates of the listeners.
    private let certificatesInUse = Locked<[TLSServerContext]>([])
    /// The files that it serves, by the parts of their paths; ready before the first request is.
    let pages = ServedPage.all

    init(
        broker: Broker, access: AccessRules, report: [SettingRow], facts: @escaping @Sendable () -> StatusFacts,
        log: BrokerLog
    ) {
        self.broker = broker
        accessInForce = Locked(access)
        reported = Locked(report)
        self.facts = facts
        self.log = log
    }

    /// The certificates of the listeners, set once before the first connection comes.
    var certificates: [TLSServerContext] {
        get { certificatesInUse.withLock(\.self) }
        set { certificatesInUse.withLock { $0 = newValue } }
    }

    /// When the first of them ends, in seconds since 1970.
    var certificateExpiry: Int64? { certificates.compactMap(\.expiry).min() }

    /// What takes the PROXY protocol on a hub's listeners.
    func proxies(of hub: Hub) -> ProxyProtocol {
        ProxyProtocol(
            isTrusted: { [self] in access.trustedProxies.contains($0) },
            refused: { [self] peer, refusal in
                if refusal == .timedOut { hub.count(.handshake) }
                let words =
                    switch refusal {
                    case .untrusted: "it is none of trusted_proxies"
                    case .malformed(let fault): fault.words
                    case .timedOut:
                        "its header of the PROXY protocol took too long (limits.\(LimitName.handshake.rawValue))"
                    }
                log.say(.warning, .proxy, "a connection from \(peer.host) was ended: \(words)")
            })
    }

    /// How much memory is used of how much may be.
    func memory(of hub: Hub) -> MemoryUse { broker.memory.use(hub.limits, at: hub.loop.now) }

    /// Takes a place for a connection that stays; `nil` where there is none, or the broker is about to end.
    func admit(_ address: SocketAddress, to hub: Hub, for head: RequestHead) -> Admissions.Place? {
        guard !isDraining.load(ordering: .relaxed) else { return nil }
        let trace = TraceContext(head.headers)
        guard let shortage = broker.memory.shortage(hub.limits, at: hub.loop.now) else {
            return admit(.staying, address, to: hub, trace)
        }
        let percent = Int(min(shortage.share * 100, 1_000_000))
        let words = " (\(percent) % of \(shortage.limit) bytes are used)"
        refuse(address, to: hub, MemoryGuard.name(of: shortage), words, trace)
        return nil
    }

    /// Takes a place for a connection that speaks HTTP; `nil` where there is none.
    func admit(passing peer: SocketAddress, to hub: Hub) -> Admissions.Place? {
        // A proxy's own connections carry the requests of many.
        admit(.passing, access.trustedProxies.contains(peer) ? nil : peer, to: hub, nil)
    }

    private func admit(
        _ kind: Admissions.Kind, _ address: SocketAddress?, to hub: Hub, _ trace: TraceContext?
    ) -> Admissions.Place? {
        do throws(LimitName) { return try broker.admissions.admit(kind, address, hub.limits) } catch {
            refuse(address, to: hub, error, "", trace)
            return nil
        }
    }

    /// Counts and says that a bound has kept somebody out.
    private func refuse(
        _ address: SocketAddress?, to hub: Hub, _ limit: LimitName, _ why: String, _ trace: TraceContext?
    ) {
        hub.count(limit)
        let source = address.map { " from \($0.host)" } ?? ""
        log.say(.warning, .limit, trace: trace, "a connection\(source) was refused: limits.\(limit.rawValue)\(why)")
    }

    /// Who a request speaks for.
    func identify(_ head: RequestHead, _ target: Target) throws(Authenticator.Failure) -> Identity? {
        try broker.settings.authenticator.identify(
            authorization: head.headers["authorization"], token: target.first("token"), user: target.first("user"),
            now: wallClockMilliseconds(), guest: { "guest-" + String(UInt32.random(in: .min ... .max), radix: 36) })
    }
}

extension ProxyProtocol.Fault {
    /// What the log says of it, without a byte of what came.
    fileprivate var words: String {
        switch self {
        case .noHeader: "it sent no header of the PROXY protocol: what came begins like neither version 1 nor version 2"
        case .version: "its header of the PROXY protocol is of a version that is not known: 1 and 2 are"
        case .command: "its header of the PROXY protocol has a command that is not known: LOCAL and PROXY are"
        case .family: "its header of the PROXY protocol is of a connection that is neither TCP nor a Unix stream"
        case .short: "its header of the PROXY protocol is too short for its addresses"
        case .long:
            "its header of the PROXY protocol is too long: 107 bytes are the most of version 1, \(ProxyHeader.maxBytes) of version 2"
        case .line: "its header of the PROXY protocol, version 1, is not written as it must be"
        case .cut: "it ended within its header of the PROXY protocol"
        }
    }
}
