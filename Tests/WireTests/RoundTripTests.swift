import Foundation
import Reactions
import TestSupport
import Testing
import Wire

/// What is written is JSON by Foundation's word, and is read back as it was.
struct RoundTripTests {
    @Test("Requests")
    func requests() throws {
        var random = SeededGenerator(for: "requests")
        for _ in 0..<3_000 {
            let request = random.request()
            let written = text(request)
            #expect(try decode(written) == request, "\(written)")
            #expect((try? JSONSerialization.jsonObject(with: Data(written.utf8))) != nil, "\(written)")
        }
    }

    @Test("Messages of a broker")
    func messages() throws {
        var random = SeededGenerator(for: "messages")
        for _ in 0..<5_000 {
            let message = random.message()
            let written = text(message)
            #expect(try decodeMessage(written) == message, "\(written)")
            #expect((try? JSONSerialization.jsonObject(with: Data(written.utf8))) != nil, "\(written)")
        }
    }

    @Test("Acks and events that need more room than most are written whole", arguments: [1, 20, 1_000])
    func largeMessages(reactions: Int) throws {
        let name = String(repeating: "\"\\", count: 64)
        let own = (0..<reactions).map {
            OwnReaction(reaction: Reaction(canonical: String(repeating: "a", count: 60) + "\($0)"), count: .max)
        }
        let answer = Answer(
            .replaced, message: name, seq: 1 << 53 - 1, reaction: own[0].reaction, previous: own[0].reaction,
            count: .max, own: own)
        let ack = BrokerMessage.ack(
            id: .text(String(repeating: "\u{1}", count: 64)), channel: name, answer, isDuplicate: true,
            isCounted: true)
        #expect(try decodeMessage(text(ack)) == ack)
        let group = GroupCount(reaction: own[0].reaction, count: .max, users: .max)
        let change = Change(
            seq: 1 << 53 - 1, message: name, user: name, at: .max, total: .max,
            kind: .replaced(group, previous: group, data: nil))
        #expect(try decodeMessage(text(.event(channel: name, change))) == .event(channel: name, change))
    }

    @Test("Appending keeps what was there")
    func appending() throws {
        var random = SeededGenerator(for: "appending")
        var bytes: [UInt8] = []
        var expected = ""
        for _ in 0..<50 {
            let message = random.message()
            message.append(to: &bytes)
            expected += text(message)
        }
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }
}

extension SeededGenerator {
    fileprivate mutating func name() -> String {
        pick("m1", "chat:42", "\"quoted\\name\"", "~", String(repeating: "n", count: 60), "a/b")
    }

    /// A text of any characters, as an id, a token or a reason may have.
    fileprivate mutating func anyText() -> String {
        let pieces = several(5) {
            $0.pick("a", "é", "👍", "\"", "\\", "\n", "\u{0}", "\u{1F}", " ", "\u{2028}", "e\u{301}")
        }
        return "t" + pieces.joined()
    }

    fileprivate mutating func number() -> UInt64 {
        chance(50) ? UInt64.random(in: 0...20, using: &self) : UInt64.random(in: 0..<(1 << 53), using: &self)
    }

    fileprivate mutating func time() -> Int64 { Int64(number()) }

    fileprivate mutating func id() -> RequestID? {
        maybe { $0.chance(50) ? .number($0.number()) : .text($0.anyText()) }
    }

    fileprivate mutating func names() -> [String] {
        var names: [String] = []
        for name in several(4, { $0.chance(20) ? "" : $0.name() }) where !names.contains(name) { names.append(name) }
        return names
    }

