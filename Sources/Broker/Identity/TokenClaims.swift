/// The claims of a token whose signature is right, read (RFC 7519 section 4.1).
///
/// Times are in milliseconds since 1970; what lies beyond 2^53 counts as that, so that it can be told in JSON.
struct TokenClaims {
    let user: String
    let expires: Int64
    let notBefore: Int64?
    let issued: Int64?
    let issuer: String?
    let audience: [String]
    let grants: [Grant]

    /// Reads the members of the claims.
    ///
    /// - Throws: `badToken` where one is missing, or of the wrong kind.
    init(_ members: [String: SettingsJSON.Kind]) throws(Authenticator.Failure) {
        guard case .string(let user) = members["sub"], Identity.isUserName(user) else {
            throw .badToken("the token's sub is no user name")
        }
        guard let expires = try TokenClaims.time("exp", members) else { throw .badToken("the token has no exp") }
        self.user = user
        self.expires = expires
        notBefore = try TokenClaims.time("nbf", members)
        issued = try TokenClaims.time("iat", members)
        switch members["iss"] {
        case nil, .null: issuer = nil
        case .string(let name): issuer = name
        default: throw .badToken("the token's iss is no text")
        }
        switch members["aud"] {
        case nil, .null: audience = []
        case .string(let name): audience = [name]
        case .array(let names):
            guard let names = TokenClaims.texts(names) else { fallthrough }
            audience = names
        default: throw .badToken("the token's aud is no text and no list of them")
        }
        grants = try members["channels"].map(TokenClaims.grants) ?? Identity.ordinaryGrants
    }

    private static func time(
        _ name: String, _ members: [String: SettingsJSON.Kind]
    ) throws(Authenticator.Failure) -> Int64? {
        switch members[name] {
        case nil, .null: return nil
        case .number(let text):
            guard let seconds = Double(text), !seconds.isNaN else { break }
            let bound = 9_007_199_254_740_991.0
            return Int64(min(max((seconds * 1000).rounded(.down), -bound), bound))
        default: break
        }
        throw .badToken("the token's \(name) is no number of seconds")
    }

    /// Reads `channels` (COMMAND.md): rights that are not known grant nothing.
    private static func grants(_ json: SettingsJSON.Kind) throws(Authenticator.Failure) -> [Grant] {
        guard case .array(let entries) = json else { throw .badToken("the token's channels are no list") }
        var grants: [Grant] = []
        for entry in entries {
            guard let grant = Grant(entry) else {
                throw .badToken("the token's channels have an entry without 'pattern' and 'can', or of another kind")
            }
            grants.append(grant)
        }
        return grants
    }

    fileprivate static func texts(_ values: [SettingsJSON]) -> [String]? {
        var texts: [String] = []
        for value in values {
            guard case .string(let text) = value.kind else { return nil }
            texts.append(text)
        }
        return texts
    }
}

extension Grant {
    /// Reads an entry of `channels`; `nil` where something is missing or of the wrong kind.
    fileprivate init?(_ json: SettingsJSON) {
        guard case .object(let members) = json.kind else { return nil }
        let values = Dictionary(members.map { ($0.name, $0.value.kind) }) { first, _ in first }
        guard case .string(let pattern) = values["pattern"], case .array(let names) = values["can"],
            let rights = TokenClaims.texts(names)
        else { return nil }
        var reactions: [String]?
        switch values["reactions"] {
        case nil, .null: break
        case .array(let names):
            guard let texts = TokenClaims.texts(names) else { return nil }
            reactions = texts
        default: return nil
        }
        self.init(pattern: pattern, rights: Set(rights.compactMap(Right.init)), reactions: reactions)
    }
}
