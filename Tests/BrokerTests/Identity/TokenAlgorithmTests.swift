import Foundation
import Testing

@testable import Broker

/// Each algorithm, with keys of a file; and tokens that try to be checked by another.
@Suite struct TokenAlgorithmTests {
    static let twoHalves: [TokenAlgorithm] = [.rs256, .es256, .edDSA]
    private static let claims = JSONWebToken.Claims(sub: "ada", exp: 10)
    private static let key = Array("a secret of thirty-two bytes, ok".utf8)

    /// A verifier whose file has a key of each algorithm, by its name, and perhaps a secret besides.
    private func verifier(secret: String? = nil) throws -> TokenVerifier {
        let path = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString).json").path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let oct = #"{"kty":"oct","kid":"HS256","k":"\#(Base64URL.encode(Self.key))"}"#
        let keys = try Self.twoHalves.map { try TestKeys.publicKey($0, id: $0.rawValue) } + [oct]
        try Data(TestKeys.set(keys)).write(to: URL(filePath: path))
        return TokenVerifier(secret: secret, keyFile: try TokenKeyFile(path: path, log: BrokerLog { _ in }))
    }

    private func signer(_ algorithm: TokenAlgorithm) throws -> TokenSigner {
        algorithm == .hs256 ? TokenSigner(secret: Self.key) : try TestKeys.signer(algorithm)
    }

    private func isTaken(_ token: String, by verifier: TokenVerifier) -> Bool {
        (try? verifier.identity(from: token, now: 0)) != nil
    }

    @Test("what is signed is taken: with the key's name, and without", arguments: TokenAlgorithm.allCases)
    func taken(algorithm: TokenAlgorithm) throws {
        let verifier = try verifier()
        let signer = try signer(algorithm)
        #expect(signer.algorithm == algorithm)
        for id in [algorithm.rawValue, nil] {
            // ES256 differs each time, and its numbers have now and then a byte less.
            for _ in 0..<20 {
                #expect(isTaken(try JSONWebToken.sign(Self.claims, with: signer, keyID: id), by: verifier))
            }
        }
        #expect(!isTaken(try JSONWebToken.sign(Self.claims, with: signer, keyID: "another"), by: verifier))
        let other = TokenAlgorithm.allCases.first { $0 != algorithm }?.rawValue
        #expect(!isTaken(try JSONWebToken.sign(Self.claims, with: signer, keyID: other), by: verifier))
    }

    @Test("a public key is no secret: HS256 signed with it is refused, in any form it has", arguments: twoHalves)
    func confusion(algorithm: TokenAlgorithm) throws {
        let verifier = try verifier()
        let key = try TestKeys.publicKey(algorithm, id: algorithm.rawValue)
        let parts = key.split(separator: "\"").map(String.init).filter { $0.utf8.count > 30 }
        let guesses =
            [Array(key.utf8), Array((TestKeys.pems[algorithm] ?? "").utf8)]
            + parts.flatMap { [Array($0.utf8), Base64URL.decode($0) ?? []] }
        for secret in guesses {
            for id in [algorithm.rawValue, nil] {
                let token = try JSONWebToken.sign(Self.claims, with: TokenSigner(secret: secret), keyID: id)
                #expect(!isTaken(token, by: verifier))
            }
        }
    }

    @Test("a header that names another algorithm than the signature's is refused")
    func otherHeader() throws {
        let verifier = try verifier(secret: "s")
        for algorithm in TokenAlgorithm.allCases {
            let token = try JSONWebToken.sign(Self.claims, with: try signer(algorithm), keyID: nil)
            let parts = token.split(separator: ".").map(String.init)
            for name in TokenAlgorithm.allCases.map(\.rawValue) + [
                "none", "None", "NONE", "nOnE", "", "HS512", "hs256",
            ]
            where name != algorithm.rawValue {
                let header = Base64URL.encode(Array(#"{"alg":"\#(name)"}"#.utf8))
                #expect(!isTaken([header, parts[1], parts[2]].joined(separator: "."), by: verifier), "\(name)")
                #expect(!isTaken([header, parts[1], ""].joined(separator: "."), by: verifier), "\(name)")
            }
        }
    }

    @Test("the secret of the settings is beside the file's keys, whatever the kid")
    func secretAndFile() throws {
        let verifier = try verifier(secret: "s")
        let signer = TokenSigner(secret: [UInt8(ascii: "s")])
        for id in [nil, "any", "HS256"] {
            #expect(isTaken(try JSONWebToken.sign(Self.claims, with: signer, keyID: id), by: verifier))
        }
    }

    @Test(
        "a key of another kind signs nothing",
        arguments: ["", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"])
    func noKey(pem: String) {
        #expect(throws: TokenSigner.Failure.unreadable) { try TokenSigner(pem: Array(pem.utf8)) }
    }

    @Test("a server's key is found among several, and told from what looks like it")
    func serverKeys() throws {
        let authenticator = Authenticator(tokens: nil, development: nil, serverKeys: ["first", "second", ""])
        func isServer(_ word: String) -> Bool {
            let found = try? authenticator.identify(
                authorization: "Bearer \(word)", token: nil, user: "ada", now: 0, guest: { "" })
            return found?.isServer ?? false
        }
        #expect(isServer("first") && isServer("second"))
        for word in ["firs", "firstt", "First", "secon", "x"] { #expect(!isServer(word)) }
    }
}
