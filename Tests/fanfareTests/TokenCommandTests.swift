import Broker
import CommandOptions
import Testing

@testable import fanfare

@Suite("The command token")
struct TokenCommandTests {
    typealias Channel = JSONWebToken.Claims.Channel

    private static func claims(_ words: [String]) throws -> JSONWebToken.Claims {
        try TokenCommand.claims(TokenCommand.options.parse(["--sub", "ada"] + words), now: 1000)
    }

    @Test(
        "says who, and for how long",
        arguments: [([], 4600), (["--ttl", "10m"], 1600), (["--ttl", "30d"], 2_593_000), (["--ttl", "90"], 1090)]
            as [([String], Double)])
    func lifetime(_ words: [String], _ expires: Double) throws {
        let claims = try Self.claims(words)
        #expect(claims == .init(sub: "ada", exp: expires, iat: 1000))
    }

    @Test(
        "says what may be done where, if asked to",
        arguments: [
            ([], nil),
            (["--can", "subscribe"], [Channel(pattern: "*", can: ["subscribe"])]),
            (["--can", "react,moderate,react"], [Channel(pattern: "*", can: ["react", "moderate"])]),
            (["--channels", "chat:*"], [Channel(pattern: "chat:*", can: ["subscribe", "react", "query"])]),
            (
                ["--channels", "chat:*", "--channels", "tap:7", "--can", "query"],
                [Channel(pattern: "chat:*", can: ["query"]), Channel(pattern: "tap:7", can: ["query"])]
            ),
        ] as [([String], [Channel]?)])
    func channels(_ words: [String], _ channels: [Channel]?) throws {
        #expect(try Self.claims(words).channels == channels)
    }

    @Test("makes what the broker takes")
    func verified() throws {
        let token = try JSONWebToken.sign(
            Self.claims(["--can", "react", "--channels", "chat:*"]), secret: Array("s".utf8))
        let verifier = TokenVerifier(secret: "s")
        let authenticator = Authenticator(tokens: verifier, development: nil)
        let identity = try authenticator.identify(token: token, now: 2_000_000)
        #expect(identity.user == "ada")
        #expect(identity.expires == 4_600_000)
        #expect(identity.grants == [Grant(pattern: "chat:*", rights: [.react])])
    }

    @Test(
        "is refused with exit code 2 where the words are wrong",
        arguments: [
            ["--secret", "s"], ["--sub", "a b", "--secret", "s"], ["--sub", "ada", "--secret", ""],
            ["--sub", "ada", "--secret", "s", "--ttl", "0s"], ["--sub", "ada", "--secret", "s", "--ttl", "soon"],
            ["--sub", "ada", "--key", "/dev/null/key.pem"], ["--sub", "ada", "--key", "/dev/null"],
            ["--sub", "ada", "--key", "/dev/null", "--secret", "s"], ["--sub", "ada", "--secret", "s", "--kid", "a b"],
            ["--sub", "ada", "--secret", "s", "--jwks"],
            ["--sub", "ada", "--secret", "s", "--can", "fly"], ["--sub", "ada", "--secret", "s", "--can", "react,"],
        ])
    func refused(_ words: [String]) {
        #expect(TokenCommand.run(words) == ExitCode.wrongWords)
    }
}
