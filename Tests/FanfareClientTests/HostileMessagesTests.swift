import Reactions
import TestSupport
import Testing
import Wire

@testable import FanfareClient

/// A broker's messages with anything in the places of numbers, names and lists, whole or cut.
private struct Nonsense {
    var random: SeededGenerator

    private static let numbers = [
        "0", "1", "2", "3", "7", "4294967296", "9007199254740991", "9007199254740992", "9223372036854775807",
        "18446744073709551615", "18446744073709551616", "-1", "-9223372036854775808", "1.5", "1e308", "null", "\"1\"",
    ]
    private static let reactions = ["👍", "❤️", "❤", "party_parrot", "", "no emoji", "👍👍"]
    private static let users = ["ada", "bob", "", "a b"]
    private static let templates = [
        #"{"type":"welcome","connection":"c","user":USER,"time":NUMBER,"heartbeat_ms":NUMBER,"limits":{"max_message_bytes":NUMBER,"max_subscriptions":NUMBER}}"#,
        #"{"type":"goodbye","code":NUMBER,"reason":USER,"retry_after_ms":NUMBER}"#,
        #"{"type":"subscribed","id":NUMBER,"channel":"chat:42","epoch":USER,"seq":NUMBER,"mode":"events","policy":POLICY,"interval_ms":NUMBER,"allowed":OWN,"limits":{"kinds":NUMBER,"per_user":NUMBER},"frozen":false,"recovered":BOOL,"messages":[SUMMARY,SUMMARY],"more":null}"#,
        #"{"type":"watched","id":NUMBER,"channel":"chat:42","seq":NUMBER,"messages":[SUMMARY]}"#,
        #"{"type":"added","channel":"chat:42","seq":NUMBER,"message":MESSAGE,"reaction":REACTION,"user":USER,"count":NUMBER,"users":NUMBER,"total":NUMBER,"at":NUMBER,"by_count":NUMBER}"#,
        #"{"type":"removed","channel":"chat:42","seq":NUMBER,"message":MESSAGE,"reaction":REACTION,"user":USER,"count":NUMBER,"users":NUMBER,"total":NUMBER,"at":NUMBER,"by_count":NUMBER}"#,
        #"{"type":"replaced","channel":"chat:42","seq":NUMBER,"message":MESSAGE,"reaction":REACTION,"previous":REACTION,"previous_count":NUMBER,"previous_users":NUMBER,"user":USER,"count":NUMBER,"users":NUMBER,"total":NUMBER,"at":NUMBER}"#,
        #"{"type":"cleared","channel":"chat:42","seq":NUMBER,"message":MESSAGE,"user":USER,"by":"mod","removed":NUMBER,"total":NUMBER,"at":NUMBER,"reason":"deleted","groups":[GROUP,GROUP]}"#,
        #"{"type":"cleared","channel":"chat:42","seq":NUMBER,"message":MESSAGE,"by":"mod","removed":NUMBER,"total":NUMBER,"at":NUMBER,"groups":[GROUP]}"#,
        #"{"type":"summary","channel":"chat:42","seq":NUMBER,"messages":[{"message":MESSAGE,"total":NUMBER,"reactions":[GROUP,GROUP],"deleted":BOOL}]}"#,
        #"{"type":"own","channel":"chat:42","message":MESSAGE,"own":OWN,"own_counts":{REACTION:NUMBER},"seq":NUMBER}"#,
        #"{"type":"occupancy","channel":"chat:42","connections":NUMBER,"users":NUMBER}"#,
        #"{"type":"burst","channel":"chat:42","message":MESSAGE,"reactions":{REACTION:NUMBER},"window_ms":NUMBER,"at":NUMBER}"#,
        #"{"type":"frozen","channel":"chat:42","frozen":BOOL,"by":"mod"}"#,
        #"{"type":"lagged","channel":"chat:42","from":NUMBER,"to":NUMBER}"#,
        #"{"type":"ack","id":KEY,"result":"added","channel":"chat:42","message":MESSAGE,"reaction":REACTION,"seq":NUMBER,"count":NUMBER,"own":OWN,"own_counts":{REACTION:NUMBER}}"#,
        #"{"type":"error","id":KEY,"code":"rate_limited","message":USER,"retry_after_ms":NUMBER}"#,
        #"{"type":"error","id":KEY,"code":USER,"message":USER}"#,
    ]

