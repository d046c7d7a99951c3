import Reactions
import Wire

@testable import FanfareClient

/// A broker's channel in the plainest way, for comparing: lists that are searched, one connection, no rules but those of the
/// policies and of keys.
struct PlainBroker {
    /// Someone's reaction.
    struct Given: Equatable {
        var message: String
        var user: String
        var reaction: String
        var count: Int
    }

    var policy: Policy
    var given: [Given] = []
    var seq: UInt64 = 0
    var log: [Change] = []
    /// The first answer to each of ada's keys, with what was asked for.
    var answers: [String: (body: Request.Body, answer: Answer)] = [:]
    /// How often a request took effect under a key; never more than once.
    var effects: [String: Int] = [:]

    init(_ policy: Policy) {
        self.policy = policy
    }

    func own(of user: String, on message: String) -> [OwnReaction] {
        given.filter { $0.user == user && $0.message == message }.map {
            OwnReaction(reaction: .init(canonical: $0.reaction), count: UInt64($0.count))
        }
    }

    /// The groups of a message: first use first.
    func groups(of message: String) -> [GroupCount] {
        var order: [String] = []
        for change in log where change.message == message {
            for group in change.kind.groups {
                let text = group.reaction.text
                if group.count == 0 {
                    order.removeAll { $0 == text }
                } else if !order.contains(text) {
                    order.append(text)
                }
            }
        }
        return order.map { count(message, $0) }
    }

    func total(of message: String) -> UInt64 {
        given.filter { $0.message == message }.reduce(0) { $0 + UInt64($1.count) }
    }

    private func count(_ message: String, _ reaction: String) -> GroupCount {
        let those = given.filter { $0.message == message && $0.reaction == reaction }
        return GroupCount(
            reaction: .init(canonical: reaction), count: UInt64(those.reduce(0) { $0 + $1.count }),
            users: UInt64(those.count))
    }

    private func place(_ user: String, _ message: String, _ reaction: String) -> Int? {
        given.firstIndex { $0.user == user && $0.message == message && $0.reaction == reaction }
    }

    private mutating func log(_ message: String, _ user: String, _ kind: Change.Kind) {
        seq += 1
        log.append(
            Change(seq: seq, message: message, user: user, at: Int64(seq), total: total(of: message), kind: kind))
    }

    mutating func add(_ user: String, _ message: String, _ reaction: String, _ step: Int = 1) -> Answer.Result {
        if let place = place(user, message, reaction) {
            guard policy == .multiple else { return .unchanged }
            given[place].count += step
        } else {
            let other = policy == .unique ? given.first { $0.user == user && $0.message == message } : nil
            given.removeAll { $0 == other }
            given.append(Given(message: message, user: user, reaction: reaction, count: step))
            if let other {
                let kind = Change.Kind.replaced(
                    count(message, reaction), previous: count(message, other.reaction), data: nil)
                log(message, user, kind)
                return .replaced
            }
        }
        log(
            message, user,
            .added(count(message, reaction), byCount: policy == .multiple ? UInt64(step) : nil, data: nil))
        return .added
    }

    mutating func remove(_ user: String, _ message: String, _ reaction: String, _ step: Int? = nil) -> Answer.Result {
        guard let place = place(user, message, reaction) else { return .unchanged }
        let taken = min(step ?? .max, given[place].count)
        given[place].count -= taken
        if given[place].count == 0 { given.remove(at: place) }
        log(message, user, .removed(count(message, reaction), byCount: policy == .multiple ? UInt64(taken) : nil))
        return .removed
    }

    /// Does what ada asks for, once under each key; gives the ack, with the key as its id, and whether it is a duplicate.
    mutating func perform(_ body: Request.Body) -> BrokerMessage? {
        guard case .operation(let channel, let message, let action, let key?) = body else { return nil }
        let isCounted = policy == .multiple
        if let known = answers[key] {
            guard known.body == body else {
                return .error(id: .text(key), code: .keyReused, message: "", retryAfterMilliseconds: nil)
            }
            return .ack(id: .text(key), channel: channel, known.answer, isDuplicate: true, isCounted: isCounted)
        }
        let before = seq
        var text = ""
        let result: Answer.Result
        switch action {
        case .add(let reaction, let count, _):
            text = reaction
            result = add("ada", message, reaction, count ?? 1)
        case .remove(let reaction, let count):
            text = reaction
            result = remove("ada", message, reaction, count)
        case .toggle(let reaction, _, _):
            text = reaction
            let isThere = place("ada", message, reaction) != nil
            result = isThere ? remove("ada", message, reaction) : add("ada", message, reaction)
        default: return nil
        }
        if seq > before { effects[key, default: 0] += 1 }
        let answer = Answer(
            result, message: message, seq: seq, reaction: .init(canonical: text), count: count(message, text).count,
            own: own(of: "ada", on: message))
        answers[key] = (body, answer)
        return .ack(id: .text(key), channel: channel, answer, isDuplicate: false, isCounted: isCounted)
    }

    /// What a subscription begins with, for ada; the events that follow a recovery come after it.
    func subscribed(since position: Position?, recovers: Bool, messages: [String]) -> [BrokerMessage] {
        let isRecovered = recovers && position?.epoch == "e1"
        let summaries = messages.filter { total(of: $0) > 0 }.map { message in
            Summary(
                message: message, total: total(of: message),
                groups: groups(of: message).map {
                    .init(reaction: $0.reaction, count: $0.count, users: $0.users, first: 0, last: 0, latest: [])
                }, own: own(of: "ada", on: message))
        }
        let begin = BrokerMessage.subscribed(
            Subscribed(
                id: .number(1), channel: "chat:42", epoch: "e1", seq: isRecovered ? position?.seq ?? 0 : seq,
                mode: .events,
                policy: policy, intervalMilliseconds: 100, allowed: nil, maxKinds: 20, maxPerUser: 10, isFrozen: false,
                isRecovered: isRecovered, messages: isRecovered ? nil : summaries, more: nil,
                isCounted: policy == .multiple))
        let missed = log.filter { isRecovered && $0.seq > position?.seq ?? 0 }
        return [begin] + missed.map { .event(channel: "chat:42", $0) }
    }
}
