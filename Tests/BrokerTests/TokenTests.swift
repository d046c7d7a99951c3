import Testing

@testable import Broker

@Suite struct TokenTests {
    let secret = "a secret of some length"

    func token(_ claims: JSONWebToken.Claims, secret: String? = nil) throws -> String {
        try JSONWebToken.sign(claims, secret: Array((secret ?? self.secret).utf8))
    }

    func user(_ token: String, now: Int64 = 5_000) -> String? {
        try? TokenVerifier(secret: secret).identity(from: token, now: now).user
    }

    @Test("a token signed elsewhere by the book is taken (RFC 7515, HS256)")
    func foreignToken() {
        // {"alg":"HS256","typ":"JWT"} . {"sub":"ada","exp":10}, made by Python's hmac and base64 modules
        let token =
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhZGEiLCJleHAiOjEwfQ."
            + "4gEpgwbDS2E7a91Ug9n8MPFbQnhWufBFkiVcJ0rs3LM"
        #expect(user(token) == "ada")
        #expect(user(token, now: 10_000) == nil)
    }

    @Test("what was signed is read again, until it runs out")
    func roundTrip() throws {
        let token = try token(.init(sub: "ada", exp: 10))
        #expect(user(token) == "ada")
        #expect(user(token, now: 9_999) == "ada")
        #expect(user(token, now: 10_000) == nil)
    }

    @Test("a token that is not valid yet, or speaks for no user, is refused")
    func refusedClaims() throws {
        #expect(user(try token(.init(sub: "ada", exp: 10, nbf: 6))) == nil)
        #expect(user(try token(.init(sub: "ada", exp: 10, nbf: 5))) == "ada")
        #expect(user(try token(.init(sub: "", exp: 10))) == nil)
        #expect(user(try token(.init(sub: "a b", exp: 10))) == nil)
        #expect(user(try token(.init(sub: String(repeating: "a", count: 129), exp: 10))) == nil)
    }

    @Test("algorithm 'none', another algorithm, another secret and a changed token are refused")
    func forged() throws {
        let good = try token(.init(sub: "ada", exp: 10)).split(separator: ".").map(String.init)
        func header(_ json: String) -> String { Base64URL.encode(Array(json.utf8)) }
        #expect(user(header(#"{"alg":"none"}"#) + "." + good[1] + ".") == nil)
        #expect(user(header(#"{"alg":"none"}"#) + "." + good[1] + "." + good[2]) == nil)
        #expect(user(header(#"{"alg":"RS256"}"#) + "." + good[1] + "." + good[2]) == nil)
        #expect(user(header(#"{"alg":"HS256","crit":["x"]}"#) + "." + good[1] + "." + good[2]) == nil)
        #expect(user(try token(.init(sub: "ada", exp: 10), secret: "another")) == nil)
        let other = try token(.init(sub: "eve", exp: 10)).split(separator: ".").map(String.init)
        #expect(user(good[0] + "." + other[1] + "." + good[2]) == nil)
        for junk in ["", ".", "..", "a.b", "a.b.c", good.joined(separator: ".") + ".", "é.é.é"] {
            #expect(user(junk) == nil)
        }
    }

    @Test("claims say what may be done where, and entries add up")
    func grants() throws {
        let verifier = TokenVerifier(secret: secret)
        let identity = try verifier.identity(
            from: token(
                .init(
                    sub: "ada", exp: 10,
                    channels: [
                        .init(pattern: "chat:*", can: ["subscribe", "react", "fly"], reactions: ["👍"]),
                        .init(pattern: "chat:7", can: ["moderate", "react"], reactions: ["🎉"]),
                        .init(pattern: "live:final", can: ["react"]),
                    ])), now: 0)
        #expect(identity.may(.subscribe, in: "chat:1"))
        #expect(!identity.may(.moderate, in: "chat:1"))
        #expect(identity.may(.moderate, in: "chat:7"))
        #expect(!identity.may(.subscribe, in: "live:final"))
        #expect(!identity.may(.react, in: "live:finals"))
        #expect(identity.reactions(in: "chat:7") == ["👍", "🎉"])
        #expect(identity.reactions(in: "live:final") == nil)
        let plain = try verifier.identity(from: token(.init(sub: "ada", exp: 10)), now: 0)
        #expect(plain.may(.query, in: "any:1") && !plain.may(.moderate, in: "any:1"))
    }

    @Test("an issuer or an audience that the settings name is asked for (RFC 7519 sections 4.1.1 and 4.1.3)")
    func issuerAndAudience() throws {
        let verifier = TokenVerifier(secret: secret, issuer: "me", audience: "fanfare")
        func isTaken(_ issuer: String?, _ audience: [String]?) throws -> Bool {
            let claims = JSONWebToken.Claims(
                sub: "ada", exp: 10, iss: issuer, aud: audience.map(JSONWebToken.Audience.init))
            let token = try token(claims)
            return (try? verifier.identity(from: token, now: 0)) != nil
        }
        #expect(try isTaken("me", ["fanfare"]))
        #expect(try isTaken("me", ["other", "fanfare"]))
        #expect(try !isTaken("me", ["other"]))
        #expect(try !isTaken("me", nil))
        #expect(try !isTaken("you", ["fanfare"]))
        #expect(try !isTaken(nil, ["fanfare"]))
        let claims = JSONWebToken.Claims(sub: "ada", exp: 10, iss: "me", aud: .init(["fanfare"]))
        #expect(user(try token(claims)) == "ada")
    }
}