    fileprivate mutating func data() -> ReactionData? {
        pick(
            nil, ReactionData(text: "{}", canonical: "{}"),
            ReactionData(text: #"{"b":[1.0,null],"a":"\n"}"#, canonical: #"{"a":"\u000a","b":[1,null]}"#)
        )
        .flatMap { try? ReactionData.decode(Array($0.text.utf8).span) }
    }

    fileprivate mutating func request() -> Request {
        let channel = name()
        let page: (limit: Int, after: String?) = (Int.random(in: 1...100, using: &self), maybe { $0.anyText() })
        let body: Request.Body =
            switch Int.random(in: 0..<8, using: &self) {
            case 0: .auth(token: anyText())
            case 1:
                .subscribe(
                    .init(
                        channel: channel, mode: pick(.events, .summary), messages: maybe { $0.names() },
                        since: maybe { Position(epoch: $0.anyText(), seq: $0.number()) }, occupancy: chance(50)))
            case 2: .watch(channel: channel, messages: names())
            case 3: .unsubscribe(channel: channel)
            case 4:
                .reactors(
                    channel: channel, message: pick("", "m"), reaction: maybe { $0.anyText() }, limit: page.limit,
                    after: page.after)
            case 5:
                .list(channel: channel, chance(50) ? .messages(names()) : .page(limit: page.limit, after: page.after))
            case 6: .ping
            default: operation(channel)
            }
        return Request(id: id(), body)
    }

    private mutating func operation(_ channel: String) -> Request.Body {
        let count = maybe { Int.random(in: 1...1_000, using: &$0) }
        let action: Reactions.Operation.Action =
            switch Int.random(in: 0..<7, using: &self) {
            case 0: .add(reaction: anyText(), count: count, data: data())
            case 1: .remove(reaction: anyText(), count: count)
            case 2: .toggle(reaction: anyText(), count: count, data: data())
            case 3: .set(reactions: names())
            case 4: .clear(reaction: maybe { $0.anyText() }, user: maybe { $0.name() })
            case 5: .delete
            default: .freeze(chance(50))
            }
        if case .freeze = action { return .operation(channel: channel, message: "", action: action, key: nil) }
        return .operation(
            channel: channel, message: chance(20) ? "" : name(), action: action, key: maybe { $0.name() })
    }
}

extension SeededGenerator {
    private mutating func reaction() -> Reaction {
        Reaction(canonical: pick("👍", "❤️", "party_parrot", "\"", "👩‍👩‍👧‍👦"))
    }

    private mutating func group() -> GroupCount {
        GroupCount(reaction: reaction(), count: number(), users: number())
    }

    private mutating func own(_ isCounted: Bool) -> [OwnReaction] {
        var own: [OwnReaction] = []
        for one in several(3, { OwnReaction(reaction: $0.reaction(), count: isCounted ? $0.number() : 1) })
        where !own.contains(where: { $0.reaction == one.reaction }) { own.append(one) }
        return own
    }

    private mutating func summary(_ isCounted: Bool) -> Summary {
        let groups = several(3) { random in
            Summary.Group(
                reaction: random.reaction(), count: random.number(), users: random.number(), first: random.time(),
                last: random.time(), latest: random.maybe { $0.names() })
        }
        let isDeleted = chance(20)
        return Summary(
            message: name(), total: number(), groups: isDeleted ? [] : groups,
            own: isDeleted || !isCounted && chance(50) ? nil : own(isCounted), isDeleted: isDeleted)
    }

    /// Some summaries, of which at least one says so where the policy is `multiple`.
    private mutating func summaries(_ isCounted: Bool) -> [Summary] {
        var summaries = several(3) { $0.summary(isCounted) }
        if isCounted { summaries.append(Summary(message: "m", total: 0, groups: [], own: [])) }
        return summaries
    }

    private mutating func change() -> Change {
        let (first, second) = (group(), group())
        let kind: Change.Kind =
            switch Int.random(in: 0..<5, using: &self) {
            case 0: .added(first, byCount: maybe { $0.number() }, data: data())
            case 1: .removed(first, byCount: maybe { $0.number() })
            case 2: .updated(first, data: data() ?? ReactionData(text: "{}", canonical: "{}"))
            case 3: .replaced(first, previous: second, data: data())
            default:
                .cleared(
                    groups: several(3) { $0.group() }, reaction: maybe { $0.reaction() }, user: maybe { $0.name() },
                    by: name(), removed: number(), isDeletion: chance(50))
            }
        var user = maybe { $0.name() }
        if case .cleared = kind { user = nil }
        return Change(seq: number(), message: name(), user: user, at: time(), total: number(), kind: kind)
    }

