import Broker
import HTTP
import Transport

/// Who sent a request, as far as those who passed it on can be believed.
struct Client: Equatable {
    /// Where it comes from; `SocketAddress.untold` where a trusted proxy has passed it on and does not tell.
    var address: SocketAddress
    /// The scheme by which it asked, `http` or `https`.
    var scheme: String
    /// Whether a program on this machine has sent it: it comes from here, and nothing says that it was passed on.
    ///
    /// A proxy's word does not count for this, for in the worst case it is the word of whoever sent the request.
    var isLocal: Bool

    /// Walks the way of a request back, from the peer to the first that is no trusted proxy.
    ///
    /// A client behind a proxy that fills one kind of field can send the other kind itself. So where both are there, they
    /// count only as far as they say the same.
    ///
    /// - Parameters:
    ///   - headers: the request's.
    ///   - peer: who is at the other end of the connection, or was announced by the PROXY protocol.
    ///   - isPassedOn: whether a proxy has passed the connection on by that protocol.
    ///   - isTLS: whether the connection is encrypted.
    ///   - trusted: the proxies that may say whose requests they pass on.
    init(_ headers: HTTPHeaders, peer: SocketAddress, isPassedOn: Bool, isTLS: Bool, trusted: AddressSet) {
        let isForwarded = ForwardedHop.isMentioned(in: headers)
        address = peer
        scheme = isTLS ? "https" : "http"
        isLocal = peer.isLoopback && !isPassedOn && !isForwarded
        guard isForwarded, trusted.contains(peer) else { return }
        let ways = [ForwardedHop.hops(ofForwarded: headers), ForwardedHop.hops(ofXForwarded: headers)]
        let all = ways.filter { !$0.isEmpty }.map { told(by: $0, trusted) }
        let addresses = all.compactMap(\.address)
        address = .untold
        if let first = addresses.first, addresses.allSatisfy({ $0.host == first.host }) { address = first }
        let schemes = all.compactMap(\.scheme)
        if let first = schemes.first, schemes.allSatisfy({ $0 == first }) { scheme = first }
    }

    /// What the fields of one kind say; `nil` where they say nothing of it.
    private func told(by hops: [ForwardedHop], _ trusted: AddressSet) -> (address: SocketAddress?, scheme: String?) {
        let isAboutSender = hops.contains(where: \.isAboutSender)
        var address: SocketAddress?
        var scheme: String?
        for hop in hops.reversed() {
            if let told = hop.scheme, told == "http" || told == "https" { scheme = told }
            guard let text = hop.address, let sender = SocketAddress(ip: text, port: hop.port ?? 0) else {
                if isAboutSender { address = .untold }
                break
            }
            address = sender
            guard trusted.contains(sender) else { break }
        }
        return (address, scheme)
    }
}

/// What decides who may come in, and who is believed.
struct AccessRules: Sendable {
    /// The origins from which pages may connect; `nil`: any.
    var origins: [WebOrigin]?
    /// The proxies that may say whose request they pass on.
    var trustedProxies: AddressSet
    var metrics: MetricsAccess

    init(_ settings: ServerSettings) {
        origins = settings.origins.map { $0.compactMap { WebOrigin($0) } }
        trustedProxies = settings.trustedProxies
        metrics = settings.metricsAccess
    }
}

extension HTTPConnection {
    /// Who sent a request.
    func client(of head: RequestHead) -> Client {
        Client(
            head.headers, peer: stream.peer, isPassedOn: stream.isPassedOn, isTLS: stream.isTLS,
            trusted: context.access.trustedProxies)
    }
}
