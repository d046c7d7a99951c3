import Reactions
import Transport
import Wire

/// One connection's conversation: who it speaks for, what it subscribed to, and whether it may do what it asks.
///
/// A value without I/O: a request goes in, and what is to be done about it comes out.
struct Session {
    /// What is to be done about a request.
    enum Step {
        /// It is for a channel.
        case ask(ChannelRequest)
        /// It is answered at once.
        case say(BrokerMessage)
        /// Nothing (a success that nobody asked to hear of).
        case nothing
        /// The connection's identity changed; these subscriptions are no longer allowed.
        case authenticated(BrokerMessage?, ended: [ChannelRequest])
        /// The connection is to be closed.
        case close(code: UInt16, reason: String)
    }

    /// What the connection last asked for, of one channel.
    private struct Intent {
        var channel: String
        /// The messages to watch; `nil`: all.
        var filter: Set<String>?
        /// How many `subscribe` requests are not answered yet.
        var unanswered: Int32
        /// Whether it is to be subscribed, as of the last request.
        var isWanted: Bool
    }

    // Every connection has one: the order of the properties leaves few gaps.
    let key: ConnectionKey
    /// Whether each request gets its reply, also one without an id.
    let repliesAlways: Bool
    private(set) var identity: Identity?
    /// When the connection lately sent what is not JSON, in Unix milliseconds.
    private var malformed: [Int64] = []
    private var intents = Few<Intent>.none

    init(key: ConnectionKey, identity: Identity?, repliesAlways: Bool = false) {
        self.key = key
        self.identity = identity
        self.repliesAlways = repliesAlways
    }

    /// Judges a request; `now` is in Unix milliseconds.
    mutating func receive(_ request: Request, settings: BrokerSettings, now: Int64) -> Step {
        switch request.body {
        case .ping:
            return request.id == nil ? .nothing : .say(.pong(id: request.id, time: now))
        case .auth(let token):
            return authenticate(token, id: request.id, settings: settings, now: now)
        case .subscribe(let subscribe):
            return self.subscribe(subscribe, request.id, settings)
        case .watch(let channel, let messages):
            return watch(messages, in: channel, request.id, settings)
        case .unsubscribe(let channel):
            return unsubscribe(channel, request.id, settings)
        case .operation(let channel, let message, let action, let key):
            return permitted(action.right, channel, request.id, settings) { identity in
                .operation(
                    Operation(
                        action, message: message, user: identity.user, key: key,
                        tokenAllowed: identity.reactions(in: channel)))
            }
        case .reactors(let channel, let message, let reaction, let limit, let after):
            return permitted(.query, channel, request.id, settings) { _ in
                .reactors(message: message, reaction: reaction, limit: limit, after: after)
            }
        case .list(let channel, let list):
            return permitted(.query, channel, request.id, settings) { _ in .list(list) }
        }
    }

    /// Judges what could not be read as a request.
    mutating func receive(_ bad: BadRequest, settings: BrokerSettings, now: Int64) -> Step {
        if bad.isMalformed {
            malformed.removeAll { $0 <= now - 60_000 }
            malformed.append(now)
            if malformed.count >= settings.limits.malformedMessages {
                return .close(code: 4000, reason: "too many messages that are not JSON")
            }
        }
        guard let channel = bad.channel, let user = identity?.user, settings.hasNamespace(of: channel) else {
            return .say(.error(id: bad.id, code: .badRequest, message: bad.reason, retryAfterMilliseconds: nil))
        }
        return .ask(
            ChannelRequest(
                channel: channel, origin: Origin(connection: key, user: user, id: bad.id, wantsReply: true),
                body: .refused(.badRequest, bad.reason)))
    }

    /// A `subscribe` was answered; `isActive`: by beginning the subscription.
    mutating func subscribeAnswered(_ channel: String, isActive: Bool) {
        guard let index = intents.firstIndex(where: { $0.channel == channel }) else { return }
        intents[index].unanswered -= 1
        if intents[index].unanswered == 0, !isActive { intents.remove(at: index) }
    }

    /// An `unsubscribe` was answered.
    mutating func unsubscribeAnswered(_ channel: String) {
        let index = intents.firstIndex { $0.channel == channel && !$0.isWanted && $0.unanswered == 0 }
        if let index { intents.remove(at: index) }
    }

    /// Requests that end the subscriptions to channels whose namespaces are gone from the settings.
    mutating func revoked(by settings: BrokerSettings) -> [ChannelRequest] {
        endSubscriptions { !settings.hasNamespace(of: $0) }
    }

    /// A request, in the session's own name, that makes a slow reader's subscription whole again.
    ///
    /// `from` is the first event that was missed; `nil`: of one in mode `summary`.
    func resynchronization(of channel: String, from seq: UInt64?) -> ChannelRequest {
        let filter = intents.first { $0.channel == channel }?.filter
        return ask(channel, nil, .resynchronize(from: seq, filter: filter.map(Array.init)))
    }
}

extension Session {
    private func ask(_ channel: String, _ id: RequestID?, _ body: ChannelRequest.Body) -> ChannelRequest {
        ChannelRequest(
            channel: channel,
            origin: Origin(
                connection: key, user: identity?.user ?? "", id: id, wantsReply: id != nil || repliesAlways,
                isBulky: body.isBulky),
            body: body)
    }

