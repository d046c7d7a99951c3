import Broker
import HTTP
import Reactions
import Wire

/// A request to a resource of the HTTP API, on its way to what a session understands.
///
/// Shapes are judged here as they are in messages; all else is the session's and the channel's.
struct APIRequest {
    let resource: Resource
    /// `GET` for `HEAD`.
    let method: String
    let target: Target
    let headers: HTTPHeaders
    let body: [UInt8]

    /// What is asked for.
    ///
    /// - Throws: A refusal with `bad_request`.
    func request() throws(RequestRefusal) -> Request.Body {
        guard Shape.isChannel(resource.channel) else { throw .bad("this is no channel's name") }
        switch resource.kind {
        case .messages: return .list(channel: resource.channel, .page(limit: try limit(), after: target.first("after")))
        case .stream: return .subscribe(try subscribe())
        case .message where method == "GET": return .list(channel: resource.channel, .messages([try message()]))
        case .message: return try operation(.delete)
        case .reactors:
            return .reactors(
                channel: resource.channel, message: try message(), reaction: target.first("reaction"),
                limit: try limit(), after: target.first("after"))
        case .reactions where method == "PUT":
            return try operation(.set(reactions: try decode(ReactionsBody.decode).reactions))
        case .reactions: return try clear()
        case .reaction(let reaction) where method == "PUT":
            let body = try decode(ReactionBody.decode)
            return try operation(.add(reaction: reaction, count: body.count, data: body.data))
        case .reaction(let reaction):
            return try operation(.remove(reaction: reaction, count: try number("count", in: Shape.counts)))
        case .toggle(let reaction):
            let body = try decode(ReactionBody.decode)
            return try operation(.toggle(reaction: reaction, count: body.count, data: body.data))
        }
    }

    private func operation(
        _ action: Operation.Action, allowsAll: Bool = false
    ) throws(RequestRefusal) -> Request.Body {
        .operation(
            channel: resource.channel, message: try message(allowsAll: allowsAll), action: action, key: try key())
    }

    private func clear() throws(RequestRefusal) -> Request.Body {
        let user = target.first("target")
        guard user.map(Shape.isUser) ?? true else { throw .bad("target: out of range") }
        guard resource.message != "*" || user != nil else { throw .bad("target: missing") }
        return try operation(.clear(reaction: target.first("reaction"), user: user), allowsAll: true)
    }

    private func subscribe() throws(RequestRefusal) -> Request.Subscribe {
        var subscribe = Request.Subscribe(channel: resource.channel, since: since)
        if let word = target.first("mode") {
            guard let mode = Mode(rawValue: word) else { throw .bad("mode: out of range") }
            subscribe.mode = mode
        }
        var messages: [String] = []
        var seen: Set<String> = []
        for text in target.all("messages") {
            let message = try Self.message(text, "messages")
            if seen.insert(message).inserted { messages.append(message) }
        }
        guard messages.count <= Shape.maxMessages else { throw .bad("messages: out of range") }
        subscribe.messages = messages.isEmpty ? nil : messages
        return subscribe
    }

    /// Where a stream goes on; one that says it in words that were never an id here begins anew.
    private var since: Position? {
        guard let id = headers["last-event-id"], let end = id.utf8.lastIndex(of: UInt8(ascii: "/")),
            let seq = Self.wholeNumber(id[id.utf8.index(after: end)...]), seq <= Shape.maxWholeNumber
        else { return nil }
        return Position(epoch: String(id[..<end]), seq: seq)
    }

    // MARK: Fields

    private func message(allowsAll: Bool = false) throws(RequestRefusal) -> String {
        if allowsAll, resource.message == "*" { return "*" }
        return try Self.message(resource.message, "message")
    }

    private static func message(_ text: String, _ name: String) throws(RequestRefusal) -> String {
        if text == "-" { return "" }
        guard Shape.isMessage(text) else { throw .bad("\(name): out of range") }
        return text
    }

    private func key() throws(RequestRefusal) -> String? {
        let keys = headers.all("idempotency-key")
        guard keys.count <= 1, keys.allSatisfy(Shape.isKey) else { throw .bad("Idempotency-Key: out of range") }
        return keys.first
    }

    private func limit() throws(RequestRefusal) -> Int {
        try number("limit", in: Shape.limits) ?? Shape.defaultLimit
    }

    private func number(_ name: String, in range: ClosedRange<Int>) throws(RequestRefusal) -> Int? {
        guard let text = target.first(name) else { return nil }
        guard let number = Self.wholeNumber(text[...]).flatMap({ Int(exactly: $0) }), range.contains(number) else {
            throw .bad("\(name): out of range")
        }
        return number
    }

    /// Digits alone.
    private static func wholeNumber(_ text: Substring) -> UInt64? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? UInt64(text) : nil
    }

    private func decode<Body>(
        _ decode: (Span<UInt8>) throws(BadRequest) -> Body
    ) throws(RequestRefusal) -> Body {
        do throws(BadRequest) { return try decode(body.span) } catch { throw .bad(error.reason) }
    }
}

extension RequestRefusal {
    fileprivate static func bad(_ words: String) -> RequestRefusal { RequestRefusal(.badRequest, words) }
}
