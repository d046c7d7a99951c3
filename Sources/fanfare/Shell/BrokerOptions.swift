import CommandOptions
import FanfareClient
import Wire

/// The options of every subcommand that talks to a broker.
enum BrokerOptions {
    static let all: [CommandSyntax.Option] = [
        .value(
            "url", "URL", "the broker; without a path, \(BrokerURL.defaultPath)", default: "ws://127.0.0.1:8080/v1/ws",
            environment: true),
        .value("token", "JWT", "who you are: a token, see fanfare token (or FANFARE_TOKEN)"),
        .value("user", "NAME", "who you are, for a broker in development mode"),
        .flag("compression", "offer to compress messages (permessage-deflate)"),
        .value("ca", "FILE", "trust these certificates (PEM) instead of the system's"),
    ]

    /// The client that the words ask for.
    static func client(
        _ words: CommandWords, tap: (@Sendable ([UInt8]) -> Void)? = nil,
        stateChanged: (@Sendable (ConnectionState) -> Void)? = nil
    ) throws -> ReactionClient {
        let url = try words.text("url")
        let identity = try identity(words)
        do throws(ClientError) {
            return try ReactionClient(
                url: url, identity: identity,
                options: ClientOptions(
                    trustedCertificates: words.textIfAny("ca"), compression: words.flag("compression"), tap: tap,
                    stateChanged: stateChanged))
        } catch {
            guard error.code == .invalidURL else { throw error }
            throw UsageError("\(words.label(of: "url")): \(error.message)")
        }
    }

    /// A flag stands over the environment, so `--user` over `FANFARE_TOKEN`.
    private static func identity(_ words: CommandWords) throws(UsageError) -> Identity {
        if let token = words.textIfAny("token") {
            guard words.textIfAny("user") == nil else {
                throw UsageError("--token and --user do not go together; give one of them")
            }
            return try identity(token: token, label: "--token")
        }
        if let name = words.textIfAny("user") {
            guard isName(name, upTo: 128) else {
                throw UsageError("--user: a user has 1 to 128 visible ASCII characters, not \"\(name)\"")
            }
            return .user(name)
        }
        let token = environment(["FANFARE_TOKEN"])["FANFARE_TOKEN", default: ""]
        return token.isEmpty ? .none : try identity(token: token, label: "FANFARE_TOKEN")
    }

    private static func identity(token: String, label: String) throws(UsageError) -> Identity {
        guard !token.isEmpty, token.utf8.allSatisfy({ $0 >= 0x21 && $0 <= 0x7E }) else {
            throw UsageError("\(label): a token is three runs of letters and digits with points between them")
        }
        return .token(token)
    }

    /// A channel's name.
    static func channel(_ words: CommandWords) throws(UsageError) -> String {
        let channel = try words.text("CHANNEL")
        guard isName(channel, upTo: 200) else {
            throw UsageError("a channel has 1 to 200 visible ASCII characters, such as chat:42, not \"\(channel)\"")
        }
        return channel
    }

    /// A message's id; `-` and the empty text are the channel itself.
    static func message(_ words: CommandWords) throws(UsageError) -> String {
        let message = try words.text("MESSAGE")
        if message == "-" || message.isEmpty { return "" }
        guard isName(message, upTo: 128), ![".", "..", "*"].contains(message) else {
            throw UsageError("a message has 1 to 128 visible ASCII characters, and is not ., .. or *: \"\(message)\"")
        }
        return message
    }

    /// Whether a text is a name of visible ASCII (PROTOCOL.md section 1).
    static func isName(_ text: String, upTo length: Int) -> Bool {
        (1...length).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x21 && $0 <= 0x7E }
    }
}