    /// A message; now and then cut short.
    mutating func text() -> String {
        var text = pick(Self.templates)
        for (word, make) in [
            ("SUMMARY", { $0.summary() }), ("GROUP", { $0.group() }), ("OWN", { $0.list() }),
            ("REACTION", { $0.quoted(Self.reactions) }), ("MESSAGE", { $0.quoted(["m1", "m2", "", "-"]) }),
            ("USER", { $0.quoted(Self.users) }), ("POLICY", { $0.quoted(Policy.allCases.map(\.rawValue)) }),
            ("KEY", { $0.quoted(["k0", "k1", "k2", "k3", "k4", "k5", "other"]) }),
            ("BOOL", { $0.pick(["true", "false"]) }),
            ("NUMBER", { $0.number() }),
        ] as [(String, (inout Nonsense) -> String)] {
            while let range = text.firstRange(of: word) { text.replaceSubrange(range, with: make(&self)) }
        }
        return Int.random(in: 0..<20, using: &random) == 0 ? String(text.dropLast(pick([1, 2, 30]))) : text
    }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: values.indices, using: &random)] }

    /// Mostly one that means something, or nothing would be taken.
    private mutating func number() -> String {
        Int.random(in: 0..<3, using: &random) > 0 ? String(Int.random(in: 0...9, using: &random)) : pick(Self.numbers)
    }

    private mutating func quoted(_ words: [String]) -> String { "\"\(pick(words))\"" }

    private mutating func list() -> String {
        pick(["[]", "[REACTION]", "[REACTION,REACTION]", "[REACTION,REACTION,REACTION]"])
    }

    private func group() -> String { #"{"reaction":REACTION,"count":NUMBER,"users":NUMBER}"# }

    private func summary() -> String {
        #"{"message":MESSAGE,"total":NUMBER,"reactions":[{"reaction":REACTION,"count":NUMBER,"users":NUMBER,"first":NUMBER,"last":NUMBER,"latest":[USER,USER]}],"own":OWN,"own_counts":{REACTION:NUMBER}}"#
    }
}

@Suite("What a broker says that is none")
struct HostileMessagesTests {
    /// No arithmetic on a broker's numbers overflows, and what is shown has no count that cannot be.
    @Test("harms neither what follows a channel nor what shows it", arguments: 0..<40)
    func anything(round: Int) throws {
        var nonsense = Nonsense(random: SeededGenerator(for: "anything \(round)"))
        var state = ChannelState("chat:42", user: "ada")
        var follower = ChannelFollower(channel: "chat:42", mode: .events, messages: nil, wantsOccupancy: true)
        var taken = 0
        for step in 0..<600 {
            if step % 7 == 0 { act(&state, &nonsense, key: "k\(step % 6)") }
            let text = Array(nonsense.text().utf8)
            guard let message = try? BrokerMessage.decode(text.span) else { continue }
            taken += 1
            _ = follower.take(message).map(String.init(describing:))
            _ = state.receive(message, now: Int64(step), covers: nonsense.pick([nil, ["m1", ""]]))
            for message in ["m1", "m2", ""] {
                let sight = state.view(of: message)
                #expect(sight.total >= 0 && sight.groups.allSatisfy { $0.group.count >= 0 && $0.ownCount >= 0 })
                #expect(Set(sight.groups.map(\.group.reaction)).count == sight.groups.count, "a group comes twice")
            }
            for change in state.outbox(now: Int64(step)) { state.sent(change.key) }
            if step % 50 == 0 { state.connected(step % 100 == 0) }
        }
        #expect(taken > 50, "of 600 messages \(taken) could be read: that is no test")
    }

    private func act(_ state: inout ChannelState, _ nonsense: inout Nonsense, key: String) {
        let reaction = Reactions.Reaction(canonical: nonsense.pick(["👍", "❤️", "🎉"]))
        let action = nonsense.pick([PendingChange.Action.add, .remove, .toggle, .set])
        state.act(
            action, [reaction], on: nonsense.pick(["m1", "m2", ""]), key: key, count: action == .add ? 1000 : nil)
    }
}
