import COpenSSL
import Foundation

/// A JSON Web Token in its compact form (RFC 7519, RFC 7515), signed with HMAC-SHA256.
public struct JSONWebToken: Sendable {
    /// What a token says that concerns a broker.
    ///
    /// Times are in seconds since 1970.
    public struct Claims: Codable, Sendable, Equatable {
        /// One entry of the claim `channels`.
        public struct Channel: Codable, Sendable, Equatable {
            /// A channel's name; a `*` at its end stands for anything.
            public var pattern: String
            /// The names of rights.
            public var can: [String]
            /// The only reactions that may be used.
            public var reactions: [String]?

            /// Makes an entry.
            public init(pattern: String, can: [String], reactions: [String]? = nil) {
                self.pattern = pattern
                self.can = can
                self.reactions = reactions
            }
        }

        /// The user.
        public var sub: String
        /// When the token runs out.
        public var exp: Double
        /// Before when it is not valid yet.
        public var nbf: Double?
        /// When it was made.
        public var iat: Double?
        /// Who made the token.
        public var iss: String?
        /// For whom it was made.
        public var aud: Audience?
        /// What may be done where.
        public var channels: [Channel]?

        /// Makes claims.
        public init(
            sub: String, exp: Double, nbf: Double? = nil, iat: Double? = nil, iss: String? = nil,
            aud: Audience? = nil, channels: [Channel]? = nil
        ) {
            self.sub = sub
            self.exp = exp
            self.nbf = nbf
            self.iat = iat
            self.iss = iss
            self.aud = aud
            self.channels = channels
        }
    }

    /// For whom a token was made: one name, or a list of them (RFC 7519 section 4.1.3).
    public struct Audience: Codable, Sendable, Equatable {
        /// The names.
        public var names: [String]

        /// Makes an audience.
        public init(_ names: [String]) {
            self.names = names
        }

        /// Reads a name or a list of names.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let name = try? container.decode(String.self) {
                names = [name]
            } else {
                names = try container.decode([String].self)
            }
        }

        /// Writes one name by itself, several as a list.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if names.count == 1 {
                try container.encode(names[0])
            } else {
                try container.encode(names)
            }
        }
    }

    private struct Header: Codable {
        var alg: String
        var typ: String?
        var crit: [String]?
    }

    /// Makes a signed token.
    ///
    /// - Throws: Where the claims cannot be written as JSON (a time that is not finite).
    public static func sign(_ claims: Claims, secret: [UInt8]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let header = Base64URL.encode(Array(try encoder.encode(Header(alg: "HS256", typ: "JWT"))))
        let body = Base64URL.encode(Array(try encoder.encode(claims)))
        let signed = header + "." + body
        return signed + "." + Base64URL.encode(signature(of: signed, secret))
    }

    /// Reads a token whose signature is right; `nil` for all others, whatever is wrong with them.
    ///
    /// Only HS256 is taken, so that no token chooses how it is checked.
    static func claims(from token: String, secret: [UInt8]) -> Claims? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header = Base64URL.decode(String(parts[0])), let body = Base64URL.decode(String(parts[1])),
            let given = Base64URL.decode(String(parts[2])),
            let fields = try? JSONDecoder().decode(Header.self, from: Data(header)),
            fields.alg == "HS256", fields.crit == nil
        else { return nil }
        guard isEqualInConstantTime(given, signature(of: parts[0] + "." + parts[1], secret)) else { return nil }
        return try? JSONDecoder().decode(Claims.self, from: Data(body))
    }

    private static func signature(of text: some StringProtocol, _ secret: [UInt8]) -> [UInt8] {
        let bytes = Array(text.utf8)
        var code = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        // The pointers are used within the call; SHA-256 writes 32 bytes.
        unsafe HMAC(EVP_sha256(), secret, Int32(secret.count), bytes, bytes.count, &code, &length)
        return code
    }
}

/// Compares in a time that does not tell where the two differ.
func isEqualInConstantTime(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}

/// Base64 with the URL-safe alphabet and no padding (RFC 4648 section 5).
enum Base64URL {
    static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// `nil` for anything but that alphabet.
    static func decode(_ text: String) -> [UInt8]? {
        guard text.utf8.allSatisfy({ isDigit($0) }) else { return nil }
        let plain = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
        return Data(base64Encoded: plain + padding).map(Array.init)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
