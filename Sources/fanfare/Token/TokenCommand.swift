import Broker
import CommandOptions

/// `fanfare token`: makes a token for a user.
enum TokenCommand: Command {
    static let takesSignals = false

    static let options = CommandSyntax(
        name: "fanfare token", summary: "Prints a token for a user, signed with HS256.",
        options: [
            .value("sub", "USER", "the user that the token speaks for"),
            .value("secret", "SECRET", "the broker's --token-secret"),
            .value("ttl", "TIME", "how long the token is valid", default: "1h"),
            .value("can", "RIGHTS", "subscribe,react,query,moderate: what the user may do"),
            .value("channels", "PATTERN", "in which channels: a name, or its beginning and *"),
        ],
        examples: [
            .init(
                "fanfare token --sub ada --secret \"$SECRET\"", "ada may do all but moderate, everywhere, for an hour"),
            .init(
                "fanfare token --sub mod --secret \"$SECRET\" --can query,moderate --channels 'chat:*'",
                "mod may look and moderate in the channels of chat"),
        ])

    static func run(_ words: [String]) async -> Int32 {
        await run(words) { words in
            let user = try words.text("sub")
            guard Identity.isUserName(user) else {
                throw UsageError("--sub: a user has 1 to 128 visible ASCII characters, not \"\(user)\"")
            }
            let lifetime = try words.duration("ttl", in: .seconds(1)...(.seconds(10 * 366 * 86_400)))
            let now = Double(wallClockMilliseconds() / 1000)
            let claims = JSONWebToken.Claims(
                sub: user, exp: now + Double(lifetime.components.seconds), iat: now, channels: try channels(words))
            let secret = try words.text("secret")
            StandardOutput().write(try JSONWebToken.sign(claims, secret: Array(secret.utf8)) + "\n")
            return ExitCode.done
        }
    }

    private static func channels(_ words: CommandWords) throws(UsageError) -> [JSONWebToken.Claims.Channel]? {
        guard words.isGiven("can") || words.isGiven("channels") else { return nil }
        let rights = words.textIfAny("can")?.split(separator: ",").map(String.init) ?? ["subscribe", "react", "query"]
        if let unknown = rights.first(where: { Right(rawValue: $0) == nil }) {
            let known = Right.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("--can: there is no right '\(unknown)'; the rights are \(known)")
        }
        return [.init(pattern: words.textIfAny("channels") ?? "*", can: rights)]
    }
}
