import Reactions

/// The broker's side of a request: from bytes to fields (PROTOCOL.md sections 2 and 3).
extension Request {
    /// How many arrays and objects may be inside each other, the request itself being the first.
    static let maxDepth = 32

    /// Reads one request.
    ///
    /// Nothing is trusted: any bytes give a request or an error. Fields that the request's type does not have are
    /// ignored, whatever they hold, but must be JSON like the rest.
    ///
    /// - Parameter text: One whole text message.
    /// - Returns: The request, its names checked for their shape.
    /// - Throws: ``BadRequest`` with the request's id and channel, where it has valid ones.
    public static func decode(_ text: Span<UInt8>) throws(BadRequest) -> Request {
        let fields = try Members(text, maxDepth: maxDepth, watchesNames: true)
        var id: RequestID?
        do throws(BadRequest) {
            if fields.repetition != .id { id = try fields.id(text) }
            try fields.checkWhole()
            return Request(id: id, try fields.body(text))
        } catch {
            throw BadRequest(id: id, channel: try? fields.channel(text), reason: error.reason)
        }
    }
}

extension Members {
    /// Checks what is said about a request as a whole.
    func checkWhole() throws(BadRequest) {
        guard repetition == .none else { throw BadRequest(reason: "a name twice") }
        guard !hasLoneSurrogate else { throw BadRequest(reason: "a lone surrogate") }
    }

    fileprivate func body(_ text: Span<UInt8>) throws(BadRequest) -> Request.Body {
        let type = try self[.type].required(.type)
        guard type.isString else { throw .wrongKind(.type) }
        switch RequestType.words.word(type, in: text) {
        case .add: return try operation(text, try add(text))
        case .remove: return try operation(text, try remove(text))
        case .toggle: return try operation(text, try toggle(text))
        case .set: return try operation(text, .set(reactions: try reactions(text)))
        case .delete: return try operation(text, .delete)
        case .clear: return try clear(text)
        case .freeze:
            let isFrozen = try bool(.frozen).required(.frozen)
            return .operation(channel: try channel(text), message: "", action: .freeze(isFrozen), key: nil)
        case .subscribe: return .subscribe(try subscribe(text))
        case .watch:
            return .watch(channel: try channel(text), messages: try messages(text).required(.messages))
        case .unsubscribe: return .unsubscribe(channel: try channel(text))
        case .reactors:
            return .reactors(
                channel: try channel(text), message: try message(text), reaction: try string(.reaction, text),
                limit: try limit(text), after: try stringOrNull(.after, text))
        case .list: return .list(channel: try channel(text), try list(text))
        case .ping: return .ping
        case .auth: return .auth(token: try string(.token, text).required(.token))
        case nil: throw BadRequest(reason: "type: unknown")
        }
    }

    // MARK: Requests

    private func operation(
        _ text: Span<UInt8>, _ action: Operation.Action
    ) throws(BadRequest) -> Request.Body {
        .operation(channel: try channel(text), message: try message(text), action: action, key: try key(text))
    }

    private func add(_ text: Span<UInt8>) throws(BadRequest) -> Operation.Action {
        .add(
            reaction: try string(.reaction, text).required(.reaction), count: try count(text), data: try data(text))
    }

    private func toggle(_ text: Span<UInt8>) throws(BadRequest) -> Operation.Action {
        .toggle(
            reaction: try string(.reaction, text).required(.reaction), count: try count(text), data: try data(text))
    }

    /// What comes in `data` must have its shape here too, though there is nothing to keep it with.
    private func remove(_ text: Span<UInt8>) throws(BadRequest) -> Operation.Action {
        _ = try data(text)
        return .remove(reaction: try string(.reaction, text).required(.reaction), count: try count(text))
    }

    private func clear(_ text: Span<UInt8>) throws(BadRequest) -> Request.Body {
        let user = try name(.user, text, maxBytes: Shape.maxUserBytes)
        let action = Operation.Action.clear(reaction: try string(.reaction, text), user: user)
        let message = try message(text, allowsAll: true)
        guard message != "*" || user != nil else { throw .missing(.user) }
        return .operation(channel: try channel(text), message: message, action: action, key: try key(text))
    }

    private func subscribe(_ text: Span<UInt8>) throws(BadRequest) -> Request.Subscribe {
        Request.Subscribe(
            channel: try channel(text), mode: try mode(text) ?? .events, messages: try messages(text),
            since: try since(text), occupancy: try bool(.occupancy) ?? false)
    }

    private func list(_ text: Span<UInt8>) throws(BadRequest) -> Request.List {
        let page = Request.List.page(limit: try limit(text), after: try stringOrNull(.after, text))
        guard let messages = try messages(text) else { return page }
        return .messages(messages)
    }
}

/// The words in `type` of requests.
enum RequestType: String, Vocabulary {
    case add, remove, toggle, set, clear, delete, freeze
    case auth, subscribe, watch, unsubscribe, reactors, list, ping

    static let words = WordTable<RequestType>()
}
