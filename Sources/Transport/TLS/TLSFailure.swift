/// Why a connection with TLS came to nothing, in the kinds that an operator tells apart.
public enum TLSFailure: Int, CaseIterable, Sendable {
    /// The peer's certificate is not accepted, or it has none where one is required.
    case certificate
    /// The peer ended it with an alert: it does not trust this side's certificate, say.
    case peer
    /// The handshake took too long.
    case time
    /// Whatever else: no TLS at all, or no version or cipher that both have.
    case other
}

extension TransportError {
    /// What takes too long where a handshake does.
    static let handshake = "the TLS handshake"
    /// How the words of an alert begin.
    static let endedByPeer = "the peer ended it: "

    /// The kind of failure, where TLS has failed.
    public var tlsFailure: TLSFailure? {
        switch self {
        case .untrusted: .certificate
        case .tls(let reason): reason.hasPrefix(Self.endedByPeer) ? .peer : .other
        case .timedOut(Self.handshake): .time
        default: nil
        }
    }
}
