import Foundation

/// A JSON Web Token in its compact form (RFC 7519, RFC 7515).
public struct JSONWebToken: Sendable {
    /// What a token says that concerns a broker.
    ///
    /// Times are in seconds since 1970.
    public struct Claims: Encodable, Sendable, Equatable {
        /// One entry of the claim `channels`.
        public struct Channel: Encodable, Sendable, Equatable {
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
    public struct Audience: Encodable, Sendable, Equatable {
        /// The names.
        public var names: [String]

        /// Makes an audience.
        public init(_ names: [String]) {
            self.names = names
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

    private struct Header: Encodable {
        var alg: String
        var kid: String?
        var typ = "JWT"
    }

    /// Why a token could not be signed.
    public struct SigningFailure: Error, Sendable {}

    /// Makes a token that is signed by HS256.
    ///
    /// - Throws: Where the claims cannot be written as JSON (a time that is not finite).
    public static func sign(_ claims: Claims, secret: [UInt8]) throws -> String {
        try sign(claims, with: TokenSigner(secret: secret), keyID: nil)
    }

    /// Makes a signed token that names its key by `keyID`, where there is one.
    ///
    /// - Throws: Where the claims cannot be written as JSON (a time that is not finite), or ``SigningFailure``.
    public static func sign(_ claims: Claims, with signer: TokenSigner, keyID: String?) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let header = Header(alg: signer.algorithm.rawValue, kid: keyID)
        let signed =
            Base64URL.encode(Array(try encoder.encode(header))) + "."
            + Base64URL.encode(Array(try encoder.encode(claims)))
        guard let signature = signer.signature(of: Array(signed.utf8)) else { throw SigningFailure() }
        return signed + "." + Base64URL.encode(signature)
    }
}
