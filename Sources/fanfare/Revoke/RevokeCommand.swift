import CommandOptions
import FanfareClient
import Foundation
import Transport

/// `fanfare revoke`: ends a user's connections, and has the tokens that the user has now be refused.
enum RevokeCommand: Command {
    static let takesSignals = false

    static let options = CommandSyntax(
        name: "fanfare revoke",
        summary: "Ends a user's connections, and has the broker refuse the tokens that the user has now.",
        options: [
            .value("user", "NAME", "the user"),
            .value("key", "KEY", "one of the broker's server_keys (or FANFARE_SERVER_KEY)"),
            .value("by", "NAME", "who revokes, for the audit (default: server)"),
            .value("url", "URL", "the broker", default: "ws://127.0.0.1:8080/v1/ws", environment: true),
            .value("ca", "FILE", "trust these certificates (PEM) instead of the system's"),
        ],
        examples: [
            .init("fanfare revoke --user mallory --key \"$KEY\"", "mallory is out, until someone gives a new token"),
            .init("fanfare revoke --user mallory --by ada", "with the key in FANFARE_SERVER_KEY; the audit names ada"),
        ])

    static func run(_ words: [String]) -> Int32 {
        run(words) { words in
            let user = try name("user", words)
            let by = words.isGiven("by") ? try name("by", words) : nil
            let key = try key(words)
            let url = try url(words)
            let call = HTTPCall(
                method: "POST", url: url, target: target(user, by, url), headers: [("Authorization", "Bearer \(key)")],
                trustedCertificates: words.textIfAny("ca"))
            let answer = try call.perform()
            guard answer.status == 200 else {
                complain("fanfare revoke: \(advice(on: answer))")
                return ExitCode.failed
            }
            StandardOutput().write("\(user) is out: connections ended, and tokens issued until now are refused\n")
            return ExitCode.done
        }
    }

    /// Where a revocation is asked for: beside the WebSocket's address.
    static func target(_ user: String, _ by: String?, _ url: BrokerURL) -> String {
        let suffix = BrokerURL.defaultPath
        let prefix = url.path.hasSuffix(suffix) ? String(url.path.dropLast(suffix.utf8.count)) : url.path
        let base = prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix
        return "\(base)/v1/users/\(encoded(user))/revoke" + (by.map { "?user=\(encoded($0))" } ?? "")
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }

    private static func name(
        _ option: String, _ words: CommandWords
    ) throws(UsageError) -> String {
        let name = try words.text(option)
        guard BrokerOptions.isName(name, upTo: 128) else {
            throw UsageError("--\(option): a user has 1 to 128 visible ASCII characters, not \"\(name)\"")
        }
        return name
    }

    private static func url(_ words: CommandWords) throws(UsageError) -> BrokerURL {
        let text = try words.text("url")
        do throws(ClientError) { return try BrokerURL(text) } catch { throw UsageError("--url: \(error.message)") }
    }

    /// It is never repeated, for it is secret.
    private static func key(_ words: CommandWords) throws(UsageError) -> String {
        let key = words.textIfAny("key") ?? environment(["FANFARE_SERVER_KEY"])["FANFARE_SERVER_KEY", default: ""]
        guard !key.isEmpty else { throw UsageError("--key is missing: one of the broker's server_keys") }
        guard key.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw UsageError("--key: a server key has no spaces and no control characters")
        }
        return key
    }

    private static func advice(on answer: HTTPCall.Answer) -> String {
        struct Refusal: Decodable {
            var code: String
            var message: String
        }
        guard let refusal = try? JSONDecoder().decode(Refusal.self, from: Data(answer.body)) else {
            return "the broker answered with HTTP status \(answer.status); check --url"
        }
        let hint = answer.status == 401 || answer.status == 403 ? " — check --key and server_keys" : ""
        return "\(refusal.message) (\(refusal.code))\(hint)"
    }
}
