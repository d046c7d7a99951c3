import Reactions
import TestSupport
import Testing
import Wire

@testable import FanfareClient

/// A channel as a plain list of who gave what, and the events that changes of it send.
struct ModelChannel {
    private(set) var seq: UInt64 = 0
    /// Message, then reaction in order of first use, then the users.
    private(set) var given: [String: [(reaction: String, users: Set<String>)]] = [:]
    private(set) var deleted: Set<String> = []
    private(set) var changes: [Change] = []

    /// Makes one change that is possible, and its event.
    mutating func step(using generator: inout SeededGenerator) {
        let message = "m\(Int.random(in: 1...4, using: &generator))"
        guard !deleted.contains(message) else { return }
        let user = "u\(Int.random(in: 1...5, using: &generator))"
        let reaction = ["👍", "❤️", "🎉", "party_parrot"].randomElement(using: &generator) ?? "👍"
        switch Int.random(in: 0..<100, using: &generator) {
        case ..<55: add(reaction, by: user, to: message)
        case ..<90: remove(reaction, by: user, from: message)
        case ..<98: clear(message, isDeletion: false)
        default: clear(message, isDeletion: true)
        }
    }

    /// The counts of a message's groups, in order of first use.
    func counts(of message: String) -> [GroupCount] {
        (given[message] ?? []).map(numbers)
    }

    private func numbers(_ group: (reaction: String, users: Set<String>)) -> GroupCount {
        let count = UInt64(group.users.count)
        return GroupCount(reaction: Reactions.Reaction(canonical: group.reaction), count: count, users: count)
    }

    private func total(of message: String) -> UInt64 {
        counts(of: message).reduce(0) { $0 + $1.count }
    }

    private mutating func add(_ reaction: String, by user: String, to message: String) {
        var groups = given[message] ?? []
        let place = groups.firstIndex { $0.reaction == reaction } ?? groups.count
        if place == groups.count { groups.append((reaction, [])) }
        guard groups[place].users.insert(user).inserted else { return }
        given[message] = groups
        send(message, user, .added(numbers(groups[place]), byCount: nil, data: nil))
    }

    private mutating func remove(_ reaction: String, by user: String, from message: String) {
        guard let place = given[message]?.firstIndex(where: { $0.reaction == reaction }),
            given[message]?[place].users.remove(user) != nil, let group = given[message]?[place]
        else { return }
        if group.users.isEmpty { given[message]?.remove(at: place) }
        send(message, user, .removed(numbers(group), byCount: nil))
    }

    private mutating func clear(_ message: String, isDeletion: Bool) {
        let before = counts(of: message)
        guard isDeletion || !before.isEmpty else { return }
        given[message] = nil
        if isDeletion { deleted.insert(message) }
        let groups = before.map { GroupCount(reaction: $0.reaction, count: 0, users: 0) }
        let removed = before.reduce(0) { $0 + $1.count }
        send(
            message, nil,
            .cleared(
                groups: groups, reaction: nil, user: nil, by: "mod", removed: removed, isDeletion: isDeletion))
    }

    private mutating func send(_ message: String, _ user: String?, _ kind: Change.Kind) {
        seq += 1
        changes.append(
            Change(seq: seq, message: message, user: user, at: 0, total: total(of: message), kind: kind))
    }
}

@Suite("A channel's counts")
struct ChannelViewTests {
    private static let seeds: [UInt64] = Array(1...20)

    private static func model(seed: UInt64) -> (ModelChannel, SeededGenerator) {
        var generator = SeededGenerator(seed: seed)
        var model = ModelChannel()
        for _ in 0..<300 { model.step(using: &generator) }
        return (model, generator)
    }

