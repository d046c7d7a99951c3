/// Who a client says it is (PROTOCOL.md section 2).
public enum Identity: Sendable, Hashable {
    /// Nothing is said; a broker in development mode makes a guest name.
    case none
    /// A user's name; only a broker in development mode believes it.
    case user(String)
    /// A JSON web token, sent as `Authorization: Bearer`.
    case token(String)
}
