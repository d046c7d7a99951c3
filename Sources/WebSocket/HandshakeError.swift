/// Why a client's opening handshake failed (RFC 6455 section 4.1).
public enum HandshakeError: Error, Sendable, Equatable {
    /// The server answered with another status than 101; the text is the start of its answer's body as far as it was there,
    /// and the seconds are those of `Retry-After` (RFC 9110 section 10.2.3), 0 to 999,999,999, where it tells any.
    case refused(status: Int, body: String, retryAfter: Int? = nil)
    /// The answer is not HTTP/1.1.
    case malformedResponse
    /// The answer's head is longer than ``ClientHandshake/maxHeadBytes``.
    case responseTooLong
    /// `Upgrade` or `Connection` does not say that the protocol changes.
    case notUpgraded
    /// `Sec-WebSocket-Accept` is missing, repeated, or not the answer to this client's key.
    case wrongAcceptKey
    /// The server uses an extension that was not offered.
    case unexpectedExtension
    /// What the server says of an extension is malformed, or is no answer to what was offered (RFC 7692 section 7.1).
    case invalidExtension
    /// The server chose a subprotocol that was not offered, or more than one.
    case unexpectedSubprotocol
}

extension HandshakeError: CustomStringConvertible {
    /// A sentence for a person.
    public var description: String {
        switch self {
        case .refused(let status, let body, _):
            body.isEmpty ? "the server answered \(status)" : "the server answered \(status): \(body)"
        case .malformedResponse: "the server's answer is not HTTP/1.1"
        case .responseTooLong: "the server's answer is too long"
        case .notUpgraded: "the server did not switch to WebSocket"
        case .wrongAcceptKey: "the server's Sec-WebSocket-Accept is wrong"
        case .unexpectedExtension: "the server uses an extension that was not offered"
        case .invalidExtension: "the server's answer to the offered extension is invalid"
        case .unexpectedSubprotocol: "the server chose a subprotocol that was not offered"
        }
    }
}
