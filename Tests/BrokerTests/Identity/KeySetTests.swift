import TestSupport
import Testing

@testable import Broker

/// What a key set may have, and what becomes of what it should not have (RFC 7517).
@Suite struct KeySetTests {
    private static let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
    private static let ed25519 = #""kty":"OKP","crv":"Ed25519","x":"\#(x)""#
    private static let secret = #""kty":"oct","k":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8""#

    private func set(_ keys: String...) throws -> TokenKeySet {
        try TokenKeySet(TestKeys.set(keys.map { "{\($0)}" }))
    }

    struct Vector: CustomTestStringConvertible {
        var name: String
        var key: String
        var token: String
        var testDescription: String { name }
    }

    /// Keys and signed texts that the standards print.
    static let vectors = [
        Vector(
            name: "RFC 7515 appendix A.2, RS256",
            key: #"""
                "kty":"RSA","e":"AQAB","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"
                """#,
            token:
                "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
        ),
        Vector(
            name: "RFC 7515 appendix A.3, ES256",
            key:
                #""kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0""#,
            token:
                "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        ),
        Vector(
            name: "RFC 8037 appendix A.4, EdDSA", key: ed25519,
            token:
                "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        ),
    ]

    @Test("the signatures that the standards print are right, and no others", arguments: vectors)
    func standardSignatures(vector: Vector) throws {
        let key = try #require(try set(vector.key).keys.first)
        let token = try SignedToken(vector.token)
        #expect(token.algorithm == key.algorithm)
        #expect(key.hasSigned(token.signedText, token.signature))
        for bit in stride(from: 0, to: token.signature.count * 8, by: 37) {
            var other = token.signature
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!key.hasSigned(token.signedText, other))
        }
        #expect(!key.hasSigned(token.signedText + [0], token.signature))
        #expect(!key.hasSigned(token.signedText, []))
        #expect(!key.hasSigned(token.signedText, [UInt8](repeating: 0, count: token.signature.count)))
        #expect(!key.hasSigned(token.signedText, token.signature + [0]))
    }

    @Test("ES256 takes the two numbers side by side, and no DER (RFC 7518 section 3.4)")
    func derSignature() throws {
        let key = try #require(try set(Self.vectors[1].key).keys.first)
        let token = try SignedToken(Self.vectors[1].token)
        let der = DER.sequence(DER.integer(token.signature.prefix(32)), DER.integer(token.signature.suffix(32)))
        #expect(!key.hasSigned(token.signedText, der))
    }

    @Test(
        "a key that is for something else is left out, with the reason",
        arguments: [
            (#"\#(ed25519),"use":"enc""#, "use"), (#"\#(ed25519),"key_ops":["sign"]"#, "key_ops"),
            (#"\#(ed25519),"alg":"ES256""#, "alg"), (#""kty":"OKP","crv":"X25519","x":"\#(x)""#, "Ed25519"),
            (#""kty":"OKP","crv":"Ed25519","x":"AAAA""#, "32 bytes"), (#""kty":"OKP","crv":"Ed25519""#, "x is missing"),
            (#""kty":"EC","crv":"P-384","x":"AA","y":"AA""#, "P-256"),
            (#""kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(x)""#, "no point"),
            (#""kty":"RSA","n":"\#(x)","e":"AQAB""#, "2048"), (#""kty":"RSA","n":"\#(x)=","e":"AQAB""#, "base64url"),
            (#""kty":"oct","k":"AAECAwQFBgcICQoLDA0ODw""#, "32 bytes"), (#""kty":"new","k":"AA""#, "kty"),
            (#"\#(vectors[0].key),"alg":"RS512""#, "alg"), (#"\#(vectors[0].key),"alg":"HS256""#, "alg"),
        ])
    func leftOut(key: String, words: String) throws {
        let set = try set(Self.secret, key)
        #expect(set.entries == [.init(id: nil, algorithm: .hs256)])
        #expect(set.remarks.map(\.line) == [2])
        #expect(set.remarks.first?.words.contains(words) == true, "\(set.remarks)")
        #expect(set.remarks.first?.words.contains(Self.x) == false)
    }

    @Test("an exponent of 1, an even modulus, and one past 8,192 bits are no keys")
    func oddRSA() throws {
        func key(_ modulus: [UInt8], _ exponent: [UInt8]) -> PublicKey? {
            PublicKey(modulus: modulus, exponent: exponent)
        }
        let modulus = [UInt8](repeating: 0xFF, count: 256)
        #expect(key(modulus, [1, 0, 1]) != nil)
        #expect(key([0, 0] + modulus, [0, 3]) != nil)
        #expect(key(modulus, [1]) == nil)
        #expect(key(modulus, [2]) == nil)
        #expect(key(modulus, []) == nil)
        #expect(key(modulus.dropLast() + [0xFE], [3]) == nil)
        #expect(key([0x7F] + modulus.dropLast(), [3]) == nil)
        #expect(key([UInt8](repeating: 0xFF, count: 1025), [3]) == nil)
        #expect(key([], [3]) == nil)
    }

    @Test("use, alg and key_ops that fit are fine, and other members do not matter")
    func fitting() throws {
        let set = try set(
            #"\#(Self.ed25519),"use":"sig","alg":"EdDSA","key_ops":["verify"],"kid":"a","x5c":[1],"exp":null"#,
            #"\#(Self.secret),"kid":"a","alg":"HS256""#)
        #expect(set.entries == [.init(id: "a", algorithm: .edDSA), .init(id: "a", algorithm: .hs256)])
        #expect(set.remarks.isEmpty)
    }

    @Test("a private half is said to be there, and not repeated")
    func privateHalf() throws {
        let set = try set(#"\#(Self.ed25519),"d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A""#)
        #expect(set.entries.count == 1)
        #expect(set.remarks.first?.words.contains("private") == true)
        #expect(set.remarks.first?.words.contains("nWGx") == false)
    }

    @Test(
        "what is no key set is an error with its line",
        arguments: [
            ("[]", 1), ("{}", 1), (#"{"keys": {}}"#, 1), ("{\"keys\":\n[1]}", 2), ("{\"keys\":[\n\n{}]}", 3),
            ("{\"keys\":[{\"kty\":\"oct\",\n\"k\":5}]}", 2), ("{\"keys\":[{\"kty\":\"oct\",\n\"kty\":\"oct\"}]}", 2),
            ("{\"keys\":[{\(ed25519),\"kid\":\"a\"},\n{\(ed25519),\"kid\":\"a\"}]}", 2),
            ("{\"keys\":[{\(ed25519),\n\"key_ops\":\"verify\"}]}", 2), ("", 1), ("{", 1),
        ])
    func notASet(text: String, line: Int) {
        let error = #expect(throws: SettingsError.self) { try TokenKeySet(Array(text.utf8)) }
        #expect(error?.line == line)
    }

    @Test("a set has 32 keys at most")
    func tooMany() throws {
        let keys = (0..<33).map { "{\(Self.ed25519),\"kid\":\"\($0)\"}" }
        #expect(try TokenKeySet(TestKeys.set(Array(keys.prefix(32)))).entries.count == 32)
        #expect(throws: SettingsError.self) { try TokenKeySet(TestKeys.set(keys)) }
    }

    @Test("base64url has one spelling for each value (RFC 7515 section 2)")
    func base64URL() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for length in 0..<40 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            let text = Base64URL.encode(bytes)
            #expect(Base64URL.decode(text) == bytes, "seed \(seed)")
            if length % 3 != 0 { #expect(Base64URL.decode(text + "=") == nil) }
        }
        #expect(Base64URL.encode([0xFB, 0xFF, 0xBF]) == "-_-_")
        for text in ["A", "AAAAA", "AB", "AAB", "A A", "A+", "A/", "AA==", "é", "AAAA\n"] {
            #expect(Base64URL.decode(text) == nil, "\(text)")
        }
    }
}
