import Reactions
import Testing
import Wire

/// Every message of a broker that PROTOCOL.md shows: written byte for byte so, and read back.
struct ContractMessageTests {
    static let thumb = Reaction(canonical: "👍")
    static let down = Reaction(canonical: "👎")
    static let heart = Reaction(canonical: "❤️")
    static let data = ReactionData(text: #"{"n":1.0}"#, canonical: #"{"n":1}"#)

    static func group(_ reaction: Reaction, _ count: UInt64, _ users: UInt64) -> GroupCount {
        GroupCount(reaction: reaction, count: count, users: users)
    }

    static func event(
        channel: String = "chat:42", seq: UInt64, user: String?, total: UInt64, _ kind: Change.Kind
    ) -> BrokerMessage {
        .event(
            channel: channel,
            Change(seq: seq, message: "m1", user: user, at: 1_764_470_400_123, total: total, kind: kind))
    }

    static let summary = Summary(
        message: "m1", total: 4,
        groups: [
            .init(
                reaction: thumb, count: 3, users: 3, first: 1_764_470_400_001, last: 1_764_470_400_123,
                latest: ["cy", "bob", "ada"])
        ],
        own: [OwnReaction(reaction: thumb)])
    static let summaryText =
        #"{"message":"m1","total":4,"reactions":[{"reaction":"👍","count":3,"users":3,"first":1764470400001,"#
        + #""last":1764470400123,"latest":["cy","bob","ada"]}],"own":["👍"]}"#
    static let deleted = Summary(message: "m9", total: 0, groups: [], own: nil, isDeleted: true)
    static let deletedText = #"{"message":"m9","total":0,"reactions":[],"deleted":true}"#

    static func subscribed(_ messages: [Summary]?, allowed: [Reaction]?, more: String? = nil) -> BrokerMessage {
        .subscribed(
            Subscribed(
                id: .number(2), channel: "chat:42", epoch: "e1", seq: 19, mode: .events, policy: .distinct,
                intervalMilliseconds: 100, allowed: allowed, maxKinds: 20, maxPerUser: 10, isFrozen: false,
                isRecovered: messages == nil, messages: messages, more: more, isCounted: false))
    }

    static let beforeRecovered =
        #"{"type":"subscribed","id":2,"channel":"chat:42","epoch":"e1","seq":19,"mode":"events","#
        + #""policy":"distinct","interval_ms":100,"#

    static let connecting: [(String, BrokerMessage)] = [
        (
            #"{"type":"welcome","connection":"c-1f","user":"ada","time":1764470400123,"heartbeat_ms":25000,"#
                + #""limits":{"max_message_bytes":65536,"max_subscriptions":256}}"#,
            .welcome(
                Welcome(
                    connection: "c-1f", user: "ada", time: 1_764_470_400_123, heartbeatMilliseconds: 25_000,
                    maxMessageBytes: 65_536, maxSubscriptions: 256))
        ),
        (
            #"{"type":"welcome","connection":"c","user":null,"time":1,"heartbeat_ms":2,"#
                + #""limits":{"max_message_bytes":3,"max_subscriptions":4}}"#,
            .welcome(
                Welcome(
                    connection: "c", user: nil, time: 1, heartbeatMilliseconds: 2, maxMessageBytes: 3,
                    maxSubscriptions: 4))
        ),
        (
            #"{"type":"ack","id":1,"user":"ada","expires":1764474000000}"#,
            .authenticated(id: .number(1), user: "ada", expires: 1_764_474_000_000)
        ),
        (
            beforeRecovered + #""allowed":["👍","❤️"],"limits":{"kinds":20,"per_user":10},"frozen":false,"#
                + #""recovered":false,"messages":[\#(summaryText),\#(deletedText)],"more":null}"#,
            subscribed([summary, deleted], allowed: [thumb, heart])
        ),
        (
            beforeRecovered + #""allowed":null,"limits":{"kinds":20,"per_user":10},"frozen":false,"#
                + #""recovered":false,"messages":[],"more":"cursor"}"#,
            subscribed([], allowed: nil, more: "cursor")
        ),
        (
            beforeRecovered + #""allowed":null,"limits":{"kinds":20,"per_user":10},"frozen":false,"recovered":true}"#,
            subscribed(nil, allowed: nil)
        ),
        (
            #"{"type":"watched","id":3,"channel":"chat:42","seq":21,"messages":[\#(summaryText)]}"#,
            .watched(id: .number(3), channel: "chat:42", seq: 21, messages: [summary], isCounted: false)
        ),
        (
            #"{"type":"unsubscribed","id":4,"channel":"chat:42"}"#,
            .unsubscribed(id: .number(4), channel: "chat:42", reason: nil)
        ),
        (
            #"{"type":"unsubscribed","channel":"chat:42","reason":"forbidden"}"#,
            .unsubscribed(id: nil, channel: "chat:42", reason: "forbidden")
        ),
    ]

    static func ack(
        _ id: RequestID?, channel: String = "chat:42", isDuplicate: Bool = false, isCounted: Bool = false,
        _ answer: Answer
    ) -> BrokerMessage {
        .ack(id: id, channel: channel, answer, isDuplicate: isDuplicate, isCounted: isCounted)
    }

    static let acks: [(String, BrokerMessage)] = [
        (
            #"{"type":"ack","id":5,"result":"added","channel":"chat:42","message":"m1","reaction":"👍","seq":20,"#
                + #""count":3,"own":["👍"]}"#,
            ack(
                .number(5),
                Answer(
                    .added, message: "m1", seq: 20, reaction: thumb, count: 3, own: [OwnReaction(reaction: thumb)]))
        ),
        (
            #"{"type":"ack","id":"x","result":"replaced","channel":"tap:7","message":"","reaction":"❤️","#
                + #""previous":"👍","seq":23,"count":1,"own":["❤️"],"duplicate":true}"#,
            ack(
                .text("x"), channel: "tap:7", isDuplicate: true,
                Answer(
                    .replaced, message: "", seq: 23, reaction: heart, previous: thumb, count: 1,
                    own: [OwnReaction(reaction: heart)]))
        ),
        (
            #"{"type":"ack","result":"added","channel":"clap:1","message":"m1","reaction":"👏","seq":9,"count":12,"#
                + #""own":["👏"],"own_counts":{"👏":7}}"#,
            ack(
                nil, channel: "clap:1", isCounted: true,
                Answer(
                    .added, message: "m1", seq: 9, reaction: Reaction(canonical: "👏"), count: 12,
                    own: [OwnReaction(reaction: Reaction(canonical: "👏"), count: 7)]))
        ),
        (
            #"{"type":"ack","id":5,"result":"changed","channel":"chat:42","message":"m1","seq":21,"own":["❤️","👍"]}"#,
            ack(
                .number(5),
                Answer(
                    .changed, message: "m1", seq: 21,
                    own: [OwnReaction(reaction: heart), OwnReaction(reaction: thumb)]))
        ),
        (
            #"{"type":"ack","id":6,"result":"cleared","channel":"chat:42","message":"m1","reaction":"👎","seq":24,"#
                + #""removed":1}"#,
            ack(.number(6), Answer(.cleared, message: "m1", seq: 24, reaction: down, removed: 1))
        ),
        (
            #"{"type":"ack","id":6,"result":"deleted","channel":"chat:42","message":"m1","seq":25,"removed":0}"#,
            ack(.number(6), Answer(.deleted, message: "m1", seq: 25, removed: 0))
        ),
        (
            #"{"type":"ack","id":6,"result":"changed","channel":"chat:42","frozen":true}"#,
            ack(.number(6), Answer(.changed, message: "", seq: 0, frozen: true))
        ),
    ]

    static let events: [(String, BrokerMessage)] = [
        (
            #"{"type":"added","channel":"chat:42","seq":20,"message":"m1","reaction":"👍","user":"ada","count":3,"#
                + #""users":3,"total":4,"at":1764470400123,"data":{"n":1.0}}"#,
            event(seq: 20, user: "ada", total: 4, .added(group(thumb, 3, 3), byCount: nil, data: data))
        ),
        (
            #"{"type":"added","channel":"clap:1","seq":20,"message":"m1","reaction":"👍","count":3,"users":1,"#
                + #""by_count":2,"total":4,"at":1764470400123}"#,
            event(channel: "clap:1", seq: 20, user: nil, total: 4, .added(group(thumb, 3, 1), byCount: 2, data: nil))
        ),
        (
            #"{"type":"removed","channel":"chat:42","seq":21,"message":"m1","reaction":"👍","user":"ada","count":2,"#
                + #""users":2,"total":3,"at":1764470400123}"#,
            event(seq: 21, user: "ada", total: 3, .removed(group(thumb, 2, 2), byCount: nil))
        ),
        (
            #"{"type":"updated","channel":"chat:42","seq":22,"message":"m1","reaction":"👍","user":"bob","count":2,"#
                + #""users":2,"total":3,"at":1764470400123,"data":{"n":1.0}}"#,
            event(seq: 22, user: "bob", total: 3, .updated(group(thumb, 2, 2), data: data))
        ),
        (
            #"{"type":"replaced","channel":"tap:7","seq":23,"message":"m1","reaction":"❤️","count":1,"users":1,"#
                + #""previous":"👍","previous_count":2,"previous_users":2,"user":"ada","total":3,"at":1764470400123}"#,
            event(
                channel: "tap:7", seq: 23, user: "ada", total: 3,
                .replaced(group(heart, 1, 1), previous: group(thumb, 2, 2), data: nil))
        ),
        (
            #"{"type":"cleared","channel":"chat:42","seq":24,"message":"m1","reaction":"👎","user":"mallory","#
                + #""by":"mod","removed":1,"total":2,"at":1764470400123,"#
                + #""groups":[{"reaction":"👎","count":0,"users":0}]}"#,
            event(
                seq: 24, user: nil, total: 2,
                .cleared(
                    groups: [group(down, 0, 0)], reaction: down, user: "mallory", by: "mod", removed: 1,
                    isDeletion: false))
        ),
        (
            #"{"type":"cleared","channel":"chat:42","seq":25,"message":"m1","by":"mod","removed":0,"total":0,"#
                + #""at":1764470400123,"groups":[],"reason":"deleted"}"#,
            event(
                seq: 25, user: nil, total: 0,
                .cleared(groups: [], reaction: nil, user: nil, by: "mod", removed: 0, isDeletion: true))
        ),
        (
            #"{"type":"frozen","channel":"chat:42","frozen":true,"by":"mod"}"#,
            .frozen(channel: "chat:42", isFrozen: true, by: "mod")
        ),
        (#"{"type":"lagged","channel":"c","from":7,"to":19}"#, .lagged(channel: "c", from: 7, to: 19)),
    ]

    static let counts: [(String, BrokerMessage)] = [
        (
            #"{"type":"summary","channel":"chat:42","seq":2071,"messages":[{"message":"m1","total":1204,"#
                + #""reactions":[{"reaction":"👍","count":1003,"users":1003},{"reaction":"👎","count":0,"users":0}]}]}"#,
            .summary(
                channel: "chat:42", seq: 2_071,
                messages: [
                    SummaryDelta(message: "m1", total: 1_204, groups: [group(thumb, 1_003, 1_003), group(down, 0, 0)])
                ])
        ),
        (
            #"{"type":"summary","channel":"c","seq":3,"messages":[{"message":"m1","total":0,"reactions":[],"#
                + #""deleted":true}]}"#,
            .summary(
                channel: "c", seq: 3, messages: [SummaryDelta(message: "m1", total: 0, groups: [], isDeleted: true)])
        ),
        (
            #"{"type":"own","channel":"c","message":"m1","own":["👍"],"seq":8}"#,
            .own(channel: "c", message: "m1", own: [OwnReaction(reaction: thumb)], seq: 8, isCounted: false)
        ),
        (
            #"{"type":"own","channel":"c","message":"m1","own":[],"own_counts":{},"seq":8}"#,
            .own(channel: "c", message: "m1", own: [], seq: 8, isCounted: true)
        ),
        (
            #"{"type":"occupancy","channel":"c","connections":1204,"users":987}"#,
            .occupancy(channel: "c", connections: 1_204, users: 987)
        ),
        (
            #"{"type":"burst","channel":"c","message":"m1","reactions":{"🎉":153},"window_ms":100,"at":5}"#,
            .burst(
                channel: "c", message: "m1",
                reactions: [ReactionCount(reaction: Reaction(canonical: "🎉"), count: 153)], windowMilliseconds: 100,
                at: 5)
        ),
    ]

    static let replies: [(String, BrokerMessage)] = [
        (
            #"{"type":"reactors","id":7,"channel":"chat:42","message":"m1","total":1203,"reactors":[{"user":"ada","#
                + #""reaction":"👍","count":1,"at":1764470400123,"data":{"n":1.0}},"#
                + #"{"user":"bob","reaction":"👍","count":1,"at":1764470400122}],"after":null}"#,
            .reactors(
                id: .number(7), channel: "chat:42", message: "m1", total: 1_203,
                reactors: [
                    Reactor(user: "ada", reaction: thumb, count: 1, at: 1_764_470_400_123, data: data),
                    Reactor(user: "bob", reaction: thumb, count: 1, at: 1_764_470_400_122, data: nil),
                ], after: nil)
        ),
        (
            #"{"type":"list","id":8,"channel":"c","epoch":"e1","seq":21,"messages":[\#(summaryText)],"after":"x"}"#,
            .list(
                id: .number(8), channel: "c", epoch: "e1", seq: 21, messages: [summary], after: "x", isCounted: false)
        ),
        (#"{"type":"pong","id":9,"time":1764470400123}"#, .pong(id: .number(9), time: 1_764_470_400_123)),
        (
            #"{"type":"error","id":5,"code":"reaction_not_allowed","message":"words for a person","retry_after_ms":500}"#,
            .error(
                id: .number(5), code: .reactionNotAllowed, message: "words for a person", retryAfterMilliseconds: 500)
        ),
        (
            #"{"type":"error","code":"bad_request","message":""}"#,
            .error(id: nil, code: .badRequest, message: "", retryAfterMilliseconds: nil)
        ),
        (
            #"{"type":"goodbye","code":1012,"reason":"restart","retry_after_ms":2300}"#,
            .goodbye(code: 1_012, reason: "restart", retryAfterMilliseconds: 2_300)
        ),
        (
            #"{"type":"goodbye","code":4003,"reason":"forbidden","retry_after_ms":null}"#,
            .goodbye(code: 4_003, reason: "forbidden", retryAfterMilliseconds: nil)
        ),
    ]

    @Test("Messages are written byte for byte as in the contract", arguments: connecting + acks + events)
    func writes(_ example: String, _ message: BrokerMessage) {
        #expect(text(message) == example)
    }

    @Test("Counts and replies are written byte for byte as in the contract", arguments: counts + replies)
    func writesMore(_ example: String, _ message: BrokerMessage) {
        #expect(text(message) == example)
    }

    @Test("A client reads every message of the contract", arguments: connecting + acks + events + counts + replies)
    func reads(_ example: String, _ message: BrokerMessage) throws {
        #expect(try decodeMessage(example) == message)
    }

    @Test("A deleted message has no own, whoever asks")
    func deletedHasNoOwn() {
        var summary = Self.deleted
        summary.own = []
        #expect(
            text(.watched(id: nil, channel: "c", seq: 1, messages: [summary], isCounted: true))
                == #"{"type":"watched","channel":"c","seq":1,"messages":[\#(Self.deletedText)]}"#)
    }

    @Test("Where nobody may be named, latest is left out")
    func anonymousSummary() {
        var summary = Self.summary
        summary.groups[0].latest = nil
        summary.own = nil
        #expect(
            text(.watched(id: nil, channel: "c", seq: 1, messages: [summary], isCounted: false))
                == #"{"type":"watched","channel":"c","seq":1,"messages":[{"message":"m1","total":4,"reactions":["#
                + #"{"reaction":"👍","count":3,"users":3,"first":1764470400001,"last":1764470400123}]}]}"#)
    }

    @Test("A client ignores unknown fields and unknown types")
    func unknown() throws {
        #expect(try decodeMessage(#"{"type":"weather","x":[1]}"#) == .unknown(type: "weather"))
        #expect(
            try decodeMessage(#"{"x":{"y":[]},"type":"pong","time":5,"id":1,"token":null}"#)
                == .pong(id: .number(1), time: 5))
        #expect(
            try decodeMessage(#"{"type":"error","id":1,"code":"from_the_future","message":"m"}"#)
                == .error(id: .number(1), code: .badRequest, message: "m", retryAfterMilliseconds: nil))
    }

    @Test(
        "What lacks its fields is no message",
        arguments: [
            #"[]"#, #"{}"#, #"{"type":1}"#, #"{"type":"pong"}"#, #"{"type":"pong","time":"5"}"#,
            #"{"type":"ack","result":"danced","channel":"c","message":"m","seq":1}"#,
            #"{"type":"added","channel":"c"}"#,
            #"{"type":"burst","channel":"c","message":"m","reactions":{"a":"b"},"window_ms":1,"at":1}"#,
            #"{"type":"goodbye","code":65536,"reason":"r"}"#,
            #"{"type":"summary","channel":"c","seq":1,"messages":[1]}"#,
            #"{"type":"welcome","connection":"c","user":null,"time":1,"heartbeat_ms":1,"limits":[]}"#, "{",
        ])
    func incomplete(_ example: String) {
        #expect(throws: BadRequest.self) { try decodeMessage(example) }
    }

    @Test("Quotes, backslashes and control characters are escaped, emoji are not")
    func escaping() throws {
        let message = BrokerMessage.error(
            id: .text("\"\\\u{0}\u{1F}\n\r\t\u{7F}é👍\u{2028}"), code: .unavailable, message: "a\u{8}",
            retryAfterMilliseconds: nil)
        #expect(
            text(message) == #"{"type":"error","id":"\"\\\u0000\u001f\n\r\t"# + "\u{7F}é👍\u{2028}"
                + #"","code":"unavailable","message":"a\u0008"}"#)
        #expect(try decodeMessage(text(message)) == message)
    }
}
