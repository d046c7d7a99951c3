/// A token taken apart, of which nothing is believed yet (RFC 7515 section 5.2).
struct SignedToken {
    /// The most bytes that a token may have; more are not looked at.
    static let maxBytes = 8_192

    let algorithm: TokenAlgorithm
    /// The key that it names.
    let keyID: String?
    /// What the signature is of.
    let signedText: [UInt8]
    let signature: [UInt8]
    private let body: [UInt8]

    /// Takes a token apart.
    ///
    /// - Throws: `badToken` with words that repeat nothing of the token.
    init(_ token: String) throws(Authenticator.Failure) {
        guard token.utf8.count <= SignedToken.maxBytes else { throw .badToken("the token is too long") }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]), let body = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw .badToken("the token is malformed: it is three parts of base64url with points between them") }
        let members = try SignedToken.members(header, "header")
        // Extensions that must be understood: none is (RFC 7515 section 4.1.11).
        guard members["crit"] == nil else { throw .badToken("the token's header has 'crit'") }
        guard case .string(let name) = members["alg"], let algorithm = TokenAlgorithm(rawValue: name) else {
            let names = TokenAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badToken("the token's algorithm is none of \(names)")
        }
        switch members["kid"] {
        case nil: keyID = nil
        case .string(let id): keyID = id
        default: throw .badToken("the token's kid is no text")
        }
        self.algorithm = algorithm
        self.body = body
        self.signature = signature
        signedText = Array(token.utf8.dropLast(parts[2].utf8.count + 1))
    }

    /// The members of the claims, for a token whose signature was found to be right.
    func claims() throws(Authenticator.Failure) -> [String: SettingsJSON.Kind] {
        try SignedToken.members(body, "claims")
    }

    /// The members of a JSON object, each once (RFC 7515 section 4, RFC 7519 section 4).
    private static func members(
        _ bytes: [UInt8], _ what: String
    ) throws(Authenticator.Failure) -> [String: SettingsJSON.Kind] {
        guard let json = try? SettingsJSON.read(bytes), case .object(let members) = json.kind else {
            throw .badToken("the token is malformed: its \(what) is no JSON object with each name once")
        }
        return Dictionary(members.map { ($0.name, $0.value.kind) }) { first, _ in first }
    }
}