    private mutating func answer(_ isCounted: Bool) -> Answer {
        let result = Answer.Result.allCases.randomElement(using: &self) ?? .added
        guard chance(85) else { return Answer(result, message: "", seq: 0, frozen: chance(50)) }
        return Answer(
            result, message: pick("", "m"), seq: number(), reaction: maybe { $0.reaction() },
            previous: maybe { $0.reaction() }, count: maybe { $0.number() },
            own: isCounted || chance(50) ? own(isCounted) : nil, removed: maybe { $0.number() })
    }

    fileprivate mutating func message() -> BrokerMessage {
        chance(50) ? reply() : notice()
    }

    private mutating func reply() -> BrokerMessage {
        let isCounted = chance(50)
        switch Int.random(in: 0..<9, using: &self) {
        case 0:
            var answer = answer(isCounted)
            let isCounted = isCounted && answer.frozen == nil
            if answer.frozen == nil, isCounted, answer.own == nil { answer.own = [] }
            return .ack(id: id(), channel: name(), answer, isDuplicate: chance(50), isCounted: isCounted)
        case 1: return .authenticated(id: id(), user: name(), expires: maybe { $0.time() })
        case 2: return .subscribed(subscribed(isCounted))
        case 3:
            return .watched(
                id: id(), channel: name(), seq: number(), messages: summaries(isCounted), isCounted: isCounted)
        case 4: return .unsubscribed(id: id(), channel: name(), reason: maybe { $0.anyText() })
        case 5:
            let reactors = several(3) {
                Reactor(user: $0.name(), reaction: $0.reaction(), count: $0.number(), at: $0.time(), data: $0.data())
            }
            return .reactors(
                id: id(), channel: name(), message: name(), total: number(), reactors: reactors,
                after: maybe { $0.anyText() })
        case 6:
            return .list(
                id: id(), channel: name(), epoch: anyText(), seq: number(), messages: summaries(isCounted),
                after: maybe { $0.anyText() }, isCounted: isCounted)
        case 7: return .pong(id: id(), time: time())
        default:
            return .error(
                id: id(), code: ErrorCode.allCases.randomElement(using: &self) ?? .frozen, message: anyText(),
                retryAfterMilliseconds: maybe { $0.time() })
        }
    }

    private mutating func subscribed(_ isCounted: Bool) -> Subscribed {
        let isRecovered = chance(50)
        return Subscribed(
            id: id(), channel: name(), epoch: anyText(), seq: number(), mode: pick(.events, .summary),
            policy: isCounted ? .multiple : pick(.unique, .distinct, .ephemeral), intervalMilliseconds: time(),
            allowed: maybe { $0.several(3) { $0.reaction() } }, maxKinds: Int(number()), maxPerUser: Int(number()),
            isFrozen: chance(50), isRecovered: isRecovered, messages: isRecovered ? nil : summaries(isCounted),
            more: isRecovered ? nil : maybe { $0.anyText() }, isCounted: isCounted)
    }

    private mutating func notice() -> BrokerMessage {
        let isCounted = chance(50)
        switch Int.random(in: 0..<10, using: &self) {
        case 0:
            return .welcome(
                Welcome(
                    connection: anyText(), user: maybe { $0.name() }, time: time(), heartbeatMilliseconds: time(),
                    maxMessageBytes: Int(number()), maxSubscriptions: Int(number())))
        case 1:
            let deltas = several(3) { random in
                SummaryDelta(
                    message: random.name(), total: random.number(), groups: random.several(3) { $0.group() },
                    isDeleted: random.chance(30))
            }
            return .summary(channel: name(), seq: number(), messages: deltas)
        case 2: return .own(channel: name(), message: name(), own: own(isCounted), seq: number(), isCounted: isCounted)
        case 3: return .occupancy(channel: name(), connections: number(), users: number())
        case 4:
            let counts = several(3) { ReactionCount(reaction: $0.reaction(), count: $0.number()) }
            return .burst(
                channel: name(), message: pick("", "m"), reactions: counts, windowMilliseconds: time(), at: time())
        case 5: return .frozen(channel: name(), isFrozen: chance(50), by: name())
        case 6: return .lagged(channel: name(), from: number(), to: number())
        case 7:
            return .goodbye(
                code: UInt16.random(in: 0...UInt16.max, using: &self), reason: anyText(),
                retryAfterMilliseconds: maybe { $0.time() })
        case 8: return .unknown(type: anyText())
        default: return .event(channel: name(), change())
        }
    }
}
