/// The few forms of DER (ITU-T X.690) in which OpenSSL wants what tokens and key sets have in forms of their own.
enum DER {
    /// A whole number that is not negative, most significant byte first.
    static func integer(_ magnitude: some Collection<UInt8>) -> [UInt8] {
        var bytes = Array(magnitude.drop { $0 == 0 })
        // The first bit is the sign.
        if bytes.first.map({ $0 >= 0x80 }) ?? true { bytes.insert(0, at: 0) }
        return element(0x02, bytes)
    }

    /// Elements one after the other.
    static func sequence(_ elements: [UInt8]...) -> [UInt8] {
        element(0x30, elements.flatMap(\.self))
    }

    /// Whole bytes as a string of bits.
    static func bitString(_ bytes: [UInt8]) -> [UInt8] {
        element(0x03, [0] + bytes)
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        if content.count < 0x80 { return [tag, UInt8(content.count)] + content }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    /// The object identifiers that keys have, as whole elements.
    enum Identifier {
        /// rsaEncryption with its NULL (RFC 8017 appendix A.1).
        static let rsa: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00]
        /// id-ecPublicKey with the curve secp256r1 (RFC 5480 section 2.1.1).
        static let p256: [UInt8] = [
            0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
            0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07,
        ]
        /// id-Ed25519 (RFC 8410 section 3).
        static let ed25519: [UInt8] = [0x06, 0x03, 0x2B, 0x65, 0x70]
    }
}
