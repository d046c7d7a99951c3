/// What a path of the HTTP API names (PROTOCOL.md section 10).
struct Resource: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        /// The channel's messages.
        case messages
        /// The channel's events as they happen.
        case stream
        /// One message's reactions in short.
        case message
        /// Who reacted to a message.
        case reactors
        /// All reactions of a message.
        case reactions
        /// One reaction on a message.
        case reaction(String)
        case toggle(String)
    }

    let kind: Kind
    /// The channel, as the path has it.
    let channel: String
    /// The message as the path has it, so that `-` is the channel's own; `-` too where the path names none.
    let message: String

    /// Reads a path's decoded parts; `nil`: it names nothing of the API.
    init?(_ path: [String]) {
        guard path.count >= 4, path[0] == "v1", path[1] == "channels" else { return nil }
        channel = path[2]
        message = path.count > 4 ? path[4] : "-"
        switch (path[3], path.count) {
        case ("stream", 4): kind = .stream
        case ("messages", 4): kind = .messages
        case ("messages", 5): kind = .message
        case ("messages", 6) where path[5] == "reactors": kind = .reactors
        case ("messages", 6) where path[5] == "reactions": kind = .reactions
        case ("messages", 7) where path[5] == "reactions": kind = .reaction(path[6])
        case ("messages", 8) where path[5] == "reactions" && path[7] == "toggle": kind = .toggle(path[6])
        default: return nil
        }
    }

    /// The methods that it takes, besides `HEAD` for `GET` and `OPTIONS`.
    var methods: [String] {
        switch kind {
        case .messages, .stream, .reactors: ["GET"]
        case .message: ["GET", "DELETE"]
        case .reactions, .reaction: ["PUT", "DELETE"]
        case .toggle: ["POST"]
        }
    }
}
