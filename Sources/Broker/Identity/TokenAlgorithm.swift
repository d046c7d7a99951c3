/// How a token is signed (RFC 7518 section 3.1, RFC 8037 section 3.1).
///
/// `none` is not among them, and no key fits more than one, so a token cannot choose how it is checked.
public enum TokenAlgorithm: String, Sendable, CaseIterable {
    /// HMAC with SHA-256, by a secret that both sides have.
    case hs256 = "HS256"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// Ed25519.
    case edDSA = "EdDSA"
}

/// One key by which tokens are checked.
struct VerificationKey: Sendable {
    private enum Material {
        case secret([UInt8])
        case publicKey(PublicKey)
    }

    /// By which tokens name it (`kid`); `nil`: by nothing.
    let id: String?
    let algorithm: TokenAlgorithm
    private let material: Material

    /// A secret for HS256.
    init(secret: [UInt8], id: String? = nil) {
        self.id = id
        algorithm = .hs256
        material = .secret(secret)
    }

    /// A public key, for the one algorithm that it fits.
    init(_ key: PublicKey, id: String?) {
        self.id = id
        algorithm = key.algorithm
        material = .publicKey(key)
    }

    /// Whether a signature is this key's, of this text.
    func hasSigned(_ text: [UInt8], _ signature: [UInt8]) -> Bool {
        switch material {
        case .secret(let secret): isEqualInConstantTime(signature, hmacSHA256(of: text, secret))
        case .publicKey(let key): key.hasSigned(text, signature)
        }
    }
}
