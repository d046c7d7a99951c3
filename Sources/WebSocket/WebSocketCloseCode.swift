/// The codes of close frames (RFC 6455 section 7.4 and the IANA registry).
public enum WebSocketCloseCode {
    /// The purpose is fulfilled.
    public static let normal: UInt16 = 1000
    /// The server goes down or the page is left.
    public static let goingAway: UInt16 = 1001
    /// The framing was violated.
    public static let protocolError: UInt16 = 1002
    /// A kind of message came that this end cannot take.
    public static let unsupportedData: UInt16 = 1003
    /// Stands for a close frame without a code; never sent.
    public static let noStatus: UInt16 = 1005
    /// A message's content does not fit its kind, such as text that is not UTF-8.
    public static let invalidPayload: UInt16 = 1007
    /// A message broke a rule of this end.
    public static let policyViolation: UInt16 = 1008
    /// A message was too long.
    public static let messageTooBig: UInt16 = 1009
    /// Something went wrong inside this end.
    public static let internalError: UInt16 = 1011
    /// The server restarts; reconnect.
    public static let serviceRestart: UInt16 = 1012
    /// The server is full; try later.
    public static let tryAgainLater: UInt16 = 1013

    /// Whether a code may stand in a close frame: 1000–1003, 1007–1014, and 3000–4999 for libraries and applications.
    public static func mayBeSent(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

/// A wish to close: a code and words for a person.
public struct WebSocketClose: Sendable, Equatable {
    /// The close code; see ``WebSocketCloseCode/mayBeSent(_:)``.
    public var code: UInt16
    /// The reason, at most 123 bytes of UTF-8; what is beyond is cut off.
    public var reason: String

    /// Makes a wish to close.
    public init(code: UInt16, reason: String = "") {
        self.code = code
        self.reason = reason
    }
}