    private static func agree(_ view: ChannelView, _ model: ModelChannel, seed: UInt64, inOrder: Bool) {
        for message in 1...4 {
            let name = "m\(message)"
            let counts = view[name]?.groups ?? []
            if inOrder {
                #expect(counts == model.counts(of: name), "seed \(seed), \(name)")
            } else {
                #expect(Set(counts) == Set(model.counts(of: name)), "seed \(seed), \(name)")
            }
            #expect(
                view[name]?.total ?? 0 == model.counts(of: name).reduce(0) { $0 + $1.count }, "seed \(seed), \(name)")
            #expect(view[name]?.isDeleted ?? false == model.deleted.contains(name), "seed \(seed), \(name)")
        }
    }

    @Test("are the model's after the events in order, each twice", arguments: seeds)
    func inOrder(seed: UInt64) {
        let (model, _) = Self.model(seed: seed)
        var view = ChannelView()
        for change in model.changes {
            let (first, second) = (view.apply(change), view.apply(change))
            #expect(first && !second, "seed \(seed), seq \(change.seq)")
        }
        Self.agree(view, model, seed: seed, inOrder: true)
        #expect(view.seq == model.seq)
    }

    @Test("are the model's after the events in any order, some of them twice", arguments: seeds)
    func shuffled(seed: UInt64) {
        let (model, seeded) = Self.model(seed: seed)
        var generator = seeded
        let some = model.changes.filter { _ in Bool.random(using: &generator) }
        var view = ChannelView()
        for change in (model.changes + some).shuffled(using: &generator) { view.apply(change) }
        Self.agree(view, model, seed: seed, inOrder: false)
    }

    @Test("are the model's after a snapshot in the middle and events from before and after it", arguments: seeds)
    func snapshot(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var model = ModelChannel()
        for _ in 0..<150 { model.step(using: &generator) }
        var view = ChannelView(model.summaries, seq: model.seq, isComplete: true)
        for _ in 0..<150 { model.step(using: &generator) }
        for change in model.changes { view.apply(change) }
        Self.agree(view, model, seed: seed, inOrder: true)
    }

    @Test("are the model's after summaries of what changed", arguments: seeds)
    func summaries(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var model = ModelChannel()
        var view = ChannelView()
        for _ in 0..<30 {
            let before = model
            for _ in 0..<10 { model.step(using: &generator) }
            let deltas = model.deltas(since: before)
            view.apply(deltas, seq: model.seq)
            let isNews = view.apply(deltas, seq: model.seq)
            #expect(!isNews, "seed \(seed)")
        }
        Self.agree(view, model, seed: seed, inOrder: false)
    }

    @Test("forget the messages with the oldest changes past the bound")
    func bound() {
        var view = ChannelView()
        let group = GroupCount(reaction: Reactions.Reaction(canonical: "👍"), count: 1, users: 1)
        for seq in 1...UInt64(ChannelView.maxMessages + 1) {
            view.apply(
                Change(
                    seq: seq, message: "m\(seq)", user: "ada", at: 0, total: 1,
                    kind: .added(group, byCount: nil, data: nil)))
        }
        #expect(view.count == ChannelView.maxMessages * 9 / 10 + 1)
        #expect(view["m1"] == nil)
        #expect(view["m\(ChannelView.maxMessages + 1)"]?.total == 1)
    }

    @Test("keep a snapshot's order, and put what changes in front")
    func order() {
        let summaries = ["m3", "m1", "m2"].map { message in
            Summary(
                message: message, total: 1,
                groups: [
                    .init(
                        reaction: Reactions.Reaction(canonical: "👍"), count: 1, users: 1, first: 0, last: 0, latest: nil
                    )
                ], own: nil)
        }
        var view = ChannelView(summaries, seq: 9, isComplete: false)
        #expect(view.newestFirst.map(\.message) == ["m3", "m1", "m2"])
        let gone = GroupCount(reaction: Reactions.Reaction(canonical: "👍"), count: 0, users: 0)
        view.apply(
            Change(seq: 10, message: "m2", user: "ada", at: 0, total: 0, kind: .removed(gone, byCount: nil)))
        #expect(view.newestFirst.map(\.message) == ["m2", "m3", "m1"])
        #expect(view["m2"]?.groups == [])
    }

    @Test("forget groups that are gone without letting old events bring them back")
    func gone() {
        var view = ChannelView()
        var seq: UInt64 = 0
        var first: Change?
        for name in 0..<200 {
            for count in [1, 0] as [UInt64] {
                seq += 1
                let group = GroupCount(reaction: Reactions.Reaction(canonical: "r\(name)"), count: count, users: count)
                let kind = count > 0 ? Change.Kind.added(group, byCount: nil, data: nil) : .removed(group, byCount: nil)
                let change = Change(seq: seq, message: "m", user: "ada", at: 0, total: count, kind: kind)
                first = first ?? change
                view.apply(change)
            }
        }
        let isNews = first.map { view.apply($0) }
        #expect(isNews == false)
        #expect(view["m"]?.groups == [])
        #expect(view["m"]?.total == 0)
    }
}

extension ModelChannel {
    /// The state as a snapshot's summaries.
    var summaries: [Summary] {
        (1...4).map { "m\($0)" }.map { message in
            let groups = counts(of: message)
            return Summary(
                message: message, total: groups.reduce(0) { $0 + $1.count },
                groups: groups.map {
                    .init(reaction: $0.reaction, count: $0.count, users: $0.users, first: 0, last: 0, latest: nil)
                }, own: nil, isDeleted: deleted.contains(message))
        }
    }

    /// What a summary says of the changes since then.
    func deltas(since before: ModelChannel) -> [SummaryDelta] {
        (1...4).map { "m\($0)" }.compactMap { message in
            let (old, new) = (before.counts(of: message), counts(of: message))
            let changed = new.filter { !old.contains($0) }
            let gone = old.filter { group in !new.contains { $0.reaction == group.reaction } }
                .map { GroupCount(reaction: $0.reaction, count: 0, users: 0) }
            let isDeletion = deleted.contains(message) && !before.deleted.contains(message)
            guard !changed.isEmpty || !gone.isEmpty || isDeletion else { return nil }
            return SummaryDelta(
                message: message, total: new.reduce(0) { $0 + $1.count }, groups: changed + gone,
                isDeleted: isDeletion)
        }
    }
}
