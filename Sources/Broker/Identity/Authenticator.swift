/// Finds out who a connection or an HTTP request speaks for.
public struct Authenticator: Sendable {
    /// The users of development mode.
    public struct Development: Sendable {
        /// Those who may moderate.
        public var moderators: Set<String>

        /// Makes them.
        public init(moderators: Set<String> = []) {
            self.moderators = moderators
        }
    }

    /// Why nobody was found.
    public enum Failure: Error, Sendable, Equatable {
        /// The token is not one of ours, or ran out; the text is for a person and holds nothing secret.
        case badToken(String)
        /// `?user=` is no user name.
        case badUser
    }

    /// The length in bytes from which a server's key is taken for safe.
    public static let safeServerKeyBytes = 16

    /// Checks tokens; `nil` where no secret or key is set.
    public var tokens: TokenVerifier?
    /// Users by `?user=NAME`; `nil` outside development mode.
    public var development: Development?
    /// The keys of servers that may act for anyone.
    public var serverKeys: [String]
    /// Whose older tokens are refused; the broker's own, which it sets.
    var revocations: Revocations?

    /// Makes an authenticator.
    public init(tokens: TokenVerifier?, development: Development?, serverKeys: [String] = []) {
        self.tokens = tokens
        self.development = development
        self.serverKeys = serverKeys
    }

    /// Who a request speaks for; `nil` where it says nothing of it.
    ///
    /// Its `Authorization` header comes first, then its `token` parameter, then (in development mode) its `user`
    /// parameter or a guest's name. A server's key in the header speaks for the user of the `user` parameter.
    public func identify(
        authorization: String?, token: String?, user: String?, now: Int64, guest: () -> String
    ) throws(Failure) -> Identity? {
        if let authorization {
            let words = authorization.split(separator: " ", maxSplits: 1)
            guard words.count == 2, words[0].lowercased() == "bearer" else {
                throw .badToken("Authorization is not of the form 'Bearer TOKEN'")
            }
            if isServerKey(words[1]) { return try server(for: user) }
            return try identify(token: String(words[1]), now: now)
        }
        if let token { return try identify(token: token, now: now) }
        guard let development else { return nil }
        let name = user.flatMap { $0.isEmpty ? nil : $0 } ?? guest()
        guard Identity.isUserName(name) else { throw .badUser }
        return Identity(
            user: name,
            grants: development.moderators.contains(name) ? Identity.moderatorGrants : Identity.ordinaryGrants)
    }

    /// A server may do everything for a user that it names, and all but react in its own name.
    private func server(for user: String?) throws(Failure) -> Identity {
        guard let user else {
            let rights = Set(Right.allCases).subtracting([.react])
            return Identity(user: "server", isServer: true, grants: [Grant(pattern: "*", rights: rights)])
        }
        guard Identity.isUserName(user) else { throw .badUser }
        return Identity(user: user, isServer: true, grants: Identity.moderatorGrants)
    }

    /// Whether an `Authorization` header holds a server's key.
    public func isServer(authorization: String?) -> Bool {
        guard let words = authorization?.split(separator: " ", maxSplits: 1), words.count == 2 else { return false }
        return words[0].lowercased() == "bearer" && isServerKey(words[1])
    }

    /// All keys are compared, whether or not one was found, and by their hashes, so that no length is told either.
    private func isServerKey(_ word: Substring) -> Bool {
        guard !serverKeys.isEmpty else { return false }
        let hash = sha256(of: Array(word.utf8))
        return serverKeys.reduce(false) { isEqualInConstantTime(sha256(of: Array($1.utf8)), hash) || $0 }
    }

    /// Who a token speaks for.
    public func identify(token: String, now: Int64) throws(Failure) -> Identity {
        guard let tokens else { throw .badToken("this broker takes no tokens: it has no secret or key to check them") }
        let identity = try tokens.identity(from: token, now: now)
        if revocations?.cover(identity.user, issued: identity.issued) == true {
            throw .badToken("the token was revoked")
        }
        return identity
    }

    /// How long past its end an identity is taken, in milliseconds.
    var leeway: Int64 { tokens?.leeway ?? 0 }
}
