import Foundation
import Reactions
import Wire

/// What a hook is asked about.
struct HookQuestion: Sendable {
    /// What an answer is kept by.
    struct Key: Sendable, Hashable {
        /// The request's type, or `connect`.
        var type: String
        var user: String?
        /// `nil`: to connect.
        var channel: String?
        /// As the client wrote them.
        var reactions: [String] = []
        /// Where a connection comes from that names no user.
        var address: String?
    }

    /// The request's body, in the order in which it is written.
    private struct Body: Encodable {
        var hook: String
        var type: String
        var user: String?
        var channel: String?
        var message: String?
        var reaction: String?
        var reactions: [String]?
        var count: Int?
        var mode: String?
        var messages: [String]?
        var connection: String?
        var address: String?
        var origin: String?
    }

    let kind: HookKind
    let key: Key
    private var body: Body
    private var data: String?

    /// Asks about a new connection; `user`: `nil` where it has not said yet who it is.
    init(user: String?, address: String?, origin: String?) {
        kind = .connect
        key = Key(type: "connect", user: user, address: user == nil ? address : nil)
        body = Body(hook: "connect", type: "connect", user: user, address: address, origin: origin)
    }

    /// Asks about a request; `nil` where no hook is asked about such ones.
    init?(_ request: ChannelRequest) {
        let (user, channel) = (request.origin.user, request.channel)
        switch request.body {
        case .subscribe(let subscribe):
            kind = .subscribe
            key = Key(type: "subscribe", user: user, channel: channel)
            body = Body(
                hook: "subscribe", type: "subscribe", user: user, channel: channel, mode: subscribe.mode.rawValue,
                messages: subscribe.messages)
        case .operation(let operation):
            kind = .react
            body = Body(hook: "react", type: "", user: user, channel: channel, message: operation.message)
            switch operation.action {
            case .add(let reaction, let count, let data), .toggle(let reaction, let count, let data):
                if case .add = operation.action { body.type = "add" } else { body.type = "toggle" }
                (body.reaction, body.count, self.data) = (reaction, count, data?.text)
            case .remove(let reaction, let count):
                (body.type, body.reaction, body.count) = ("remove", reaction, count)
            case .set(let reactions): (body.type, body.reactions) = ("set", reactions)
            case .clear, .delete, .freeze: return nil
            }
            key = Key(
                type: body.type, user: user, channel: channel,
                reactions: body.reactions ?? body.reaction.map { [$0] } ?? [])
        default: return nil
        }
    }

    /// The request's body as JSON.
    func json(connection: String?, address: String?) -> [UInt8] {
        var body = body
        body.connection = connection
        body.address = address
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        // Texts and whole numbers alone: nothing in it can fail.
        var bytes = (try? encoder.encode(body)).map(Array.init) ?? Array("{}".utf8)
        if let data {
            bytes.removeLast()  // the brace
            bytes += Array(#","data":\#(data)}"#.utf8)
        }
        return bytes
    }
}

/// When a hook is asked.
enum HookKind: String, Sendable, CaseIterable {
    case connect, subscribe, react
}
