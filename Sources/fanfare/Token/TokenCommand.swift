import Broker
import CommandOptions
import Foundation
import Transport

/// `fanfare token`: prints a token that says who someone is and what they may do.
enum TokenCommand: Command {
    static let takesSignals = false

    static let options = CommandSyntax(
        name: "fanfare token", summary: "Prints a token (a signed JWT) that says who someone is and what they may do.",
        options: [
            .value("sub", "USER", "the user"),
            .value("secret", "SECRET", "the broker's --token-secret (or FANFARE_TOKEN_SECRET)"),
            .value(
                "key", "FILE",
                "instead of a secret: a private key (PEM; RSA, P-256 or Ed25519), which picks the algorithm"),
            .value("kid", "ID", "the name of the key, as tokens.jwks_file has it"),
            .flag("jwks", "print the public half of --key for tokens.jwks_file, instead of a token"),
            .value("ttl", "TIME", "how long it holds: 10m, 1h, 30d", default: "1h"),
            .value("can", "RIGHTS", "some of subscribe,react,query,moderate (default: all but moderate)"),
            .value("issuer", "NAME", "who makes the token, for tokens.issuer"),
            .value("audience", "NAME", "for whom it is, for tokens.audience"),
            .repeated("channels", "PATTERN", "the channels where; * at its end stands for anything (default *)"),
        ],
        examples: [
            .init(
                "fanfare token --sub ada --secret \"$SECRET\"", "ada may do all but moderate, everywhere, for an hour"),
            .init(
                "fanfare token --sub wall --secret \"$SECRET\" --can subscribe --channels 'live:*' --ttl 1d",
                "a screen that only looks"),
            .init(
                "fanfare token --key key.pem --kid k1 --jwks > keys.json",
                "the file for serve --jwks-file, from a key of 'openssl genpkey -algorithm ed25519 -out key.pem'"),
            .init("fanfare token --sub ada --key key.pem --kid k1", "a token that this broker takes"),
            .init(
                "FANFARE_TOKEN=$(fanfare token --sub ada) fanfare watch chat:42",
                "with the secret in FANFARE_TOKEN_SECRET"),
        ])

    static func run(_ words: [String]) -> Int32 {
        run(words) { words in
            let signer = try signer(words)
            let id = try keyID(words)
            guard !words.flag("jwks") else {
                guard let set = signer.keySet(id: id) else {
                    throw UsageError("--jwks goes with --key FILE: a secret has no public half")
                }
                try StandardOutput().write(set)
                return ExitCode.done
            }
            let claims = try claims(words, now: Int64(time(nil)))
            try StandardOutput().write(JSONWebToken.sign(claims, with: signer, keyID: id) + "\n")
            return ExitCode.done
        }
    }

    /// What the token will say.
    ///
    /// - Parameters:
    ///   - words: The words of the command.
    ///   - now: The present moment in Unix seconds.
    /// - Returns: The claims.
    /// - Throws: `UsageError` where the words are wrong.
    static func claims(_ words: CommandWords, now: Int64) throws(UsageError) -> JSONWebToken.Claims {
        let user = try words.text("sub")
        guard BrokerOptions.isName(user, upTo: 128) else {
            throw UsageError("--sub: a user has 1 to 128 visible ASCII characters, not \"\(user)\"")
        }
        let ttl = try words.duration("ttl", in: .seconds(1) ... .seconds(10 * 365 * 86_400))
        var channels: [JSONWebToken.Claims.Channel]?
        if words.isGiven("can") || words.isGiven("channels") {
            let rights = try rights(words)
            let patterns = words.isGiven("channels") ? words.texts("channels") : ["*"]
            channels = patterns.map { .init(pattern: $0, can: rights) }
        }
        return JSONWebToken.Claims(
            sub: user, exp: Double(now + ttl.components.seconds), iat: Double(now),
            iss: words.textIfAny("issuer"), aud: words.textIfAny("audience").map { .init([$0]) }, channels: channels)
    }

    /// The rights by name, each once; without any, those of a token that says nothing.
    private static func rights(_ words: CommandWords) throws(UsageError) -> [String] {
        guard let text = words.textIfAny("can") else { return ["subscribe", "react", "query"] }
        var rights: [String] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            guard Right(rawValue: name) != nil else {
                let all = Right.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("--can: \"\(name)\" is no right; the rights are \(all), with commas between them")
            }
            if !rights.contains(name) { rights.append(name) }
        }
        return rights
    }

    /// What signs: the key, the secret, or the secret of the environment.
    private static func signer(_ words: CommandWords) throws(UsageError) -> TokenSigner {
        guard let path = words.textIfAny("key") else { return TokenSigner(secret: try secret(words)) }
        guard words.textIfAny("secret") == nil else {
            throw UsageError("--key and --secret do not go together; give one of them")
        }
        let pem: [UInt8]
        do throws(RegularFile.Failure) { pem = try RegularFile.bytes(at: path, atMost: 1 << 20) } catch {
            throw UsageError("--key: the file '\(path)' cannot be read: \(error)")
        }
        do throws(TokenSigner.Failure) { return try TokenSigner(pem: pem) } catch {
            switch error {
            case .unreadable: throw UsageError("--key: '\(path)' is no private key in PEM without a passphrase")
            case .unsuitable:
                throw UsageError("--key: '\(path)' is neither RSA of 2048 bits and more, nor P-256, nor Ed25519")
            }
        }
    }

    private static func keyID(_ words: CommandWords) throws(UsageError) -> String? {
        guard let id = words.textIfAny("kid") else { return nil }
        guard BrokerOptions.isName(id, upTo: 128) else {
            throw UsageError("--kid: a key's name has 1 to 128 visible ASCII characters here, not \"\(id)\"")
        }
        return id
    }

    private static func secret(_ words: CommandWords) throws(UsageError) -> [UInt8] {
        let secret = words.textIfAny("secret") ?? environment(["FANFARE_TOKEN_SECRET"])["FANFARE_TOKEN_SECRET"] ?? ""
        guard !secret.isEmpty else {
            throw UsageError("--secret is missing: the broker's token secret (or --key FILE)")
        }
        return Array(secret.utf8)
    }
}
