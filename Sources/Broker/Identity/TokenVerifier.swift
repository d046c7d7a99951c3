/// Checks tokens and reads what they grant.
public struct TokenVerifier: Sendable {
    /// How many seconds clocks may differ where the settings do not say.
    public static let usualLeeway = 1
    /// The length in bytes from which a secret is taken for safe (RFC 7518 section 3.2).
    public static let safeSecretBytes = 32

    private let secret: VerificationKey?
    private let keyFile: TokenKeyFile?
    private let issuer: String?
    private let audience: String?
    /// How long past its end a token is taken, in milliseconds.
    let leeway: Int64

    /// Takes tokens that are signed with a secret by HS256, or with a key of a file.
    ///
    /// - Parameters:
    ///   - secret: the secret, for tokens with any `kid` or none.
    ///   - keyFile: further keys.
    ///   - issuer: where it is given, tokens must be of this one (`iss`).
    ///   - audience: where it is given, tokens must be for it (`aud`).
    ///   - leewaySeconds: how much the clock of whoever makes tokens may differ, 0 to 300.
    public init(
        secret: String? = nil, keyFile: TokenKeyFile? = nil, issuer: String? = nil, audience: String? = nil,
        leewaySeconds: Int = 0
    ) {
        self.secret = secret.map { VerificationKey(secret: Array($0.utf8)) }
        self.keyFile = keyFile
        self.issuer = issuer
        self.audience = audience
        leeway = Int64(min(max(leewaySeconds, 0), 300)) * 1000
    }

    /// Who a token speaks for, as of `now` in Unix milliseconds.
    func identity(from text: String, now: Int64) throws(Authenticator.Failure) -> Identity {
        let token = try SignedToken(text)
        try checkSignature(of: token)
        let claims = try TokenClaims(try token.claims())
        guard now < claims.expires + leeway else { throw .badToken("the token has run out") }
        guard now >= (claims.notBefore ?? now) - leeway else { throw .badToken("the token is not valid yet") }
        guard now >= (claims.issued ?? now) - leeway else {
            throw .badToken("the token was issued in the future: a clock is wrong, or tokens.leeway_s too small")
        }
        guard issuer == nil || claims.issuer == issuer else { throw .badToken("the token is of another issuer") }
        if let audience, !claims.audience.contains(audience) {
            throw .badToken("the token is for another audience")
        }
        return Identity(
            user: claims.user, expires: claims.expires, issued: claims.issued ?? Identity.neverIssued,
            grants: claims.grants)
    }

    /// The keys decide what a token must be signed by; its header only picks among those that there are.
    private func checkSignature(of token: SignedToken) throws(Authenticator.Failure) {
        var keys = keyFile?.keys(for: token.algorithm, id: token.keyID) ?? []
        if let secret, secret.algorithm == token.algorithm { keys.append(secret) }
        guard !keys.isEmpty else {
            throw .badToken("this broker has no key of the token's algorithm\(token.keyID == nil ? "" : " and kid")")
        }
        guard keys.contains(where: { $0.hasSigned(token.signedText, token.signature) }) else {
            throw .badToken("the token's signature is wrong")
        }
    }
}
