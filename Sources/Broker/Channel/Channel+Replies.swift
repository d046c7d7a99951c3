import Reactions
import Wire

// What a channel answers to requests that change nothing.
extension Channel {
    /// A successful reply, where it is wanted.
    func reply(to request: ChannelRequest, _ message: BrokerMessage) -> Reply {
        Reply(request.origin, request.origin.wantsReply ? message : nil)
    }

    func refusal(
        of request: ChannelRequest, _ code: ErrorCode, _ words: String, retryAfterMilliseconds: Int64? = nil
    ) -> Reply {
        var reply = Reply(
            request.origin,
            .error(
                id: request.origin.id, code: code, message: words, retryAfterMilliseconds: retryAfterMilliseconds))
        switch request.body {
        case .subscribe, .refusedSubscription: reply.effect = .refuseSubscription
        default: break
        }
        return reply
    }

    func subscribed(_ subscribe: Request.Subscribe, for request: ChannelRequest, at moment: Moment) -> Reply {
        let resume = subscribe.since.flatMap { $0.epoch == epoch ? $0.seq : nil }
        let following = Following(
            user: request.origin.user, mode: subscribe.mode, filter: subscribe.messages.map(Set.init),
            occupancy: subscribe.occupancy)
        if subscribe.mode == .summary, let resume, let changes = changes(after: resume, at: moment) {
            return recovered(following, at: resume, with: changes, for: request)
        }
        let isRecovered = subscribe.mode == .events && (resume.map { canResume(after: $0, at: moment) } ?? false)
        var reply = reply(
            to: request,
            .subscribed(
                state(
                    for: request.origin, mode: subscribe.mode, filter: subscribe.messages,
                    withMessages: !isRecovered && request.origin.wantsReply)))
        reply.effect = .subscribe(following, resume: subscribe.mode == .events ? resume : nil)
        return reply
    }

    /// Goes on from a seq in mode `summary`: what was missed comes as one summary.
    private func recovered(
        _ following: Following, at seq: UInt64, with changes: [(message: String, reactions: [Reaction])],
        for request: ChannelRequest
    ) -> Reply {
        let state = state(for: request.origin, mode: .summary, filter: nil, withMessages: false)
        var reply = reply(to: request, BrokerMessage.subscribed(state).recovered(at: seq))
        reply.effect = .subscribe(following, resume: nil)
        var missed: [String: Set<Reaction>] = [:]
        for (message, reactions) in changes where following.filter?.contains(message) ?? true {
            missed[message, default: []].formUnion(reactions)
        }
        let deltas = missed.map { message, reactions in
            SummaryDelta(
                message: message, total: ledger.total(of: message), groups: ledger.groups(reactions, on: message),
                isDeleted: ledger.isDeleted(message))
        }
        if !deltas.isEmpty { reply.followUp = .summary(channel: name, seq: ledger.seq, messages: deltas) }
        return reply
    }

    func unsubscribed(for request: ChannelRequest) -> Reply {
        var reply = reply(to: request, .unsubscribed(id: request.origin.id, channel: name, reason: nil))
        reply.effect = .unsubscribe
        return reply
    }

    func revoked(for request: ChannelRequest) -> Reply {
        var reply = Reply(
            request.origin,
            .unsubscribed(id: nil, channel: name, reason: ErrorCode.forbidden.rawValue))
        reply.effect = .unsubscribe
        return reply
    }

    func watched(_ messages: [String], newly: [String], for request: ChannelRequest) -> Reply {
        let summaries = shown(ledger.summaries(of: newly, for: request.origin.user))
        var reply = reply(
            to: request,
            .watched(
                id: request.origin.id, channel: name, seq: ledger.seq, messages: summaries, isCounted: isCounted))
        reply.effect = .watch(Set(messages))
        return reply
    }

    func resynchronized(from: UInt64?, filter: [String]?, for request: ChannelRequest) -> Reply {
        let mode: Mode = from == nil ? .summary : .events
        let fresh = BrokerMessage.subscribed(state(for: request.origin, mode: mode, filter: filter, withMessages: true))
        var reply = Reply(request.origin, from.map { .lagged(channel: name, from: $0, to: ledger.seq) } ?? fresh)
        if from != nil { reply.followUp = fresh }
        reply.effect = .resynchronize
        return reply
    }

