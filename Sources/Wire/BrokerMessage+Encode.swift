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
        append(json: 256) { room in
            room.write(json: #"{"type":"welcome""#)
            room.member(#","connection":"#, welcome.connection)
            room.member(#","user":"#, orNull: welcome.user)
            room.member(#","time":"#, welcome.time)
            room.member(#","heartbeat_ms":"#, welcome.heartbeatMilliseconds)
            room.member(#","limits":{"max_message_bytes":"#, Int64(welcome.maxMessageBytes))
            room.member(#","max_subscriptions":"#, Int64(welcome.maxSubscriptions))
            room.close()
            room.close()
        }
    }

    fileprivate mutating func append(_ subscribed: Subscribed) {
        append(json: 384) { room in
            room.write(json: #"{"type":"subscribed""#)
            room.member(#","id":"#, subscribed.id)
            room.member(#","channel":"#, subscribed.channel)
            room.member(#","epoch":"#, subscribed.epoch)
            room.member(#","seq":"#, subscribed.seq)
            room.member(#","mode":"#, subscribed.mode.rawValue)
            room.member(#","policy":"#, subscribed.policy.rawValue)
            room.member(#","interval_ms":"#, subscribed.intervalMilliseconds)
            room.write(json: #","allowed":"#)
            if subscribed.allowed == nil { room.null() }
        }
        if let allowed = subscribed.allowed { array(allowed) { $0.append(string: $1.text) } }
        append(json: 96) { room in
            room.member(#","limits":{"kinds":"#, Int64(subscribed.maxKinds))
            room.member(#","per_user":"#, Int64(subscribed.maxPerUser))
            room.close()
            room.member(#","frozen":"#, subscribed.isFrozen)
            room.member(#","recovered":"#, subscribed.isRecovered)
        }
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
