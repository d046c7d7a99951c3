import Reactions
import Storage
import Testing

@testable import fanfare

/// Reactions of a harvest, as they come into channels.
@Suite struct HarvestImportTests {
    private typealias Reacted = (emoji: String?, name: String, user: String, message: String, at: Int64)

    private func harvest(_ reactions: [Reacted], unnamed: Int64 = 0) -> Harvest {
        var harvest = Harvest()
        for (index, reaction) in reactions.enumerated() {
            harvest.add(
                .init(emoji: reaction.emoji, name: reaction.name), by: [reaction.user],
                count: 1 + (index == 0 ? unnamed : 0), to: .init(id: reaction.message, file: "a.json"), in: "c",
                at: reaction.at)
        }
        return harvest
    }

    /// Imports into what is there; gives what came of it and the channel afterwards.
    private func add(
        _ harvest: Harvest, rules: Rules = Rules(), to image: ChannelImage = ChannelImage(),
        users: [String: String] = [:], userPrefix: String = ""
    ) throws -> (outcome: HarvestImport.Outcome, ledger: Ledger, records: [Record]) {
        var work = HarvestImport(
            harvest, .init(rules: rules, channelPrefix: "chat:", userPrefix: userPrefix, users: users))
        var after = image
        var written: [Record] = []
        for channel in harvest.channels {
            #expect(work.name(of: channel) == "chat:c")
            try work.add(channel, to: image) { (seq, records) throws(StoreError) in
                after.seq = seq
                written += records
            }
        }
        // The last record of a place counts.
        var places: [String: Record] = [:]
        for record in image.records + written { places[place(record)] = record }
        after.records = Array(places.values)
        return (work.outcome, Ledger(after), written)
    }

    private func place(_ record: Record) -> String {
        switch record {
        case .entry(let message, let user, let reaction, _): "e \(message) \(user) \(reaction)"
        case .group(let message, let reaction, _): "g \(message) \(reaction)"
        case .message(let message, _): "m \(message)"
        case .frozen: "f"
        case .key(let user, let key, _): "k \(user) \(key)"
        case .swept(let message, let reaction, _): "s \(message) \(reaction)"
        }
    }

    private let some: [Reacted] = [
        ("👍", "+1", "ada", "m2", 2_000), ("👍", "+1", "bob", "m1", 1_000), ("🎉", "tada", "bob", "m1", 1_000),
        ("👍", "+1", "cy", "m1", 3_000),
    ]

    @Test("the oldest comes first, those of one time in the order of the export; times are kept")
    func order() throws {
        let (outcome, ledger, _) = try add(harvest(some))
        #expect(outcome.added == 4 && outcome.refusalCount == 0)
        #expect(ledger.seq == 4)
        let page = ledger.reactors(on: "m1", with: nil, limit: 10, before: nil)
        #expect(page.elements.map(\.user) == ["cy", "bob", "bob"])
        #expect(page.elements.map(\.at) == [3_000, 1_000, 1_000])
        let summary = try #require(ledger.summary(of: "m1", for: nil))
        #expect(summary.groups.map(\.reaction.text) == ["👍", "🎉"])
        #expect(summary.groups.map(\.first) == [1_000, 1_000])
        #expect(summary.groups.map(\.last) == [3_000, 1_000])
        #expect(ledger.newest(10, before: nil, for: nil).elements.map(\.message) == ["m1", "m2"])
    }

    @Test("the same again changes nothing, whatever the policy", arguments: [Policy.distinct, .multiple, .unique])
    func again(policy: Policy) throws {
        let reactions = policy == .unique ? some.filter { $0.name == "+1" } : some
        let first = try add(harvest(reactions), rules: Rules(policy: policy))
        #expect(first.outcome.added == reactions.count)
        let second = try add(harvest(reactions), rules: Rules(policy: policy), to: first.ledger.image)
        #expect(second.outcome.added == 0 && second.outcome.known == reactions.count)
        #expect(second.records.isEmpty)
        #expect(second.ledger.seq == first.ledger.seq)
    }

    @Test("what is there stays, and seqs go on from it")
    func merged() throws {
        var before = Ledger()
        for user in ["eve", "bob"] {
            _ = try before.apply(
                Operation(.add(reaction: "👍", count: nil, data: nil), message: "m1", user: user), rules: Rules(), at: 9)
        }
        let (outcome, ledger, _) = try add(harvest(some), to: before.image)
        #expect((outcome.added, outcome.known) == (3, 1))
        #expect(ledger.seq == 5)
        let summary = try #require(ledger.summary(of: "m1", for: nil))
        #expect(summary.groups.map(\.count) == [3, 1])
    }

