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

    /// A token with these texts as header and claims, signed by the secret.
    func token(header: String = #"{"alg":"HS256"}"#, claims: String) -> String {
        let signed = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
        return signed + "." + Base64URL.encode(hmacSHA256(of: Array(signed.utf8), Array(secret.utf8)))
    }

    @Test(
        "a header is an object with each name once, one of the algorithms, and nothing critical",
        arguments: [
            #"{"alg":"HS256","alg":"HS256"}"#, #"{"alg":"none","alg":"HS256"}"#, #"{"alg":["HS256"]}"#,
            #"{"alg":null}"#,
            #"{}"#, #"[]"#, #""HS256""#, #"{"alg":"HS256","crit":[]}"#, #"{"alg":"HS256","crit":null}"#,
            #"{"alg":"HS256","kid":5}"#, #"{"alg":"HS256"} x"#, "\u{FEFF}{\"alg\":\"HS256\"}", #"{"alg":"hs256"}"#, "",
        ])
    func header(_ header: String) {
        #expect(user(token(claims: #"{"sub":"ada","exp":10}"#)) == "ada")
        #expect(user(token(header: header, claims: #"{"sub":"ada","exp":10}"#)) == nil)
    }

    @Test(
        "claims of the wrong kind, missing, or there twice are refused",
        arguments: [
            #"{"sub":"ada"}"#, #"{"exp":10}"#, #"{"sub":"ada","exp":"10"}"#, #"{"sub":"ada","exp":null}"#,
            #"{"sub":5,"exp":10}"#, #"{"sub":"ada","exp":10,"exp":10}"#, #"{"sub":"eve","sub":"ada","exp":10}"#,
            #"{"sub":"ada","exp":10,"nbf":"0"}"#, #"{"sub":"ada","exp":10,"iat":[]}"#,
            #"{"sub":"ada","exp":10,"iss":5}"#,
            #"{"sub":"ada","exp":10,"aud":5}"#, #"{"sub":"ada","exp":10,"aud":["a",5]}"#,
            #"{"sub":"ada","exp":10,"channels":null}"#, #"{"sub":"ada","exp":10,"channels":{}}"#,
            #"{"sub":"ada","exp":10,"channels":["*"]}"#, #"{"sub":"ada","exp":10,"channels":[{"pattern":"*"}]}"#,
            #"{"sub":"ada","exp":10,"channels":[{"can":["react"]}]}"#,
            #"{"sub":"ada","exp":10,"channels":[{"pattern":"*","can":"react"}]}"#,
            #"{"sub":"ada","exp":10,"channels":[{"pattern":"*","can":["react"],"reactions":"👍"}]}"#,
            #"{"sub":"ada","exp":NaN}"#, #"{"sub":"ada","exp":1e}"#, #"[]"#, "",
        ])
    func claims(_ claims: String) {
        #expect(user(token(claims: claims)) == nil)
    }

    @Test(
        "times beyond 2^53 ms count as 2^53 - 1, so that `expires` is a number for everyone",
        arguments: [
            ("9e12", 9_000_000_000_000_000), ("9.1e12", 9_007_199_254_740_991), ("1e300", 9_007_199_254_740_991),
            ("1e999", 9_007_199_254_740_991), ("9007199254740993", 9_007_199_254_740_991), ("10", 10_000),
            ("10.5", 10_500), ("1e1", 10_000),
        ])
    func farAway(exp: String, expires: Int64) throws {
        let identity = try TokenVerifier(secret: secret).identity(
            from: token(claims: #"{"sub":"ada","exp":\#(exp)}"#), now: 5_000)
        #expect(identity.expires == expires)
    }

    @Test("times before all times are refused, not misread", arguments: ["-1", "-1e300", "0", "-1e999"])
    func longAgo(exp: String) {
        #expect(user(token(claims: #"{"sub":"ada","exp":\#(exp)}"#)) == nil)
        #expect(user(token(claims: #"{"sub":"ada","exp":10,"nbf":\#(exp),"iat":\#(exp)}"#)) == "ada")
    }

    @Test("leeway: exp, nbf and iat may be off by so much", arguments: [0, 1, 60])
    func leeway(seconds: Int64) throws {
        let verifier = TokenVerifier(secret: secret, leewaySeconds: Int(seconds))
        func isTaken(_ claims: String, at now: Int64) -> Bool {
            (try? verifier.identity(from: token(claims: claims), now: now)) != nil
        }
        let slack = seconds * 1000
        #expect(isTaken(#"{"sub":"ada","exp":100}"#, at: 99_999 + slack))
        #expect(!isTaken(#"{"sub":"ada","exp":100}"#, at: 100_000 + slack))
        for name in ["nbf", "iat"] {
            #expect(isTaken(#"{"sub":"ada","exp":999,"\#(name)":100}"#, at: 100_000 - slack))
            #expect(!isTaken(#"{"sub":"ada","exp":999,"\#(name)":100}"#, at: 99_999 - slack))
        }
    }

    @Test("a token past 8 KiB is not looked at; a spelling of base64url that nobody writes is refused")
    func bounds() throws {
        func claims(padding: Int) -> String {
            #"{"sub":"ada","exp":10,"x":"\#(String(repeating: "x", count: padding))"}"#
        }
        #expect(user(token(claims: claims(padding: 6_000))) == "ada")
        #expect(user(token(claims: claims(padding: 6_200))) == nil)
        let good = token(claims: #"{"sub":"ada","exp":10}"#)
        for junk in [good + "=", good.replacing(".", with: "=."), " " + good, good + "\n", good + "A", good + ".A"] {
            #expect(user(junk) == nil)
        }
        // The last digit of 32 bytes has two bits that mean nothing.
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = try #require(good.last.flatMap { alphabet.firstIndex(of: $0) })
        #expect(user(String(good.dropLast()) + String(alphabet[last + 1])) == nil)
    }

    @Test("what is refused is told without a word of the token")
    func wordsAreClean() throws {
        let verifier = TokenVerifier(secret: secret)
        let bad = [
            "hunter2", "hunter2.hunter2.hunter2", token(header: #"{"alg":"hunter2","kid":"hunter2"}"#, claims: "{}"),
            token(claims: #"{"sub":"hunter2 ","exp":10}"#), token(claims: #"{"sub":"hunter2","exp":1}"#),
            try token(.init(sub: "hunter2", exp: 10), secret: "hunter2"),
        ]
        for token in bad {
            let failure = #expect(throws: Authenticator.Failure.self) { try verifier.identity(from: token, now: 5_000) }
            #expect(failure.map { !"\($0)".contains("hunter2") && !"\($0)".contains(token) } == true)
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
