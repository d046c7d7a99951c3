/// A door through which bytes come in from outside, and the rules that hold there for any bytes.
///
/// Each has a corpus of inputs under `Corpus`, which the tests go through; `scripts/fuzz` looks for new ones.
public enum FuzzTarget: String, CaseIterable, Sendable {
    /// Frames, read in either role and cut anywhere.
    case websocket
    /// What one peer sends and the other one reads.
    case conversation
    /// Compressed messages, read in either role and sent.
    case deflate
    /// Requests: heads, targets, bodies, the server's handshake.
    case http
    /// What a proxy says ahead of a connection's bytes.
    case proxy
    /// The header fields by which proxies tell of those before them, and origins.
    case forwarded
    /// The answers of servers that webhooks and hooks are posted to.
    case response
    /// The answer to a client's handshake.
    case handshake
    /// The requests of the wire contract, and the bodies of those over HTTP.
    case request
    /// The messages of a broker.
    case message
    /// The settings file.
    case settings
    /// Tokens, signed or not.
    case token
    /// The file of keys by which tokens are checked.
    case keys
    /// What several brokers share by a log.
    case log

    /// Feeds an input.
    ///
    /// - Throws: The first rule that does not hold. A trap is a fault just as well.
    public func check(_ input: [UInt8]) throws(Broken) {
        switch self {
        case .websocket: try WebSocketRules.check(input)
        case .conversation: try ConversationRules.check(input)
        case .deflate: try DeflateRules.check(input)
        case .http: try HTTPRules.check(input)
        case .proxy: try ProxyRules.check(input)
        case .forwarded: try ForwardedRules.check(input)
        case .response: try ResponseRules.check(input)
        case .handshake: try HandshakeRules.check(input)
        case .request: try RequestRules.check(input)
        case .message: try MessageRules.check(input)
        case .settings: try SettingsRules.check(input)
        case .token: try TokenRules.check(input)
        case .keys: try KeySetRules.check(input)
        case .log: try LogRules.check(input)
        }
    }
}