    @Test(
        "the kind of the namespace decides between the emoji and the name",
        arguments: [
            (ReactionKind.emoji, "👍", nil), (.any, "👍", "party_parrot"), (.named, "+1", "party_parrot"),
        ] as [(ReactionKind, String, String?)])
    func kinds(kind: ReactionKind, standard: String, own: String?) throws {
        let (outcome, ledger, _) = try add(
            harvest([("👍", "+1", "ada", "m", 1), (nil, "Party_Parrot", "ada", "m", 2)]), rules: Rules(kind: kind))
        #expect(ledger.own(of: "ada", on: "m").map(\.reaction.text) == [standard] + (own.map { [$0] } ?? []))
        #expect(
            outcome.refusals.keys.sorted()
                == (own == nil ? ["it is no emoji, and the namespace takes no names (reactions.kind)"] : []))
    }

    @Test(
        "what the rules refuse is told with the file, the message and the reason, and nobody's name",
        arguments: [
            (Rules(policy: .unique), "bob", "🎉", "m1", "the policy is unique"),
            (Rules(maxKindsPerMessage: 1), "cy", "🎉", "m1", "at most 1 different reaction a message"),
            (Rules(maxPerUserAndMessage: 1), "bob", "🎉", "m1", "at most 1 reaction a user"),
            (Rules(allowed: [Reaction(canonical: "👍")]), "cy", "🎉", "m1", "the namespace does not list it"),
            (Rules(), "cy", "nothing", "m1", "it is no emoji that is known here"),
            (Rules(), "two words", "👍", "m1", "the user's name is not"),
            (Rules(), "cy", "👍", "*", "this is no message id"), (Rules(), "cy", "👍", "a b", "this is no message id"),
        ])
    func refused(rules: Rules, user: String, emoji: String, message: String, why: String) throws {
        let reactions: [Reacted] = [("👍", "+1", "bob", "m1", 1), (emoji, "some_name", user, message, 2)]
        let (outcome, ledger, _) = try add(harvest(reactions), rules: rules)
        #expect(outcome.added == 1 && outcome.refusalCount == 1)
        #expect(ledger.seq == 1)
        let line = try #require(outcome.refused.first).line
        #expect(line.hasPrefix("a.json: message \(message): the reaction some_name is refused: "), "\(line)")
        #expect(line.contains(why), "\(line)")
        #expect(!line.contains(user), "\(line)")
    }

    @Test("a frozen channel and a deleted message take nothing")
    func closed() throws {
        var ledger = Ledger()
        _ = try ledger.apply(Operation(.delete, message: "m1", user: "mod"), rules: Rules(), at: 1)
        #expect(
            try add(harvest(some), to: ledger.image).outcome.refusals == ["the message was deleted here": 3])
        _ = try ledger.apply(Operation(.freeze(true), message: "", user: "mod"), rules: Rules(), at: 1)
        #expect(try add(harvest(some), to: ledger.image).outcome.refusals == ["the channel is frozen": 4])
    }

    @Test("the first ten that are refused are told one by one, all are counted")
    func many() throws {
        let reactions: [Reacted] = (0..<25).map { ("x", "x", "u\($0)", "m", 1) }
        let outcome = try add(harvest(reactions)).outcome
        #expect(outcome.refused.count == 10)
        #expect(outcome.refusalCount == 25)
    }

    @Test("who is named is known by their names here, others by the prefix; nobody is made up for a count")
    func users() throws {
        let (outcome, ledger, _) = try add(
            harvest([("👍", "+1", "U1", "m", 1), ("👍", "+1", "U2", "m", 2)], unnamed: 7), users: ["U1": "ada"],
            userPrefix: "slack-")
        #expect(ledger.reactors(on: "m", with: nil, limit: 9, before: nil).elements.map(\.user) == ["slack-U2", "ada"])
        #expect(outcome.added == 2 && outcome.unnamed == 7)
    }

    @Test("skin tones that the namespace folds are one reaction")
    func folded() throws {
        let (outcome, ledger, _) = try add(
            harvest([("👍🏻", "+1::skin-tone-2", "ada", "m", 1), ("👍", "+1", "ada", "m", 2)]),
            rules: Rules(foldSkinTones: true))
        #expect((outcome.added, outcome.known) == (1, 1))
        #expect(ledger.total(of: "m") == 1)
    }
}
