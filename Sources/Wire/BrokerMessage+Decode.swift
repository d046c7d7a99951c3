import Reactions

/// The client's side of what a broker says: from bytes to fields.
extension BrokerMessage {
    /// How many arrays and objects may be inside each other: `data` of the greatest depth, and what is around it.
    private static let maxDepth = Request.maxDepth + 8

    /// Reads one message of a broker.
    ///
    /// Unknown fields are ignored, and an unknown type gives ``unknown(type:)``. An error code of a later version is
    /// taken for `bad_request`: the same request is not worth trying again.
    ///
    /// - Parameter text: One whole text message.
    /// - Returns: The message.
    /// - Throws: ``BadRequest`` where it is no JSON object with a type, or lacks what its type must have.
    public static func decode(_ text: Span<UInt8>) throws(BadRequest) -> BrokerMessage {
        let fields = try Members(text, maxDepth: maxDepth)
        let type = try fields[.type].required(.type)
        guard let word = MessageType.words.word(type, in: text) else {
            return .unknown(type: try fields.text(.type, text))
        }
        if let event = try fields.event(word, text) { return event }
        if let reply = try fields.reply(word, text) { return reply }
        return try fields.notice(word, text)
    }
}

extension Members {
    fileprivate func reply(_ type: MessageType, _ text: Span<UInt8>) throws(BadRequest) -> BrokerMessage? {
        switch type {
        case .ack:
            guard self[.result] != nil else {
                return .authenticated(
                    id: try id(text), user: try self.text(.user, text),
                    expires: try optionalMilliseconds(.expires, text))
            }
            return .ack(
                id: try id(text), channel: try channel(text), try answer(text),
                isDuplicate: try bool(.duplicate) ?? false, isCounted: isCounted)
        case .subscribed: return .subscribed(try subscribed(text))
        case .watched:
            let (messages, isCounted) = try summaries(text)
            return .watched(
                id: try id(text), channel: try channel(text), seq: try number(.seq, text),
                messages: try messages.required(.messages), isCounted: isCounted)
        case .unsubscribed:
            return .unsubscribed(id: try id(text), channel: try channel(text), reason: try string(.reason, text))
        case .reactors:
            let reactors = try objects(.reactors, text) { entry, text throws(BadRequest) in try entry.reactor(text) }
            return .reactors(
                id: try id(text), channel: try channel(text), message: try self.text(.message, text),
                total: try number(.total, text), reactors: try reactors.required(.reactors),
                after: try stringOrNull(.after, text))
        case .list:
            let (messages, isCounted) = try summaries(text)
            return .list(
                id: try id(text), channel: try channel(text), epoch: try self.text(.epoch, text),
                seq: try number(.seq, text), messages: try messages.required(.messages),
                after: try stringOrNull(.after, text), isCounted: isCounted)
        case .pong: return .pong(id: try id(text), time: try milliseconds(.time, text))
        case .error:
            return .error(
                id: try id(text), code: ErrorCode(rawValue: try self.text(.code, text)) ?? .badRequest,
                message: try string(.message, text) ?? "",
                retryAfterMilliseconds: try optionalMilliseconds(.retryAfterMilliseconds, text))
        default: return nil
        }
    }

    fileprivate func notice(_ type: MessageType, _ text: Span<UInt8>) throws(BadRequest) -> BrokerMessage {
        switch type {
        case .welcome: return .welcome(try welcome(text))
        case .summary:
            let messages = try objects(.messages, text) { delta, text throws(BadRequest) in
                try delta.summaryDelta(text)
            }
            return .summary(
                channel: try channel(text), seq: try number(.seq, text), messages: try messages.required(.messages))
        case .own:
            return .own(
                channel: try channel(text), message: try self.text(.message, text),
                own: try own(text).required(.own), seq: try number(.seq, text), isCounted: isCounted)
        case .occupancy:
            return .occupancy(
                channel: try channel(text), connections: try number(.connections, text),
                users: try number(.users, text))
        case .burst:
            return .burst(
                channel: try channel(text), message: try self.text(.message, text),
                reactions: try counts(.reactions, text).required(.reactions),
                windowMilliseconds: try milliseconds(.windowMilliseconds, text), at: try milliseconds(.at, text))
        case .frozen:
            return .frozen(
                channel: try channel(text), isFrozen: try bool(.frozen).required(.frozen), by: try self.text(.by, text))
        case .lagged:
            return .lagged(channel: try channel(text), from: try number(.from, text), to: try number(.to, text))
        case .goodbye:
            guard let code = UInt16(exactly: try number(.code, text)) else { throw .outOfRange(.code) }
            return .goodbye(
                code: code, reason: try self.text(.reason, text),
                retryAfterMilliseconds: try optionalMilliseconds(.retryAfterMilliseconds, text))
        default: return .unknown(type: type.name)
        }
    }

    private func welcome(_ text: Span<UInt8>) throws(BadRequest) -> Welcome {
        let limits = try self[.limits].required(.limits).members(.limits, text)
        return Welcome(
            connection: try self.text(.connection, text), user: try stringOrNull(.user, text),
            time: try milliseconds(.time, text),
            heartbeatMilliseconds: try milliseconds(.heartbeatMilliseconds, text),
            maxMessageBytes: try limits.int(.maxMessageBytes, text),
            maxSubscriptions: try limits.int(.maxSubscriptions, text))
    }

    private func answer(_ text: Span<UInt8>) throws(BadRequest) -> Answer {
        guard let result = Answer.Result(rawValue: try self.text(.result, text)) else { throw .outOfRange(.result) }
        if let frozen = try bool(.frozen) { return Answer(result, message: "", seq: 0, frozen: frozen) }
        return Answer(
            result, message: try self.text(.message, text), seq: try number(.seq, text),
            reaction: try reaction(.reaction, text), previous: try reaction(.previous, text),
            count: try wholeNumber(.count, text, in: 0...UInt64.max), own: try own(text),
            removed: try wholeNumber(.removed, text, in: 0...UInt64.max))
    }

    private func subscribed(_ text: Span<UInt8>) throws(BadRequest) -> Subscribed {
        guard let mode = Mode(rawValue: try self.text(.mode, text)) else { throw .outOfRange(.mode) }
        guard let policy = Policy(rawValue: try self.text(.policy, text)) else { throw .outOfRange(.policy) }
        let limits = try self[.limits].required(.limits).members(.limits, text)
        let (messages, isCounted) = try summaries(text)
        return Subscribed(
            id: try id(text), channel: try channel(text), epoch: try self.text(.epoch, text),
            seq: try number(.seq, text), mode: mode, policy: policy,
            intervalMilliseconds: try milliseconds(.intervalMilliseconds, text),
            allowed: try reactions(.allowed, text), maxKinds: try limits.int(.kinds, text),
            maxPerUser: try limits.int(.perUser, text), isFrozen: try bool(.frozen).required(.frozen),
            isRecovered: try bool(.recovered).required(.recovered), messages: messages,
            more: try stringOrNull(.more, text), isCounted: isCounted || policy == .multiple)
    }
}

/// The words in `type` of a broker's messages.
enum MessageType: String, Vocabulary {
    case added, removed, updated, replaced, cleared, summary, own, burst, occupancy
    case ack, subscribed, watched, unsubscribed, reactors, list, pong, error
    case welcome, frozen, lagged, goodbye

    static let words = WordTable<MessageType>()
}
