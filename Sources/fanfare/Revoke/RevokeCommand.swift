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
            .value("by", "NAME", "who revokes, for the audit (default: server)"),
        ] + ServerCall.options,
        examples: [
            .init("fanfare revoke --user mallory --key \"$KEY\"", "mallory is out, until someone gives a new token"),
            .init("fanfare revoke --user mallory --by ada", "with the key in FANFARE_SERVER_KEY; the audit names ada"),
        ])

    static func run(_ words: [String]) -> Int32 {
        run(words) { words in
            let user = try name("user", words)
            let by = words.isGiven("by") ? try name("by", words) : nil
            guard let key = try ServerCall.key(words) else {
                throw UsageError("--key is missing: one of the broker's server_keys")
            }
            let url = try ServerCall.url(words)
            let answer = try ServerCall.make("POST", target(user, by, url), at: url, key: key, words).perform()
            guard answer.status == 200 else {
                complain("fanfare revoke: \(ServerCall.advice(on: answer))")
                return ExitCode.failed
            }
            try StandardOutput().write("\(user) is out: connections ended, and tokens issued until now are refused\n")
            return ExitCode.done
        }
    }

    /// Where a revocation is asked for: beside the WebSocket's address.
    static func target(_ user: String, _ by: String?, _ url: BrokerURL) -> String {
        "\(ServerCall.base(of: url))/v1/users/\(encoded(user))/revoke" + (by.map { "?user=\(encoded($0))" } ?? "")
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
}