    func listed(_ list: Request.List, for request: ChannelRequest) -> Reply {
        var messages: [Summary] = []
        var after: String?
        switch list {
        case .messages(let named): messages = ledger.summaries(of: named, for: request.origin.user)
        case .page(let limit, let cursor):
            let before = cursor.flatMap { Cursor.seq(from: $0, in: listScope) }
            if cursor != nil, before == nil { return unknownCursor(request) }
            let page = ledger.newest(limit, before: before, for: request.origin.user)
            messages = page.elements
            after = page.next.map { Cursor.text(at: $0, in: listScope) }
        }
        return reply(
            to: request,
            .list(
                id: request.origin.id, channel: name, epoch: epoch, seq: ledger.seq, messages: shown(messages),
                after: after, isCounted: isCounted))
    }

    func reactors(
        on message: String, with text: String?, limit: Int, after cursor: String?, for request: ChannelRequest
    ) -> Reply {
        if namespace.isAnonymous {
            return refusal(of: request, .forbidden, "nobody who reacts is named in this channel")
        }
        var reaction: Reaction?
        if let text {
            let rules = namespace.rules.unrestricted
            do throws(Refusal) { reaction = try rules.reaction(from: text) } catch {
                return refusal(of: request, ErrorCode(error), error.words(on: [text], by: rules))
            }
        }
        let scope = "reactors \(epoch) \(name) \(message) \(reaction?.text ?? "")"
        let before = cursor.flatMap { Cursor.seq(from: $0, in: scope) }
        if cursor != nil, before == nil { return unknownCursor(request) }
        let page = ledger.reactors(on: message, with: reaction, limit: limit, before: before)
        return reply(
            to: request,
            .reactors(
                id: request.origin.id, channel: name, message: message,
                total: ledger.reactorCount(on: message, with: reaction), reactors: page.elements,
                after: page.next.map { Cursor.text(at: $0, in: scope) }))
    }

    /// What the users whom an operation concerns have afterwards; `holders` had something where everyone's was taken.
    static func owns(after outcome: Outcome, _ holders: [OwnChange], in ledger: inout Ledger) -> [OwnChange] {
        var places: [String: Set<String>] = [:]
        var owns: [OwnChange] = []
        for case .entry(let message, let user, _, _) in outcome.records
        where places[message, default: []].insert(user).inserted {
            owns.append(
                OwnChange(user: user, message: message, own: ledger.own(of: user, on: message), seq: ledger.seq))
        }
        for held in holders {
            let own = ledger.own(of: held.user, on: held.message)
            guard own != held.own else { continue }
            owns.append(OwnChange(user: held.user, message: held.message, own: own, seq: ledger.seq))
        }
        return owns
    }

    private var isCounted: Bool { namespace.rules.policy == .multiple }

    private var listScope: String { "list \(epoch) \(name)" }

    private func unknownCursor(_ request: ChannelRequest) -> Reply {
        refusal(of: request, .unknownCursor, "this cursor was not given for this list; begin again without it")
    }

    private func state(
        for origin: Origin, mode: Mode, filter: [String]?, withMessages: Bool
    ) -> Subscribed {
        var more: String?
        var messages: [Summary] = []
        if withMessages {
            let (summaries, next) = Channel.beginning(of: &ledger, filter, for: origin.user)
            messages = summaries
            more = next.map { Cursor.text(at: $0, in: listScope) }
        }
        let rules = namespace.rules
        return Subscribed(
            id: origin.id, channel: name, epoch: epoch, seq: ledger.seq, mode: mode, policy: rules.policy,
            intervalMilliseconds: Int64(namespace.summaryIntervalMilliseconds), allowed: rules.allowed,
            maxKinds: rules.maxKindsPerMessage, maxPerUser: rules.maxPerUserAndMessage, isFrozen: ledger.isFrozen,
            isRecovered: false, messages: shown(messages), more: more, isCounted: isCounted)
    }

    /// The messages that a subscription begins with, and where a list of all goes on.
    private static func beginning(
        of ledger: inout Ledger, _ filter: [String]?, for user: String
    ) -> (messages: [Summary], next: UInt64?) {
        if let filter { return (ledger.summaries(of: filter, for: user), nil) }
        let page = ledger.newest(100, before: nil, for: user)
        return (page.elements, page.next)
    }

    /// Summaries as this namespace shows them: without names where it is anonymous.
    private func shown(_ summaries: [Summary]) -> [Summary] {
        guard namespace.isAnonymous else { return summaries }
        return summaries.map { summary in
            var summary = summary
            for index in summary.groups.indices { summary.groups[index].latest = nil }
            return summary
        }
    }
}

extension Rules {
    /// The same rules without a list of what may be used: for reading what was used before the list was made.
    fileprivate var unrestricted: Rules {
        var rules = self
        rules.allowed = nil
        return rules
    }
}
