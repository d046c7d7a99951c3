import COpenSSL

/// What signs tokens: a secret, or a private key.
public struct TokenSigner: Sendable {
    private enum Material {
        case secret([UInt8])
        case privateKey(KeyHandle)
    }

    /// Why a file is no key for tokens.
    public enum Failure: Error, Sendable, Equatable {
        /// No private key in PEM, or one with a passphrase.
        case unreadable
        /// A key of another kind: RSA of 2,048 bits and more, P-256 and Ed25519 are taken.
        case unsuitable
    }

    /// How it signs.
    public let algorithm: TokenAlgorithm
    private let material: Material

    /// Signs by HS256.
    public init(secret: [UInt8]) {
        algorithm = .hs256
        material = .secret(secret)
    }

    /// Signs with a private key (PEM, without a passphrase) by the algorithm that it fits.
    public init(pem: [UInt8]) throws(Failure) {
        // A passphrase is never asked for: the empty one, which is handed in, opens no key.
        let key = unsafe pem.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            // The source reads from the buffer while the call lasts.
            guard let source = unsafe BIO_new_mem_buf(buffer.baseAddress, Int32(clamping: buffer.count)) else {
                return nil
            }
            defer { unsafe BIO_free(source) }
            return unsafe "".withCString { passphrase in
                unsafe PEM_read_bio_PrivateKey(source, nil, nil, UnsafeMutableRawPointer(mutating: passphrase))
            }
        }
        guard let handle = unsafe KeyHandle(key) else { throw .unreadable }
        guard let algorithm = TokenSigner.algorithm(of: handle) else { throw .unsuitable }
        self.algorithm = algorithm
        material = .privateKey(handle)
    }

    private static func algorithm(of key: KeyHandle) -> TokenAlgorithm? {
        let pointer = unsafe key.pointer
        if unsafe EVP_PKEY_is_a(pointer, "RSA") == 1 {
            return unsafe PublicKey.rsaBits.contains(Int(EVP_PKEY_get_bits(pointer))) ? .rs256 : nil
        }
        if unsafe EVP_PKEY_is_a(pointer, "ED25519") == 1 { return .edDSA }
        guard unsafe EVP_PKEY_is_a(pointer, "EC") == 1 else { return nil }
        var name = [CChar](repeating: 0, count: 32)
        var length = 0
        // The name is cut off at the room that it has.
        guard unsafe EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1 else { return nil }
        return name.prefix(length).map(UInt8.init(bitPattern:)) == Array("prime256v1".utf8) ? .es256 : nil
    }

    /// The signature of a text, in the form of tokens; `nil` where OpenSSL refuses.
    func signature(of text: [UInt8]) -> [UInt8]? {
        switch material {
        case .secret(let secret): return hmacSHA256(of: text, secret)
        case .privateKey(let key):
            guard let signature = sign(text, key) else { return nil }
            return algorithm == .es256 ? sideBySide(signature) : signature
        }
    }

    private func sign(_ text: [UInt8], _ key: KeyHandle) -> [UInt8]? {
        guard let context = unsafe EVP_MD_CTX_new() else { return nil }
        defer {
            unsafe EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        let digest = algorithm == .edDSA ? nil : unsafe EVP_sha256()
        var length = 0
        // The buffers hold for the calls; the first one for a length gives the most that the second one writes.
        guard unsafe EVP_DigestSignInit(context, nil, digest, nil, key.pointer) == 1,
            unsafe EVP_DigestSign(context, nil, &length, text, text.count) == 1
        else { return nil }
        var signature = [UInt8](repeating: 0, count: length)
        guard unsafe EVP_DigestSign(context, &signature, &length, text, text.count) == 1 else { return nil }
        return Array(signature.prefix(length))
    }

    /// The two numbers of OpenSSL's sequence, 32 bytes each: the other way of what ``PublicKey`` does.
    private func sideBySide(_ sequence: [UInt8]) -> [UInt8]? {
        var numbers: [UInt8] = []
        // SEQUENCE, its length (one byte: 72 at most), then twice INTEGER, its length, its bytes.
        var rest = sequence.dropFirst(2)
        for _ in 0..<2 {
            guard rest.popFirst() == 0x02, let length = rest.popFirst(), rest.count >= length else { return nil }
            let digits = rest.prefix(Int(length)).drop { $0 == 0 }
            guard digits.count <= 32 else { return nil }
            numbers += [UInt8](repeating: 0, count: 32 - digits.count) + digits
            rest = rest.dropFirst(Int(length))
        }
        return numbers
    }
}

// MARK: The public half

extension TokenSigner {
    /// The public half as a key set (RFC 7517) for `tokens.jwks_file`, JSON on several lines; `nil` for a secret.
    public func keySet(id: String?) -> String? {
        guard case .privateKey(let key) = material, let parameters = parameters(of: key) else { return nil }
        var members = parameters + [("use", "sig"), ("alg", algorithm.rawValue)]
        if let id { members.append(("kid", id)) }
        let lines = members.map { name, value in
            var text: [UInt8] = []
            text.append(quoted: value)
            return "      \"\(name)\": " + String(decoding: text, as: UTF8.self)
        }
        return "{\n  \"keys\": [\n    {\n\(lines.joined(separator: ",\n"))\n    }\n  ]\n}\n"
    }

    private func parameters(of key: KeyHandle) -> [(String, String)]? {
        switch algorithm {
        case .hs256: return nil
        case .rs256:
            guard let modulus = number("n", of: key), let exponent = number("e", of: key) else { return nil }
            return [("kty", "RSA"), ("n", Base64URL.encode(modulus)), ("e", Base64URL.encode(exponent))]
        case .es256:
            guard let point = publicBytes(of: key, count: 64) else { return nil }
            return [
                ("kty", "EC"), ("crv", "P-256"), ("x", Base64URL.encode(Array(point.prefix(32)))),
                ("y", Base64URL.encode(Array(point.suffix(32)))),
            ]
        case .edDSA:
            guard let bytes = publicBytes(of: key, count: 32) else { return nil }
            return [("kty", "OKP"), ("crv", "Ed25519"), ("x", Base64URL.encode(bytes))]
        }
    }

    private func number(_ name: String, of key: KeyHandle) -> [UInt8]? {
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(key.pointer, name, &number) == 1, let number = unsafe number else {
            return nil
        }
        defer { unsafe BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: (unsafe Int(BN_num_bits(number)) + 7) / 8)
        unsafe BN_bn2bin(number, &bytes)  // writes as many bytes as it has
        return bytes
    }

    /// The last bytes of the SubjectPublicKeyInfo: those of the point, or of the key.
    private func publicBytes(of key: KeyHandle, count: Int) -> [UInt8]? {
        var start: UnsafeMutablePointer<UInt8>?
        let length = unsafe Int(i2d_PUBKEY(key.pointer, &start))
        guard length >= count, let start = unsafe start else { return nil }
        // The call has made a buffer of that length, which is ours now.
        defer { unsafe CRYPTO_free(start, nil, 0) }
        return unsafe Array(UnsafeBufferPointer(start: start, count: length).suffix(count))
    }
}

extension [UInt8] {
    /// Appends a text as a JSON string.
    fileprivate mutating func append(quoted text: String) {
        append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): self += [UInt8(ascii: "\\"), byte]
            case ..<0x20: self += Array("\\u00\(String(byte >> 4, radix: 16))\(String(byte & 15, radix: 16))".utf8)
            default: append(byte)
            }
        }
        append(UInt8(ascii: "\""))
    }
}
