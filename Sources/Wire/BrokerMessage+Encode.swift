import Reactions

/// The broker's side of its messages: from fields to bytes, in the order of the contract's examples.
extension BrokerMessage {
    /// Appends the message as one JSON object.
    public func append(to bytes: inout [UInt8]) {
        switch self {
        case .welcome(let welcome): bytes.append(welcome)
        case .ack(let id, let channel, let answer, let isDuplicate, let isCounted):
            bytes.appendAck(id, channel, answer, isDuplicate: isDuplicate, isCounted: isCounted)
        case .authenticated(let id, let user, let expires):
            bytes.append(json: #"{"type":"ack""#)
            bytes.member(#","id":"#, id)
            bytes.member(#","user":"#, user)
            bytes.member(#","expires":"#, ifAny: expires)
            bytes.close()
        case .subscribed(let subscribed): bytes.append(subscribed)
        case .event(let channel, let change): bytes.append(change, channel: channel)
        case .summary(let channel, let seq, let messages): bytes.appendSummary(channel, seq, messages)
        case .watched, .unsubscribed, .reactors, .list, .pong, .error: appendReply(to: &bytes)
        case .own, .occupancy, .burst, .frozen, .lagged, .goodbye, .unknown: appendNotice(to: &bytes)
        }
    }

    private func appendReply(to bytes: inout [UInt8]) {
        switch self {
        case .watched(let id, let channel, let seq, let messages, let isCounted):
            bytes.open(#"{"type":"watched""#, id, channel)
            bytes.member(#","seq":"#, seq)
            bytes.member(#","messages":"#, messages, isCounted: isCounted)
        case .unsubscribed(let id, let channel, let reason):
            bytes.open(#"{"type":"unsubscribed""#, id, channel)
            bytes.member(#","reason":"#, ifAny: reason)
        case .reactors(let id, let channel, let message, let total, let reactors, let after):
            bytes.open(#"{"type":"reactors""#, id, channel)
            bytes.member(#","message":"#, message)
            bytes.member(#","total":"#, total)
            bytes.append(json: #","reactors":"#)
            bytes.array(reactors) { $0.append(reactor: $1) }
            bytes.member(#","after":"#, orNull: after)
        case .list(let id, let channel, let epoch, let seq, let messages, let after, let isCounted):
            bytes.open(#"{"type":"list""#, id, channel)
            bytes.member(#","epoch":"#, epoch)
            bytes.member(#","seq":"#, seq)
            bytes.member(#","messages":"#, messages, isCounted: isCounted)
            bytes.member(#","after":"#, orNull: after)
        case .pong(let id, let time):
            bytes.append(json: #"{"type":"pong""#)
            bytes.member(#","id":"#, id)
            bytes.member(#","time":"#, time)
        case .error(let id, let code, let message, let retryAfter):
            bytes.append(json: #"{"type":"error""#)
            bytes.member(#","id":"#, id)
            bytes.member(#","code":"#, code.rawValue)
            bytes.member(#","message":"#, message)
            bytes.member(#","retry_after_ms":"#, ifAny: retryAfter)
        default: return
        }
        bytes.close()
    }

    private func appendNotice(to bytes: inout [UInt8]) {
        switch self {
        case .own(let channel, let message, let own, let seq, let isCounted):
            bytes.open(#"{"type":"own""#, nil, channel)
            bytes.member(#","message":"#, message)
            bytes.members(own: own, isCounted: isCounted)
            bytes.member(#","seq":"#, seq)
        case .occupancy(let channel, let connections, let users):
            bytes.open(#"{"type":"occupancy""#, nil, channel)
            bytes.member(#","connections":"#, connections)
            bytes.member(#","users":"#, users)
        case .burst(let channel, let message, let reactions, let windowMilliseconds, let at):
            bytes.open(#"{"type":"burst""#, nil, channel)
            bytes.member(#","message":"#, message)
            bytes.append(json: #","reactions":"#)
            bytes.object(reactions.lazy.map { ($0.reaction, $0.count) })
            bytes.member(#","window_ms":"#, windowMilliseconds)
            bytes.member(#","at":"#, at)
        case .frozen(let channel, let isFrozen, let by):
            bytes.open(#"{"type":"frozen""#, nil, channel)
            bytes.member(#","frozen":"#, isFrozen)
            bytes.member(#","by":"#, by)
        case .lagged(let channel, let from, let to):
            bytes.open(#"{"type":"lagged""#, nil, channel)
            bytes.member(#","from":"#, from)
            bytes.member(#","to":"#, to)
        case .goodbye(let code, let reason, let retryAfter):
            bytes.append(json: #"{"type":"goodbye""#)
            bytes.member(#","code":"#, code)
            bytes.member(#","reason":"#, reason)
            bytes.member(#","retry_after_ms":"#, orNull: retryAfter)
        case .unknown(let type):
            bytes.append(json: #"{"type":"#)
            bytes.append(string: type)
        default: return
        }
        bytes.close()
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ welcome: Welcome) {
        append(json: #"{"type":"welcome""#)
        member(#","connection":"#, welcome.connection)
        member(#","user":"#, orNull: welcome.user)
        member(#","time":"#, welcome.time)
        member(#","heartbeat_ms":"#, welcome.heartbeatMilliseconds)
        append(json: #","limits":"#)
        append(json: #"{"max_message_bytes":"#)
        append(number: welcome.maxMessageBytes)
        member(#","max_subscriptions":"#, welcome.maxSubscriptions)
        close()
        close()
    }

    fileprivate mutating func append(_ subscribed: Subscribed) {
        open(#"{"type":"subscribed""#, subscribed.id, subscribed.channel)
        member(#","epoch":"#, subscribed.epoch)
        member(#","seq":"#, subscribed.seq)
        member(#","mode":"#, subscribed.mode.rawValue)
        member(#","policy":"#, subscribed.policy.rawValue)
        member(#","interval_ms":"#, subscribed.intervalMilliseconds)
        append(json: #","allowed":"#)
        if let allowed = subscribed.allowed {
            array(allowed) { $0.append(string: $1.text) }
        } else {
            append(json: "null")
        }
        append(json: #","limits":"#)
        append(json: #"{"kinds":"#)
        append(number: subscribed.maxKinds)
        member(#","per_user":"#, subscribed.maxPerUser)
        close()
        member(#","frozen":"#, subscribed.isFrozen)
        member(#","recovered":"#, subscribed.isRecovered)
        if let messages = subscribed.messages {
            member(#","messages":"#, messages, isCounted: subscribed.isCounted)
            member(#","more":"#, orNull: subscribed.more)
        }
        close()
    }

    fileprivate mutating func appendSummary(_ channel: String, _ seq: UInt64, _ messages: [SummaryDelta]) {
        open(#"{"type":"summary""#, nil, channel)
        member(#","seq":"#, seq)
        append(json: #","messages":"#)
        array(messages) { bytes, delta in
            bytes.append(json: #"{"message":"#)
            bytes.append(string: delta.message)
            bytes.member(#","total":"#, delta.total)
            bytes.member(#","reactions":"#, delta.groups)
            if delta.isDeleted { bytes.member(#","deleted":"#, true) }
            bytes.close()
        }
        close()
    }
}