    /// Asks the channel where the identity has the right, refuses otherwise.
    private func permitted(
        _ right: Right, _ channel: String, _ id: RequestID?, _ settings: BrokerSettings,
        body: (Identity) -> ChannelRequest.Body
    ) -> Step {
        guard let identity else { return unauthorized(id) }
        guard settings.hasNamespace(of: channel) else {
            let words = "there is no namespace for the channel '\(channel)'"
            return .say(.error(id: id, code: .forbidden, message: words, retryAfterMilliseconds: nil))
        }
        guard identity.may(right, in: channel) else {
            let words =
                identity.isServer
                ? "a server's key reacts for a user: say for which, by ?user=NAME"
                : "you have no right to \(right.rawValue) here"
            return .ask(ask(channel, id, .refused(.forbidden, words)))
        }
        return .ask(ask(channel, id, body(identity)))
    }

    private func unauthorized(_ id: RequestID?) -> Step {
        let words = "say who you are first: send a token by 'auth'"
        return .say(.error(id: id, code: .unauthorized, message: words, retryAfterMilliseconds: nil))
    }

    private mutating func subscribe(_ subscribe: Request.Subscribe, _ id: RequestID?, _ settings: BrokerSettings)
        -> Step
    {
        let step = permitted(.subscribe, subscribe.channel, id, settings) { _ in .subscribe(subscribe) }
        guard case .ask(let request) = step, case .subscribe = request.body else { return step }
        let known = intents.firstIndex { $0.channel == subscribe.channel }
        let others = intents.count { $0.isWanted && $0.channel != subscribe.channel }
        guard others < settings.limits.subscriptions else {
            let words = "a connection may have \(counted(settings.limits.subscriptions, "subscription"))"
            return .ask(ask(subscribe.channel, id, .refused(.tooManySubscriptions, words)))
        }
        let index = known ?? intents.count
        if known == nil {
            intents.append(Intent(channel: subscribe.channel, filter: nil, unanswered: 0, isWanted: true))
        }
        intents[index].isWanted = true
        intents[index].filter = subscribe.messages.map(Set.init)
        intents[index].unanswered += 1
        return step
    }

    private mutating func watch(
        _ messages: [String], in channel: String, _ id: RequestID?, _ settings: BrokerSettings
    ) -> Step {
        let index = intents.firstIndex { $0.channel == channel && $0.isWanted }
        let before = index.flatMap { intents[$0].filter }
        let newly = messages.filter { !(before?.contains($0) ?? false) }
        let step = permitted(.subscribe, channel, id, settings) { _ in
            index == nil
                ? .refused(.notSubscribed, "subscribe to the channel first")
                : .watch(messages, newly: newly)
        }
        if let index, case .ask(let request) = step, case .watch = request.body {
            intents[index].filter = Set(messages)
        }
        return step
    }

    private mutating func unsubscribe(_ channel: String, _ id: RequestID?, _ settings: BrokerSettings) -> Step {
        guard identity != nil else { return unauthorized(id) }
        guard settings.hasNamespace(of: channel) else {
            return id == nil ? .nothing : .say(.unsubscribed(id: id, channel: channel, reason: nil))
        }
        if let index = intents.firstIndex(where: { $0.channel == channel }) { intents[index].isWanted = false }
        return .ask(ask(channel, id, .unsubscribe))
    }

    private mutating func endSubscriptions(where isOver: (String) -> Bool) -> [ChannelRequest] {
        var ended: [ChannelRequest] = []
        for index in intents.indices where intents[index].isWanted && isOver(intents[index].channel) {
            intents[index].isWanted = false
            ended.append(ask(intents[index].channel, nil, .revoke))
        }
        return ended
    }

    private mutating func authenticate(
        _ token: String, id: RequestID?, settings: BrokerSettings, now: Int64
    ) -> Step {
        let renewed: Identity
        do throws(Authenticator.Failure) {
            renewed = try settings.authenticator.identify(token: token, now: now)
        } catch {
            return .say(.error(id: id, code: .unauthorized, message: error.words, retryAfterMilliseconds: nil))
        }
        if let identity, identity.user != renewed.user {
            let words = "a renewal must be for the same user"
            return .say(.error(id: id, code: .forbidden, message: words, retryAfterMilliseconds: nil))
        }
        identity = renewed
        let ended = endSubscriptions { !renewed.may(.subscribe, in: $0) }
        let reply = BrokerMessage.authenticated(id: id, user: renewed.user, expires: renewed.expires)
        return .authenticated(id == nil ? nil : reply, ended: ended)
    }
}

extension Operation.Action {
    /// What one must be allowed to ask for it.
    fileprivate var right: Right {
        switch self {
        case .add, .remove, .toggle, .set: .react
        case .clear, .delete, .freeze: .moderate
        }
    }
}

extension Authenticator.Failure {
    /// What a person is told.
    public var words: String {
        switch self {
        case .badToken(let words): words
        case .badUser: "a user's name is 1 to 128 bytes of visible ASCII"
        }
    }
}
