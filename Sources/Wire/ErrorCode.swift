public import Reactions

/// The word in `code` of an error, in a WebSocket message as over HTTP (PROTOCOL.md section 8).
public enum ErrorCode: String, Sendable, CaseIterable {
    case badRequest = "bad_request"
    case unauthorized
    case forbidden
    case keyReused = "key_reused"
    case invalidReaction = "invalid_reaction"
    case reactionNotAllowed = "reaction_not_allowed"
    case frozen
    case messageDeleted = "message_deleted"
    case tooManyReactions = "too_many_reactions"
    case rateLimited = "rate_limited"
    case notSubscribed = "not_subscribed"
    case tooManySubscriptions = "too_many_subscriptions"
    case unknownCursor = "unknown_cursor"
    case unavailable
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    case tooLarge = "too_large"

    /// The HTTP status that goes with the code.
    ///
    /// The two about subscriptions do not occur over HTTP and count as conflicts.
    public var httpStatus: Int {
        switch self {
        case .badRequest, .unknownCursor: 400
        case .unauthorized: 401
        case .forbidden: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .keyReused, .frozen, .messageDeleted, .tooManyReactions, .notSubscribed, .tooManySubscriptions: 409
        case .tooLarge: 413
        case .invalidReaction, .reactionNotAllowed: 422
        case .rateLimited: 429
        case .unavailable: 503
        }
    }

    /// The code of a ledger's refusal.
    public init(_ refusal: Refusal) {
        self =
            switch refusal {
            case .badRequest: .badRequest
            case .keyReused: .keyReused
            case .invalidReaction: .invalidReaction
            case .reactionNotAllowed: .reactionNotAllowed
            case .frozen: .frozen
            case .messageDeleted: .messageDeleted
            case .tooManyReactions: .tooManyReactions
            }
    }
}
