import Broker
import Transport

extension Context {
    /// Says why a connection failed, where that is something that an operator can mend.
    func tell(_ error: TransportError?, of stream: ByteStream) {
        switch error {
        case .tls(let reason): log.say(.info, .tls, "TLS with \(stream.peerAddress) failed: \(reason)")
        case .untrusted(let reason):
            log.say(.info, .tls, "TLS with \(stream.peerAddress) failed: its certificate is not accepted: \(reason)")
        case .timedOut(let what): log.say(.info, .tls, "\(what) with \(stream.peerAddress) took too long")
        default: break
        }
    }

    /// Says that a peer speaks TLS where none is spoken.
    func tellTLSAtPlainPort(of stream: ByteStream) {
        log.say(
            .info, .tls,
            "\(stream.peerAddress) speaks TLS to a plain port; wss:// and https:// need a listener with TLS")
    }
}

/// Whether bytes that came first are the head of a TLS record with a ClientHello (RFC 8446 section 5.1).
func isTLS(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.starts(with: [0x16, 0x03])
}
