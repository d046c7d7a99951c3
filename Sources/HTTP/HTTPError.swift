/// Why a request is refused; what follows on the connection cannot be trusted, so it must be closed after the answer.
public struct HTTPError: Error, Sendable, Equatable {
    /// The status of the answer, 400–599.
    public let status: Int
    /// Words for a person; they repeat nothing of the request.
    public let reason: String

    /// Makes an error.
    public init(status: Int, reason: String) {
        self.status = status
        self.reason = reason
    }

    static func badRequest(_ reason: String) -> HTTPError { HTTPError(status: 400, reason: reason) }
    static func headTooLarge(_ reason: String) -> HTTPError { HTTPError(status: 431, reason: reason) }
    static let bodyTooLarge = HTTPError(status: 413, reason: "the body is too large")
}
