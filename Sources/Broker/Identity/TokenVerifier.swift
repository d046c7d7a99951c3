/// Checks tokens and reads what they grant.
public struct TokenVerifier: Sendable {
    private let secret: [UInt8]
    private let issuer: String?
    private let audience: String?

    /// Takes tokens that are signed with this secret by HS256.
    ///
    /// Where an issuer is given, they must be of this one (`iss`); where an audience is, they must be for it (`aud`).
    public init(secret: String, issuer: String? = nil, audience: String? = nil) {
        self.secret = Array(secret.utf8)
        self.issuer = issuer
        self.audience = audience
    }

    /// Who a token speaks for, as of `now` in Unix milliseconds.
    func identity(from token: String, now: Int64) throws(Authenticator.Failure) -> Identity {
        guard let claims = JSONWebToken.claims(from: token, secret: secret) else {
            throw .badToken("the token is not one that this broker can check")
        }
        let seconds = Double(now) / 1000
        guard seconds < claims.exp else { throw .badToken("the token has run out") }
        guard seconds >= claims.nbf ?? 0 else { throw .badToken("the token is not valid yet") }
        guard issuer == nil || claims.iss == issuer else { throw .badToken("the token is of another issuer") }
        if let audience, !(claims.aud?.names.contains(audience) ?? false) {
            throw .badToken("the token is for another audience")
        }
        guard Identity.isUserName(claims.sub) else { throw .badToken("the token's sub is no user name") }
        let expires = claims.exp < 9e12 ? Int64(claims.exp * 1000) : Int64.max
        guard let channels = claims.channels else {
            return Identity(user: claims.sub, expires: expires, grants: Identity.ordinaryGrants)
        }
        let grants = channels.map { channel in
            Grant(
                pattern: channel.pattern, rights: Set(channel.can.compactMap(Right.init)),
                reactions: channel.reactions)
        }
        return Identity(user: claims.sub, expires: expires, grants: grants)
    }
}
