public import Wire

/// Why something that was asked of a ``ReactionClient`` did not come about.
///
/// Callers branch on ``code``; ``message`` is one line for a person.
public struct ClientError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of an error; more may come.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Value {
            case invalidURL, unauthorized, forbidden, timedOut, refused, closed, tooManyRequests, conflict, transport
            case unreachable, misread, invalidData, unavailable
        }

        private let value: Value

        /// The text is not a URL of a broker.
        public static let invalidURL = Code(value: .invalidURL)
        /// The token is bad or ran out, or there is none; the client does not come back.
        public static let unauthorized = Code(value: .unauthorized)
        /// The broker wants no more of this client, or of this subscription.
        public static let forbidden = Code(value: .forbidden)
        /// There never was a connection to the broker, and trying again is no use; the client does not come back.
        public static let unreachable = Code(value: .unreachable)
        /// There was no answer in time; whether it took effect is not known.
        public static let timedOut = Code(value: .timedOut)
        /// The broker let nobody in for as long as the request could wait: it is full, short of memory, or about to end.
        ///
        /// The request was not sent, or its answer is lost.
        public static let unavailable = Code(value: .unavailable)
        /// The broker answered with an error: ``ClientError/refusal``.
        public static let refused = Code(value: .refused)
        /// The client was closed.
        public static let closed = Code(value: .closed)
        /// Too many requests wait for an answer already.
        public static let tooManyRequests = Code(value: .tooManyRequests)
        /// The channel is followed in another mode already.
        public static let conflict = Code(value: .conflict)
        /// The text is no JSON object that may go with a reaction.
        public static let invalidData = Code(value: .invalidData)
        /// The broker's answer makes no sense.
        public static let misread = Code(value: .misread)
        /// The system could not give what a connection needs.
        public static let transport = Code(value: .transport)

        /// The name of the kind, as it is written in code.
        public var description: String { "\(value)" }
    }

    /// What kind of error it is.
    public var code: Code
    /// One line for a person.
    public var message: String
    /// The broker's error code, where ``code`` is ``Code/refused``.
    public var refusal: ErrorCode?
    /// After which time the same request may be tried again, where the broker said so.
    public var retryAfter: Duration?

    /// Makes an error.
    public init(_ code: Code, _ message: String, refusal: ErrorCode? = nil, retryAfter: Duration? = nil) {
        self.code = code
        self.message = message
        self.refusal = refusal
        self.retryAfter = retryAfter
    }

    /// The line for a person.
    public var description: String { message }
}
