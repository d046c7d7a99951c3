import Reactions

/// The client's side of a request: from fields to bytes, in the order of the contract's examples.
extension Request {
    /// Appends the request as one JSON object; what is at its default is left out.
    public func append(to bytes: inout [UInt8]) {
        switch body {
        case .auth(let token):
            bytes.append(json: #"{"type":"auth""#)
            bytes.member(#","id":"#, id)
            bytes.member(#","token":"#, token)
        case .subscribe(let subscribe): bytes.append(subscribe, id)
        case .watch(let channel, let messages):
            bytes.open(#"{"type":"watch""#, id, channel)
            bytes.member(#","messages":"#, messages)
        case .unsubscribe(let channel): bytes.open(#"{"type":"unsubscribe""#, id, channel)
        case .operation(let channel, let message, let action, let key):
            bytes.append(action, id, channel, message, key)
        case .reactors(let channel, let message, let reaction, let limit, let after):
            bytes.open(#"{"type":"reactors""#, id, channel)
            bytes.member(#","message":"#, message)
            bytes.member(#","reaction":"#, ifAny: reaction)
            bytes.member(#","limit":"#, limit)
            bytes.member(#","after":"#, ifAny: after)
        case .list(let channel, .messages(let messages)):
            bytes.open(#"{"type":"list""#, id, channel)
            bytes.member(#","messages":"#, messages)
        case .list(let channel, .page(let limit, let after)):
            bytes.open(#"{"type":"list""#, id, channel)
            bytes.member(#","limit":"#, limit)
            bytes.member(#","after":"#, ifAny: after)
        case .ping:
            bytes.append(json: #"{"type":"ping""#)
            bytes.member(#","id":"#, id)
        }
        bytes.close()
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ subscribe: Request.Subscribe, _ id: RequestID?) {
        open(#"{"type":"subscribe""#, id, subscribe.channel)
        member(#","mode":"#, subscribe.mode.rawValue)
        if let messages = subscribe.messages { member(#","messages":"#, messages) }
        if let since = subscribe.since {
            append(json: #","since":"#)
            append(json: #"{"epoch":"#)
            append(string: since.epoch)
            member(#","seq":"#, since.seq)
            close()
        }
        if subscribe.occupancy { member(#","occupancy":"#, true) }
    }

    fileprivate mutating func append(
        _ action: Operation.Action, _ id: RequestID?, _ channel: String, _ message: String, _ key: String?
    ) {
        switch action {
        case .add(let reaction, let count, let data):
            open(#"{"type":"add""#, id, channel)
            members(message, reaction, key, count, data)
        case .remove(let reaction, let count):
            open(#"{"type":"remove""#, id, channel)
            members(message, reaction, key, count, nil)
        case .toggle(let reaction, let count, let data):
            open(#"{"type":"toggle""#, id, channel)
            members(message, reaction, key, count, data)
        case .set(let reactions):
            open(#"{"type":"set""#, id, channel)
            member(#","message":"#, message)
            member(#","reactions":"#, reactions)
            member(#","key":"#, ifAny: key)
        case .clear(let reaction, let user):
            open(#"{"type":"clear""#, id, channel)
            member(#","message":"#, message)
            member(#","reaction":"#, ifAny: reaction)
            member(#","user":"#, ifAny: user)
            member(#","key":"#, ifAny: key)
        case .delete:
            open(#"{"type":"delete""#, id, channel)
            member(#","message":"#, message)
            member(#","key":"#, ifAny: key)
        case .freeze(let isFrozen):
            open(#"{"type":"freeze""#, id, channel)
            member(#","frozen":"#, isFrozen)
        }
    }

    private mutating func members(
        _ message: String, _ reaction: String, _ key: String?, _ count: Int?, _ data: ReactionData?
    ) {
        member(#","message":"#, message)
        member(#","reaction":"#, reaction)
        member(#","key":"#, ifAny: key)
        member(#","count":"#, ifAny: count)
        member(#","data":"#, ifAny: data)
    }
}
