/// Who a client says it is (PROTOCOL.md section 2).
public enum Identity: Sendable {
    /// Nothing is said; a broker in development mode makes a guest name.
    case none
    /// A user's name; only a broker in development mode believes it.
    case user(String)
    /// A JSON web token, sent as `Authorization: Bearer`.
    case token(String)
    /// Tokens that run out, and what gives a new one: a call to the app's own server, as a rule.
    ///
    /// It is asked before the first attempt to connect, again before a token runs out, and after the broker has refused one. Where
    /// it throws, or does not answer within ``ClientOptions/connectTimeout`` of an attempt to connect, the client tries again later, as
    /// after any other trouble.
    case tokens(@Sendable () async throws -> String)

    /// Why a broker may take the client for nobody.
    var whyNobody: String {
        switch self {
        case .none, .user: "this broker wants a token"
        case .token, .tokens: "no token reached the broker: what lies between does not pass on the header Authorization"
        }
    }
}
