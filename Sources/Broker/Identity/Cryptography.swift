import COpenSSL

// @safe: the pointer is valid as long as the object.
// @unchecked: nothing changes the key after it was made, and OpenSSL lets several threads use such a key at once.
/// The owner of an OpenSSL key, public or private.
@safe
final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes a key over; `nil` where there is none.
    init?(_ key: OpaquePointer?) {
        ERR_clear_error()
        guard let key = unsafe key else { return nil }
        unsafe pointer = key
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }
}

/// A public key with the one algorithm that it is for.
struct PublicKey: Sendable {
    let algorithm: TokenAlgorithm
    private let handle: KeyHandle

    /// The bits that an RSA modulus may have: fewer are too weak (RFC 7518 section 3.3), more take too long.
    static let rsaBits = 2_048...8_192

    /// An RSA key; `nil` where the modulus is out of range, or they are no key.
    init?(modulus: [UInt8], exponent: [UInt8]) {
        let modulus = modulus.drop { $0 == 0 }
        let exponent = exponent.drop { $0 == 0 }
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        // An exponent is odd, at least 3, and small wherever keys are made by the book.
        guard PublicKey.rsaBits.contains(bits), (1...8).contains(exponent.count), exponent.last.map({ $0 & 1 }) == 1,
            Array(exponent) != [1], modulus.last.map({ $0 & 1 }) == 1
        else { return nil }
        let key = DER.sequence(DER.integer(modulus), DER.integer(exponent))
        self.init(.rs256, DER.sequence(DER.sequence(DER.Identifier.rsa), DER.bitString(key)))
    }

    /// A point of the curve P-256; `nil` where the coordinates do not have 32 bytes each or lie beside the curve.
    init?(x: [UInt8], y: [UInt8]) {
        guard x.count == 32, y.count == 32 else { return nil }
        self.init(.es256, DER.sequence(DER.sequence(DER.Identifier.p256), DER.bitString([4] + x + y)))
    }

    /// An Ed25519 key; `nil` where it does not have 32 bytes.
    init?(ed25519 bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.init(.edDSA, DER.sequence(DER.sequence(DER.Identifier.ed25519), DER.bitString(bytes)))
    }

    /// Reads a SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7).
    private init?(_ algorithm: TokenAlgorithm, _ info: [UInt8]) {
        let key = unsafe info.withUnsafeBufferPointer { buffer in
            // The call reads within the buffer and moves only its own copy of the pointer.
            var start = buffer.baseAddress
            return unsafe d2i_PUBKEY(nil, &start, buffer.count)
        }
        guard let handle = unsafe KeyHandle(key) else { return nil }
        self.algorithm = algorithm
        self.handle = handle
    }

    /// Whether a signature is this key's, of this text.
    func hasSigned(_ text: [UInt8], _ signature: [UInt8]) -> Bool {
        guard let signature = inOpenSSLForm(signature), let context = unsafe EVP_MD_CTX_new() else { return false }
        defer {
            unsafe EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        // Ed25519 brings its own hash. The buffers hold for the calls.
        let digest = algorithm == .edDSA ? nil : unsafe EVP_sha256()
        guard unsafe EVP_DigestVerifyInit(context, nil, digest, nil, handle.pointer) == 1 else { return false }
        return unsafe EVP_DigestVerify(context, signature, signature.count, text, text.count) == 1
    }

    /// ES256 has the two numbers side by side, 32 bytes each (RFC 7518 section 3.4); OpenSSL wants a sequence of them.
    private func inOpenSSLForm(_ signature: [UInt8]) -> [UInt8]? {
        guard algorithm == .es256 else { return signature }
        guard signature.count == 64 else { return nil }
        return DER.sequence(DER.integer(signature[..<32]), DER.integer(signature[32...]))
    }
}

/// The HMAC-SHA256 of a text (RFC 2104), 32 bytes.
func hmacSHA256(of text: [UInt8], _ secret: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 32)
    var length: UInt32 = 0
    // The pointers are used within the call; SHA-256 writes 32 bytes.
    unsafe HMAC(EVP_sha256(), secret, Int32(clamping: secret.count), text, text.count, &code, &length)
    return code
}

/// The SHA-256 of some bytes, 32 bytes.
func sha256(of bytes: [UInt8]) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: 32)
    // The pointers are used within the call, which writes 32 bytes.
    unsafe SHA256(bytes, bytes.count, &hash)
    return hash
}

/// Compares in a time that does not tell where the two differ; that of different lengths may.
func isEqualInConstantTime(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard one.count == other.count else { return false }
    return unsafe CRYPTO_memcmp(one, other, one.count) == 0  // both have the length given
}
