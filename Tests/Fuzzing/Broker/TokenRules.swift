import Broker
import COpenSSL

/// No token counts but one that was signed with the secret, and what it grants has its shape.
///
/// Input: a byte of options, then a token as it comes, or its header and claims with a line feed between, to be signed.
enum TokenRules {
    private static let secret = "a secret of tests that is long enough"
    private static let now: Int64 = 1_700_000_000_000

    static func check(_ input: [UInt8]) throws(Broken) {
        guard let options = input.first else { return }
        let rest = Array(input.dropFirst())
        let leeway = options & 8 == 0 ? 0 : 300
        let authenticator = Authenticator(
            tokens: TokenVerifier(
                secret: secret, issuer: options & 2 == 0 ? nil : "a", audience: options & 4 == 0 ? nil : "b",
                leewaySeconds: leeway),
            development: nil)
        guard options & 1 == 0 else {
            try expect(identify(rest.text, authenticator) == nil, "a token was taken that nobody signed")
            return
        }
        let parts = rest.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        let signed = base64(parts[0]) + "." + base64(parts.count > 1 ? parts[1] : [])
        let token = signed + "." + base64(signature(of: signed)[...])
        guard let identity = identify(token, authenticator) else { return }
        try expect(Identity.isUserName(identity.user), "a user's name")
        try expect(identity.expires.map { $0 >= now - Int64(leeway) * 1_000 } ?? true, "a token that has run out")
        try checkChanges(of: token, signedLength: signed.utf8.count, Int(options >> 3), authenticator)
    }

    /// One bit of what was signed is changed, or the signature cut: the token counts no more.
    private static func checkChanges(
        of token: String, signedLength: Int, _ place: Int, _ authenticator: Authenticator
    ) throws(Broken) {
        var bytes = Array(token.utf8)
        bytes[place * 7 % signedLength] ^= 1
        try expect(identify(bytes.text, authenticator) == nil, "a changed token was taken")
        try expect(identify(String(token.dropLast()), authenticator) == nil, "a cut signature was taken")
        try expect(identify(token + "A", authenticator) == nil, "a longer signature was taken")
    }

    private static func identify(_ token: String, _ authenticator: Authenticator) -> Identity? {
        try? authenticator.identify(token: token, now: now)
    }

    private static func signature(of text: String) -> [UInt8] {
        let (key, bytes) = (Array(secret.utf8), Array(text.utf8))
        var code = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        // The pointers are used within the call; SHA-256 writes 32 bytes.
        unsafe HMAC(EVP_sha256(), key, CInt(key.count), bytes, bytes.count, &code, &length)
        return code
    }

    /// Base64 with the URL-safe alphabet and no padding (RFC 4648 section 5).
    private static func base64(_ bytes: ArraySlice<UInt8>) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        var rest = bytes
        while !rest.isEmpty {
            let group = Array(rest.prefix(3))
            rest = rest.dropFirst(3)
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for index in 0...group.count { text.append(alphabet[Int(bits >> UInt32(18 - 6 * index) & 63)]) }
        }
        return text.text
    }
}
